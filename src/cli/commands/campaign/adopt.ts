/** Reads `--adopt KEY=ID`, which tells svc that an existing record belongs to an item of the campaign file. */
import type { Campaign, ObservedCompanyRecords, WantedItem } from '../../../features/campaign/model.ts';
import { isSeries, parseOccurrenceKey } from '../../../features/campaign/series.ts';
import { readIdText } from '../../../kit/schema/integer.ts';
import { UsageError } from '../../errors/errors.ts';

/**
 * Returns the ids of the records that `--adopt` names for each campaign, by the kind and the key of an item: `task spring`.
 * @param mayBeOfOthers true if a key that no item has belongs to another version of the files
 * @throws UsageError for a key that no item or several items have, and for a repeated id or key
 */
export function readIdsToTakeOverPerCampaign(
  flagValues: readonly string[],
  campaigns: readonly Campaign[],
  mayBeOfOthers = false,
): ReadonlyMap<Campaign, Readonly<Record<string, string>>> {
  const all = new Map<Campaign, Record<string, string>>();
  const taken = new Map<string, string>();
  for (const text of flagValues) {
    const found = adoptionIn(text, campaigns, mayBeOfOthers);
    if (!found) continue;
    const { campaign, item, id } = found;
    const record = item.kind === 'message' ? `${item.channel} message ${id}` : `${item.kind} ${id}`;
    const other = taken.get(record);
    if (other !== undefined)
      throw new UsageError(`--adopt ${text}: another --adopt gives this record to ${other}`);
    taken.set(record, `${item.kind} ${item.key}`);
    const own = all.get(campaign) ?? {};
    if (own[`${item.kind} ${item.key}`] !== undefined)
      throw new UsageError(`--adopt ${text}: ${item.kind} ${item.key} is given twice`);
    own[`${item.kind} ${item.key}`] = id;
    all.set(campaign, own);
  }
  return all;
}

function adoptionIn(
  text: string,
  campaigns: readonly Campaign[],
  mayBeOfOthers: boolean,
): { readonly campaign: Campaign; readonly item: WantedItem; readonly id: string } | undefined {
  const [, kind, key, rule, digits = ''] = /^(?:(\w+):)?([^=:]+)=(?:(\w+):)?([0-9]+)$/.exec(text) ?? [];
  if (key === undefined || readIdText(digits) === undefined)
    throw new UsageError(`--adopt ${text}: must be KEY=ID`, {
      hint: 'write the key and the id, such as --adopt spring=7; for a rule also its kind, such as --adopt welcome=click:3',
    });
  const named = campaigns.flatMap((campaign) =>
    campaign.items
      .map((item) =>
        isSeries(item) && parseOccurrenceKey(key)?.series === item.key ? { ...item, key } : item,
      )
      .filter((item) => item.key === key && (kind === undefined || item.kind === kind))
      .map((item) => ({ campaign, item })),
  );
  if (named.length === 0 && mayBeOfOthers) return undefined;
  if (named.length === 0) throw new UsageError(`--adopt ${text}: item ${key} not found in the file`);
  const fitting = named.filter(({ item }) =>
    rule === undefined
      ? item.kind === 'task' || item.kind === 'message'
      : item.kind === 'automation' && item.rule === rule,
  );
  const [found, another] = fitting;
  if (found && isSeries(found.item) && parseOccurrenceKey(key) === undefined)
    throw new UsageError(`--adopt ${text}: ${key} is a series, so name the time too`, {
      hint: `write the key with the day, such as --adopt ${key}@2026-12-07=${digits}`,
    });
  if (!found)
    throw new UsageError(`--adopt ${text}: ${named.map(({ item }) => wordOf(item)).join(', ')}`, {
      hint: 'write the id of a rule with its kind, such as click:3, and any other id as a number; --adopt does not work for folders',
    });
  if (another)
    throw new UsageError(`--adopt ${text}: the file has several items ${key}`, {
      hint: `write --adopt ${found.item.kind}:${key}=${digits} or --adopt ${another.item.kind}:${key}=${digits}`,
    });
  return { ...found, id: rule === undefined ? digits : `${rule}:${digits}` };
}

const wordOf = (item: WantedItem): string =>
  item.kind === 'automation'
    ? `${item.key} is a rule of kind ${item.rule}`
    : item.kind === 'folder'
      ? `${item.key} is a folder`
      : `${item.key} is a ${item.kind}, not a rule, so write its id as a number without a kind, such as 7`;

/** @throws UsageError for a record that the service does not have */
export function requireTakenOverRecordsExist(
  adoptedIds: Readonly<Record<string, string>>,
  observed: ObservedCompanyRecords,
): void {
  const { tasks, messages, rules } = observed;
  for (const [name, id] of Object.entries(adoptedIds)) {
    const [kind = '', key = ''] = name.split(' ');
    const [rule, digits = rule] = id.split(':');
    const rows =
      kind === 'task'
        ? tasks
        : kind === 'automation'
          ? (Object.entries(rules).find(([each]) => each === rule)?.[1] ?? [])
          : [...messages.email, ...messages.sms];
    if (rows.some((row) => String(row.id) === digits)) continue;
    throw new UsageError(`--adopt ${key}=${id}: ${kind === 'automation' ? 'rule' : kind} ${id} not found`, {
      hint: `run svc ${kind === 'message' ? 'email' : kind} list to see the ids`,
    });
  }
}
