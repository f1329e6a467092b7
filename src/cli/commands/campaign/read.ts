/** Reads campaign files and the records of the service, and plans the changes. */

import { RENAMED_FROM } from '../../../features/campaign/file/parts.ts';
import { type ParsedCampaign, positionOf, readCampaignFile } from '../../../features/campaign/file/read.ts';
import type { ItemKind, ObservedCompanyRecords, WantedItem } from '../../../features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../../features/campaign/observe.ts';
import { findItemFaults } from '../../../features/campaign/plan/faults.ts';
import { type CampaignPlan, planCampaign } from '../../../features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../features/campaign/plan/situation.ts';
import { type PromotedIds, replacePromotedIds } from '../../../features/campaign/promoted-ids.ts';
import { parseStepItemKey } from '../../../features/campaign/sequences.ts';
import { isSeries } from '../../../features/campaign/series.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { sayReason } from '../../../kit/schema/reason.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { compileTimePhrase } from '../../../kit/text/time-phrase.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import type { Input } from '../../command/command.ts';
import { repeatableTextFlag, switchFlag } from '../../command/flag.ts';
import { type FileFinding, InvalidInputError, UsageError } from '../../errors/errors.ts';
import { CAMPAIGN_VALUE_FLAGS } from '../../request/campaign-value-flags.ts';
import { contentFileLimits } from '../../session/content-limits.ts';
import { listRecordsMadeHere } from '../../session/made-here.ts';
import type { Clocks, Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { readIdsToTakeOverPerCampaign, requireTakenOverRecordsExist } from './adopt.ts';
import {
  type CompanyValues,
  findingOf,
  readGivenValues,
  refuseUnusedFlags,
  unusedValues,
  valuesFor,
} from './values.ts';

const overwriteFlag = switchFlag('overwrite', { describe: 'Overwrite changes that someone made by hand' });
const pruneRecordsOfRemovedItemsFlag = switchFlag('prune', {
  describe: 'Cancel or delete records of this campaign whose items are no longer in the file',
});
const allowDuplicateTasksOrRulesFlag = switchFlag('both', {
  describe: 'Allow a task or rule that does the same as an existing one',
});
const adoptRecordFlag = repeatableTextFlag('adopt', {
  describe: 'Use an existing record for item KEY of the file: KEY=ID; for a rule, KEY=KIND:ID (repeatable)',
  value: 'key=id',
});

export const EXISTING_RECORD_FLAGS = [
  ...[overwriteFlag, pruneRecordsOfRemovedItemsFlag, adoptRecordFlag, allowDuplicateTasksOrRulesFlag],
];

/** A saved plan already contains their values, so a command with a saved plan refuses these flags. */
export const PLANNING_FLAGS = [...CAMPAIGN_VALUE_FLAGS, ...EXISTING_RECORD_FLAGS];

/** @throws UsageError for a command with a saved plan */
export function refusePlanningFlagsWithPlan(input: Input): void {
  const given = PLANNING_FLAGS.find((flag) => input.has(flag));
  if (given) throw new UsageError(`cannot combine --${given.name} with a plan: use the flag with svc plan`);
}

export interface PlannedCampaignFile {
  readonly path: string;
  readonly parsed: ParsedCampaign;
  readonly set: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
  /** Ids of another account that `svc promote` replaced in the campaign. */
  readonly ids?: PromotedIds;
  readonly options: PlanOptions;
  readonly observed: ObservedCompanyRecords;
  readonly planned: CampaignPlan;
}

export async function planCampaignFile(
  session: Ports,
  input: Input,
  path: string,
  read?: CampaignFilesRead,
): Promise<PlannedCampaignFile> {
  const [file] = await planCampaignFiles(session, input, [path], { read });
  if (!file) throw new RangeError('svc planned one campaign file and got no plan: this is a bug in svc');
  return file;
}

/** For the version with which a command compares its files. The values of flags are for those files, so not each is used here. */
export interface OtherCampaignReading {
  /** Reads a file that is not on the disk. */
  readonly read?: typeof readCampaignFile | undefined;
}
/**
 * Finds the ids to replace in a file, for `svc promote`. @param values names that the command gives a value
 */
export type PromoteIds = (
  file: { readonly path: string; readonly parsed: ParsedCampaign },
  values: ReadonlySet<string>,
) => Promise<{ readonly ids: PromotedIds; readonly faults: readonly FileFinding[] }>;

/** Files of the same campaign can refer to each other's items. @throws InvalidInputError exit 2 with all faults of all files */
export async function planCampaignFiles(
  session: Ports,
  input: Input,
  paths: readonly string[],
  {
    other,
    promoteIds,
    read: earlier,
  }: {
    readonly other?: OtherCampaignReading | undefined;
    readonly promoteIds?: PromoteIds | undefined;
    /** The files, if the command has read them already. */
    readonly read?: CampaignFilesRead | undefined;
  } = {},
): Promise<readonly PlannedCampaignFile[]> {
  const { files, faults } =
    earlier ?? (await readWithGivenValues(session, input, paths, { other, promoteIds }));
  if (faults.length > 0)
    throw new InvalidInputError(
      sorted([...faults, ...(await lateFaults(session, input, files, other))]),
      NOTHING_SENT,
    );
  for (const { path, parsed } of files)
    await refuseOtherCompany(session, path, parsed?.campaign.company ?? null);
  const planned = await planTogether(session, input, files, other);
  const late = await lateFaultsOf(session, planned);
  if (late.length > 0) throw new InvalidInputError(sorted(late), NOTHING_SENT);
  return planned;
}

const NOTHING_SENT = 'nothing was sent';

async function readWithGivenValues(
  session: Invocation & Profiles,
  input: Input,
  paths: readonly string[],
  {
    other,
    promoteIds,
  }: { readonly other: OtherCampaignReading | undefined; readonly promoteIds: PromoteIds | undefined },
): Promise<CampaignFilesRead> {
  const { naming, credentials } = await session.resolved();
  const values = valuesFor(await readGivenValues(session, input), credentials.companyId);
  const read = await readCampaignFiles(session, paths, naming, values, other);
  return promoteIds ? promoted(read, promoteIds, new Set(values.set.keys())) : read;
}

async function promoted(
  { files, faults }: CampaignFilesRead,
  promoteIds: PromoteIds,
  values: ReadonlySet<string>,
) {
  const found: FileFinding[] = [];
  const all: FileRead[] = [];
  for (const file of files) {
    const { path, parsed } = file;
    const promotion = parsed && (await promoteIds({ path, parsed }, values));
    found.push(...(promotion?.faults ?? []));
    if (parsed && promotion)
      all.push({
        ...{ ...file, ids: promotion.ids },
        parsed: { ...parsed, campaign: replacePromotedIds(parsed.campaign, promotion.ids) },
      });
    else all.push(file);
  }
  return { files: all, faults: [...faults, ...found] };
}

/**
 * Returns the faults that show without the service. @param words the names by which checks of messages recognise opt-in links
 * @throws UsageError for a value of `--set` or `--env` that no file uses, if the files have no faults
 */
export async function readCampaignFiles(
  session: Invocation & Profiles,
  paths: readonly string[],
  words: ContentMarkupNames,
  values: CompanyValues,
  other?: OtherCampaignReading,
): Promise<CampaignFilesRead> {
  const files: FileRead[] = [];
  for (const path of paths) files.push(await readFileOf(session, path, values, words, other?.read));
  const faults = [
    ...files.flatMap((file) => file.faults),
    ...duplicatesIn(files),
    ...earlierKeysInUse(files),
  ];
  if (!other && files.every(({ parsed }) => parsed !== undefined)) {
    const used = new Set(files.flatMap(({ parsed }) => [...(parsed?.usedVariables ?? [])]));
    faults.push(...unusedValues(values.given, used));
    if (faults.length === 0) refuseUnusedFlags(values.given, used);
  }
  return { files, faults };
}

export interface CampaignFilesRead {
  readonly files: readonly FileRead[];
  readonly faults: readonly FileFinding[];
}

interface FileRead extends Pick<PlannedCampaignFile, 'set' | 'env' | 'ids'> {
  readonly path: string;
  /** Campaign without its faulty items. Undefined if the file can't be parsed. */
  readonly parsed: ParsedCampaign | undefined;
  readonly faults: readonly FileFinding[];
}

async function planTogether(
  session: Invocation & Tell & ServiceAccess & Profiles,
  input: Input,
  files: readonly FileRead[],
  other?: OtherCampaignReading,
): Promise<readonly PlannedCampaignFile[]> {
  const readable = files.flatMap(({ parsed, ...file }) => (parsed ? [{ ...file, parsed }] : []));
  const adopt = readIdsToTakeOverPerCampaign(
    input.get(adoptRecordFlag),
    readable.map(({ parsed }) => parsed.campaign),
    other !== undefined,
  );
  const client = await session.client();
  const all: PlannedCampaignFile[] = [];
  for (const { path, parsed, set, env, ids } of readable) {
    const { campaign } = parsed;
    const own = adopt.get(campaign);
    const observed = await readAllRecordsForCampaign(client, campaign, own, (wanted) =>
      listRecordsMadeHere(session, wanted),
    );
    if (own) requireTakenOverRecordsExist(own, observed);
    const options: PlanOptions = {
      overwrite: input.get(overwriteFlag),
      prune: input.get(pruneRecordsOfRemovedItemsFlag),
      zone: (await zoneOfFile(session, observed)) ?? 'UTC',
      madeAt: Math.floor(observed.now),
      ...(input.get(allowDuplicateTasksOrRulesFlag) ? { both: true } : {}),
      ...(own ? { adopt: own } : {}),
    };
    const siblings = readable
      .filter((other) => other.parsed !== parsed && other.parsed.campaign.campaign === campaign.campaign)
      .flatMap((other) => other.parsed.campaign.items);
    const earlierPlans = all.map((each) => each.planned);
    const planned = planCampaign(campaign, observed, options, { earlierPlans, siblings });
    all.push({ path, parsed, set, env, ...(ids ? { ids } : {}), options, observed, planned });
  }
  return all;
}

/** Returns the faults that svc finds only by reading records of the service, in items without other faults. Ignores failed requests. */
async function lateFaults(
  session: Ports,
  input: Input,
  files: readonly FileRead[],
  other: OtherCampaignReading | undefined,
): Promise<readonly FileFinding[]> {
  try {
    return await lateFaultsOf(session, await planTogether(session, input, files, other));
  } catch {
    session.context.signal.throwIfAborted();
    return [];
  }
}

async function lateFaultsOf(
  session: Invocation & ServiceAccess & Profiles & Clocks,
  planned: readonly PlannedCampaignFile[],
): Promise<readonly FileFinding[]> {
  const all = planned.flatMap(faultsOf);
  for (const file of planned)
    all.push(...(await timesWithoutZone(session, file)), ...(await missingLinks(session, file)));
  return all;
}

/** Returns the zone of local times: that of `--tz`, else the company's, else, if svc does not know it, that of the profile. */
const zoneOfFile = async (
  session: Invocation & Profiles,
  { account }: PlannedCampaignFile['observed'],
): Promise<string | undefined> =>
  session.globals.tz ?? readTimezone(account.timezone) ?? (await session.resolved()).profile?.tz;

/** Returns a fault for each local time, if no zone for it is known. A guess would send hours early or late. */
async function timesWithoutZone(
  session: Invocation & Profiles & Clocks,
  { path, parsed, observed }: PlannedCampaignFile,
): Promise<readonly FileFinding[]> {
  if ((await zoneOfFile(session, observed)) !== undefined) return [];
  const { reason, remedy } = await session.unknownZone();
  return parsed.campaign.items.flatMap((item) => {
    if (item.kind !== 'task' || !(isSeries(item) || isLocalTime(item.at, observed.now))) return [];
    const place = positionOf(parsed, 'task', item.key, 'scheduledtime') ?? {};
    const local = isSeries(item) ? 'a series has local times' : `"${item.at}" is a local time`;
    const fault = `task ${item.key}: at: ${local}, but ${reason}; ${remedy}`;
    return [{ file: path, ...place, attribute: '', reason: fault }];
  });
}

function isLocalTime(at: string, now: number): boolean {
  const words = compileTimePhrase(at, { now, zone: 'UTC' });
  return words.ok && words.needs === 'zone';
}

/** Returns a fault for each rule whose link does not exist. Planning reads only the links of the campaign's own messages. */
async function missingLinks(
  session: ServiceAccess,
  file: PlannedCampaignFile,
): Promise<readonly FileFinding[]> {
  const client = await session.client();
  const missing: FileFinding[] = [];
  for (const item of file.parsed.campaign.items) {
    const link = item.kind === 'automation' ? item.references['link_id'] : undefined;
    if (!link || !('id' in link)) continue;
    const step = file.planned.steps.find(({ kind, key }) => kind === item.kind && key === item.key);
    if (step?.action === 'keep' || (await client.get(emailMessageLink, parseIntegerDigits(link.id))))
      continue;
    missing.push({
      file: file.path,
      ...(positionOf(file.parsed, item.kind, item.key, 'link_id') ?? {}),
      attribute: '',
      reason: `automation ${item.key}: link_id: link ${link.id} not found`,
    });
  }
  return missing;
}

const faultsOf = ({ path, parsed, planned }: PlannedCampaignFile): readonly FileFinding[] =>
  findItemFaults(planned).map(({ kind, key, attribute, message }) => ({
    file: path,
    ...(positionOf(parsed, kind, key, attribute) ?? {}),
    attribute: '',
    reason: `${nameOfItem(kind, key)}: ${message}`,
  }));

/** Steps of a sequence have no keys of their own in the faults of a file, as when it is read. */
export function nameOfItem(kind: ItemKind, key: string): string {
  const step = kind === 'automation' ? parseStepItemKey(key) : undefined;
  return step === undefined ? `${kind} ${key}` : `sequence ${step.sequence}`;
}

export const sorted = (faults: readonly FileFinding[]): readonly FileFinding[] =>
  [
    ...new Map(
      faults.map((fault) => [
        `${fault.file}:${fault.line}:${fault.column} ${sayReason(fault.reason)}`,
        fault,
      ]),
    ),
  ]
    .map(([, fault]) => fault)
    .sort((a, b) =>
      a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) : 0,
    );

