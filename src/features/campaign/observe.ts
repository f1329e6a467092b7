import type { Client } from '../../client/requests/client.ts';
import type { ListOptions } from '../../client/requests/reads.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { AnyRecord, RecordOf, Resource } from '../../kit/schema/resource.ts';
import { MAX_RECORDS_PER_PAGE } from '../../service/protocol/wire.ts';
import { account } from '../../service/resources/account.ts';
import { parseCampaignMark } from '../../service/resources/campaign-mark.ts';
import { emailMessage } from '../../service/resources/email-message.ts';
import { emailMessageLink } from '../../service/resources/email-message-link.ts';
import { folder } from '../../service/resources/folder.ts';
import { RULE_DEFINITIONS, RULE_KINDS, ruleResource } from '../../service/resources/rule-kinds.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import { task } from '../../service/resources/task.ts';
import {
  type Campaign,
  type LinkRecord,
  type ObservedCompanyRecords,
  type RuleRecord,
  tableOfRuleKinds,
} from './model.ts';
import { assignRecordsToTakeOver } from './plan/adoption.ts';
import type { PlanOptions } from './plan/situation.ts';
import { createCampaignHashTest } from './renames.ts';

/**
 * For more, svc reads all links of the company, which usually takes fewer requests. If that list has more pages than there are messages,
 * svc falls back to single messages.
 */
const MAX_READ_BY_MESSAGE = 25;
const MESSAGES_AT_ONCE = 8;

export type ListRecordsMadeHere = (wanted: {
  readonly resources: readonly string[];
  readonly isWanted: (name: string) => boolean;
  readonly withinMs: number;
}) => Promise<readonly { readonly resource: string; readonly id: Id }[]>;

const MAX_LIST_LAG_MS = 10 * 60_000;

/**
 * Reads links only for e-mail messages that have a mark of the campaign or that an item adopts.
 * @param madeHere asked first, so that lists that lag behind cannot hide records of this campaign that this machine has just created
 * @throws ClientError
 */
export async function readAllRecordsForCampaign(
  client: Client,
  campaign: Pick<Campaign, 'campaign' | 'renamedFrom' | 'items'>,
  adopt?: PlanOptions['adopt'],
  madeHere: ListRecordsMadeHere = async () => [],
): Promise<ObservedCompanyRecords> {
  const isOfCampaign = createCampaignHashTest(campaign);
  const isOwn = (name: unknown): boolean => isOfCampaign(parseCampaignMark(name)?.mark.campaignHash ?? '');
  const made = await madeHere({
    resources: [folder, emailMessage, smsMessage, task, ...RULE_KINDS.map(ruleResource)].map(
      ({ name }) => name,
    ),
    isWanted: isOwn,
    withinMs: MAX_LIST_LAG_MS,
  });
  const adopted = new Set(
    assignRecordsToTakeOver(campaign, adopt).items.map((item) =>
      item.kind === 'message' ? item.adopted?.id : '',
    ),
  );
  return observeWith(client, ({ id, name }) => isOwn(name) || adopted.has(String(id)), made);
}

export const readAllRecordsAndMessageLinks = (client: Client): Promise<ObservedCompanyRecords> =>
  observeWith(client, () => true);

async function observeWith(
  client: Client,
  needsLinks: (message: RecordOf<typeof emailMessage>) => boolean,
  madeHere: Awaited<ReturnType<ListRecordsMadeHere>> = [],
): Promise<ObservedCompanyRecords> {
  let requests = 1;
  const all = async <R extends Resource>(
    resource: R,
    options: ListOptions = {},
  ): Promise<readonly RecordOf<R>[]> => {
    const rows: RecordOf<R>[] = [];
    for await (const row of client.list(resource, options)) rows.push(row);
    requests += Math.max(1, Math.ceil(rows.length / MAX_RECORDS_PER_PAGE));
    return rows;
  };
  const allAndOwn = async <R extends Resource>(resource: R): Promise<readonly RecordOf<R>[]> => {
    const rows = [...(await all(resource))];
    const listed = new Set(rows.map((row) => String((row as AnyRecord).id)));
    for (const { id } of madeHere.filter(
      (each) => each.resource === resource.name && !listed.has(String(each.id)),
    )) {
      requests += 1;
      const record = await client.get(resource, id);
      if (record !== undefined) rows.push(record);
    }
    return rows;
  };
  const found = await client.single(account);
  const [folders, email, sms, tasks] = await Promise.all([
    allAndOwn(folder),
    allAndOwn(emailMessage),
    allAndOwn(smsMessage),
    allAndOwn(task),
  ]);
  const rules = await Promise.all(
    RULE_KINDS.map(async (kind) => [kind, await allAndOwn(RULE_DEFINITIONS[kind].resource)] as const),
  );
  const links = await linksOf(email.filter(needsLinks), all);
  return {
    now: client.latestTime() ?? client.serviceTime() ?? 0,
    account: found,
    folders,
    messages: { email, sms },
    links,
    tasks,
    rules: tableOfRuleKinds<readonly RuleRecord[]>(rules),
    requests,
  };
}

async function linksOf(
  messages: readonly RecordOf<typeof emailMessage>[],
  all: (resource: typeof emailMessageLink, options: ListOptions) => Promise<readonly LinkRecord[]>,
): Promise<ReadonlyMap<string, readonly LinkRecord[]>> {
  const links = new Map<string, LinkRecord[]>(messages.map(({ id }) => [String(id), []]));
  const most = messages.length * MAX_RECORDS_PER_PAGE;
  const walked =
    messages.length > MAX_READ_BY_MESSAGE ? await all(emailMessageLink, { limit: most }) : undefined;
  const rows =
    walked !== undefined && walked.length < most
      ? walked
      : (
          await mapInParallel(MESSAGES_AT_ONCE, messages, ({ id }) =>
            all(emailMessageLink, { filters: { message_id: id } }),
          )
        ).flat();
  for (const row of rows) links.get(String(row.message_id))?.push(row);
  return links;
}

async function mapInParallel<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += most)
    done.push(...(await Promise.all(items.slice(from, from + most).map(work))));
  return done;
}
