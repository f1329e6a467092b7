import { isActiveTask } from '../../../client/sends/same-send.ts';
import { compareNumbers } from '../../../kit/schema/integer.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../../../service/resources/campaign-mark.ts';
import { RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import { CampaignError } from '../errors.ts';
import { readCampaign } from '../file/read.ts';
import { MAX_CAMPAIGN_FILE_OCTETS } from '../file/versioned-file.ts';
import { type FormattedCampaignFile, formatCampaignFile } from '../file/write.ts';
import { computeCampaignNameHash } from '../marks.ts';
import type { NamedRecord, ObservedCompanyRecords, Step } from '../model.ts';
import { readNameWithoutCampaignMark, recordKindInWords } from '../plan/adoption.ts';
import { planCampaign } from '../plan/plan.ts';
import { keyInFile } from '../series.ts';
import {
  createItemKeyGenerator,
  type ExportedItemDraft,
  type MessageKeyLookup,
  messageDraft,
  ruleDraft,
  taskDraft,
} from './drafts.ts';
import { type RuleWithDraft, withoutUnfitSequences, withSequences } from './sequences.ts';
import { type TaskWithDraft, withoutUnfitSeries, withSeries } from './series.ts';

export interface ExportOptions {
  readonly campaign: string;
  /** Default: svc's own names. */
  readonly words?: ContentMarkupNames | undefined;
}

export interface ExportedCampaign {
  readonly text: string;
  readonly contents: ReadonlyMap<string, string>;
  readonly items: readonly ExportedItemDraft[];
  readonly omitted: readonly OmittedRecord[];
}

export interface OmittedRecord {
  readonly what: string;
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/**
 * @param observed records with the links of all e-mail messages (`readAllRecordsAndMessageLinks`)
 * @throws CampaignError if the records don't fit into one file
 */
export async function exportCampaign(
  observed: ObservedCompanyRecords,
  options: ExportOptions,
): Promise<ExportedCampaign> {
  const all = draftsOf(observed, options);
  const omitted = [...all.omitted];
  let drafts = all.drafts;
  for (;;) {
    const file = fileOf(observed, options, drafts, omitted);
    const contents = new Map(drafts.flatMap((draft) => [...draft.contents]));
    const unfit = await findUnfitItems(observed, options, file, contents);
    if (unfit.size === 0) return { text: file.text, contents, items: drafts, omitted };
    const whole = withoutUnfitSequences(drafts, unfit) ?? withoutUnfitSeries(drafts, unfit);
    if (whole !== undefined) {
      drafts = whole;
      continue;
    }
    for (const draft of drafts) {
      const reason = unfit.get(nameOf(draft));
      if (reason !== undefined) omitted.push(left(draft, reason));
    }
    drafts = drafts.filter((draft) => !unfit.has(nameOf(draft)));
  }
}

/** The times have their offset, so UTC is right if svc does not know the company's zone. */
const zoneOfTimes = ({ timezone }: ObservedCompanyRecords['account']): string =>
  readTimezone(timezone) ?? 'UTC';

const nameOf = ({ kind, key }: Pick<ExportedItemDraft, 'kind' | 'key'>): string => `${kind} ${key}`;

const left = ({ kind, channelOrRuleKind, id, name }: ExportedItemDraft, reason: string): OmittedRecord => ({
  what: recordKindInWords(kind, channelOrRuleKind),
  id,
  name,
  reason,
});

function draftsOf(
  observed: ObservedCompanyRecords,
  { campaign }: ExportOptions,
): { readonly drafts: readonly ExportedItemDraft[]; readonly omitted: readonly OmittedRecord[] } {
  const { messages, tasks, rules, links, account } = observed;
  const isTaken = createMarkLookup(observed, campaign);
  const keyFor = createItemKeyGenerator(isTaken);
  const source = <R extends NamedRecord>(kind: ExportedItemDraft['kind'], record: R) => ({
    record,
    key: keyFor(kind, readNameWithoutCampaignMark(record), String(record.id)),
  });
  const email = inOrder(messages.email).map((record) =>
    messageDraft('email', source('message', record), links.get(String(record.id)) ?? []),
  );
  const sms = inOrder(messages.sms).map((record) => messageDraft('sms', source('message', record), []));
  const live = inOrder(tasks).filter(isActiveTask);
  const zone = zoneOfTimes(account);
  const scheduled = live.map((record) => ({ record, draft: taskDraft(source('task', record), zone) }));
  const allLinks = [...links.values()].flat();
  const found = RULE_KINDS.flatMap((rule) =>
    inOrder(rules[rule]).map((record) => ({
      record,
      draft: ruleDraft(rule, source('automation', record), allLinks),
    })),
  );
  const omitted: OmittedRecord[] = [];
  const drafts: ExportedItemDraft[] = [...email, ...sms];
  const tasksInFile: TaskWithDraft[] = [];
  const rulesInFile: RuleWithDraft[] = [];
  for (const { record, draft } of scheduled) {
    const reason = omissionReason(record);
    if (reason === undefined) tasksInFile.push({ record, draft });
    else omitted.push(left(draft, reason));
  }
  const companyZone = readTimezone(account.timezone);
  drafts.push(...withSeries(tasksInFile, companyZone, (name, id) => keyFor('task', name, id), isTaken));
  for (const { record, draft } of found) {
    const reason = omissionReason(record);
    if (reason === undefined) rulesInFile.push({ record, draft });
    else omitted.push(left(draft, reason));
  }
  drafts.push(...withSequences(rulesInFile, (name, id) => keyFor('automation', name, id), isTaken));
  return { drafts, omitted };
}

function omissionReason({ splittest_id, name }: NamedRecord): string | undefined {
  if (splittest_id != null)
    return `the task belongs to split test ${String(splittest_id)}, which a campaign file cannot express`;
  if (parseCampaignMark(name)?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER)
    return 'a campaign has replaced this record with a newer one';
  return undefined;
}

const inOrder = <R extends NamedRecord>(rows: readonly R[]): readonly R[] =>
  rows.toSorted((a, b) => compareNumbers(a.id, b.id));

/** svc would treat a record whose mark has the hash of a key as the item of that key. */
function createMarkLookup(
  observed: ObservedCompanyRecords,
  campaign: string,
): (kind: string, keyHash: string) => boolean {
  const own = computeCampaignNameHash(campaign);
  const rows = [
    ...observed.messages.email,
    ...observed.messages.sms,
    ...observed.tasks,
    ...Object.values(observed.rules).flat(),
  ];
  const taken = new Set(
    rows.flatMap(({ name }) => {
      const mark = parseCampaignMark(name)?.mark;
      return mark?.campaignHash === own ? [mark.keyHash] : [];
    }),
  );
  return (_, keyHash) => taken.has(keyHash);
}

function fileOf(
  { account }: ObservedCompanyRecords,
  { campaign }: ExportOptions,
  drafts: readonly ExportedItemDraft[],
  omitted: readonly OmittedRecord[],
): FormattedCampaignFile {
  const keys = new Map(
    drafts
      .filter(({ kind }) => kind === 'message')
      .map(({ channelOrRuleKind, id, key }) => [`${channelOrRuleKind} ${id}`, key]),
  );
  const keyOf: MessageKeyLookup = (channel, id) => keys.get(`${channel} ${id}`);
  const { id, name } = account;
  return formatCampaignFile({
    campaign,
    company: BigInt(String(id)),
    comments: {
      first: [
        `Records of company ${String(id)} (${String(name)}), written by svc export. svc plan compares this file with the service`,
        'and svc apply makes the changes: see svc help campaigns. id names the existing record, and hash its content at the export.',
        'If someone changes a record by hand later, svc apply reports the change and does not overwrite the record. Once svc apply has changed a record, you can remove the lines id and hash of that record from this file.',
      ],
      last:
        omitted.length === 0
          ? []
          : ['Left out:', ...omitted.map((each) => `- ${describeOmittedRecord(each)}`)],
    },
    items: drafts.map(({ kind, key, comments, attributes, step }) => ({
      kind,
      key,
      comments,
      attributes: attributes(keyOf),
      sequence: step?.sequence,
    })),
  });
}

export const describeOmittedRecord = ({ what, id, name, reason }: OmittedRecord): string =>
  `${what} ${id} (${name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name}): ${reason}`;

const MAX_NAME_LENGTH = 60;

async function findUnfitItems(
  observed: ObservedCompanyRecords,
  options: ExportOptions,
  file: FormattedCampaignFile,
  contents: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const octets = Buffer.from(file.text, 'utf8');
  if (octets.length > MAX_CAMPAIGN_FILE_OCTETS)
    throw new CampaignError(
      'input',
      `the company has too many records for one campaign file: ${octets.length} bytes; the maximum is ${MAX_CAMPAIGN_FILE_OCTETS}`,
    );
  const read = await readCampaign(
    { path: 'campaign.yaml', octets },
    {
      env: {},
      set: new Map(),
      ...(options.words === undefined ? {} : { words: options.words }),
      readContent: async (path) => ({ octets: Buffer.from(contents.get(path) ?? '', 'utf8') }),
    },
  );
  const unfit = new Map<string, string>();
  if ('faults' in read) {
    for (const { line, message, inItem } of read.faults) {
      const item = file.itemAt(line);
      if (item === undefined) throw new CampaignError('input', `cannot write the file: ${message}`);
      if (!unfit.has(item)) unfit.set(item, inItem?.item === item ? inItem.reason : message);
    }
    return unfit;
  }
  const { steps } = planCampaign(read.campaign, observed, {
    overwrite: false,
    prune: false,
    zone: zoneOfTimes(observed.account),
  });
  for (const step of steps)
    if (step.key !== undefined && step.action !== 'keep')
      unfit.set(`${step.kind} ${keyInFile(step.key)}`, reasonOf(step));
  return unfit;
}

function reasonOf({ action, reason, changes = [] }: Step): string {
  if (action === 'blocked' && reason !== undefined) return reason;
  const attributes = changes.map(({ attribute }) => attribute).join(', ');
  return `a campaign file cannot express the record${attributes === '' ? '' : `: ${attributes}`}`;
}