function duplicatesIn(files: readonly FileRead[]): readonly FileFinding[] {
  const seen = new Map<string, string>();
  return files.flatMap(({ path, parsed }) =>
    (parsed?.campaign.items ?? []).flatMap(({ kind, key }) => {
      const name = `${parsed?.campaign.campaign}\0${kind} ${key}`;
      const other = seen.get(name);
      seen.set(name, other ?? path);
      if (other === undefined || !parsed) return [];
      const place = positionOf(parsed, kind, key) ?? {};
      return [{ file: path, ...place, attribute: '', reason: `${kind} ${key}: also used in ${other}` }];
    }),
  );
}

/** Returns a fault for each earlier name of `renamed-from` that another file still has, or that an item of another file names, too. */
function earlierKeysInUse(files: readonly FileRead[]): readonly FileFinding[] {
  const all = files.flatMap(({ path, parsed }) => (parsed ? [{ path, parsed }] : []));
  return all.flatMap((file) => {
    const { path, parsed } = file;
    const { campaign, renamedFrom = [], items } = parsed.campaign;
    const others = all.filter((each) => each !== file);
    const faultOf = (name: string, other: string | undefined, place: object): readonly FileFinding[] =>
      other === undefined
        ? []
        : [
            {
              file: path,
              ...place,
              attribute: '',
              reason: `renamed-from: ${name} is still used in ${other}`,
            },
          ];
    const siblings = others.filter((each) => each.parsed.campaign.campaign === campaign);
    return [
      ...renamedFrom.flatMap((name) =>
        faultOf(
          `campaign ${JSON.stringify(name)}`,
          others.find((each) => each.parsed.campaign.campaign === name)?.path,
          parsed.places.get(RENAMED_FROM) ?? {},
        ),
      ),
      ...items.flatMap(({ kind, key, renamedFrom: earlier = [] }) =>
        earlier.flatMap((name) => {
          const isUser = (item: WantedItem): boolean =>
            item.kind === kind && (item.key === name || item.renamedFrom?.includes(name) === true);
          const other = siblings.find((each) => each.parsed.campaign.items.some(isUser))?.path;
          return faultOf(`${kind} ${name}`, other, positionOf(parsed, kind, key, RENAMED_FROM) ?? {});
        }),
      ),
    ];
  });
}

async function readFileOf(
  session: Invocation & Profiles,
  path: string,
  { given: { env, file }, set }: CompanyValues,
  words: ContentMarkupNames,
  read = readCampaignFile,
): Promise<FileRead> {
  const { cwd } = session.context;
  const limits = await contentFileLimits(session);
  const found = await read(path, { cwd, env, set, valuesFile: file?.path, words, limits });
  const [parsed, faults] = 'faults' in found ? [found.readable, found.faults] : [found, []];
  const isUsed = ([name]: readonly [string, unknown]): boolean => parsed?.usedVariables.has(name) ?? false;
  return { path, parsed, faults: faults.map(findingOf), set: new Map([...set].filter(isUsed)), env };
}

/** Refuses a file of another company (contract: "another company is exit 2"). */
async function refuseOtherCompany(session: Profiles, path: string, company: AccountId | null): Promise<void> {
  if (company === null) return;
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined && String(credentials.companyId) === String(company)) return;
  throw new UsageError(
    `${path} is for company ${company}, but this command acts for ${credentials.companyId === undefined ? 'no company' : `company ${credentials.companyId}`}; nothing was sent`,
    { hint: credentials.kind === 'partner' ? `add --company ${company}` : 'use a profile of that company' },
  );
}
