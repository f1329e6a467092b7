/** Finds tasks that form a series, by their times, and writes them as one task with `repeat`. */

import { formatTime } from '../../../kit/text/timezone.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { ItemKind, TaskRecord, WantedTask } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import {
  formatOccurrenceKey,
  listOccurrences,
  MAX_OCCURRENCES,
  type Occurrence,
  type Repeat,
} from '../series.ts';
import { adoptionAttributes, type ExportedItemDraft } from './drafts.ts';

export interface TaskWithDraft {
  readonly record: TaskRecord;
  readonly draft: ExportedItemDraft;
}

/**
 * Returns the drafts of the tasks. One draft takes the place of two or more tasks with the same name, message, recipients, rate and local
 * time at a regular distance.
 * @param zone the company's zone; if undefined, there are no series
 * @param newKey returns a key for a name
 * @param isTaken returns whether the mark of a record already contains the hash of a key
 */
export function withSeries(
  tasks: readonly TaskWithDraft[],
  zone: string | undefined,
  newKey: (name: string, id: string) => string,
  isTaken: (kind: ItemKind, hash: string) => boolean,
): readonly ExportedItemDraft[] {
  const groups = new Map<string, TaskWithDraft[]>();
  for (const each of tasks) {
    const { channel, message_id, list_id, search_id, rate, scheduledtime } = each.record;
    const clock = formatTime(scheduledtime, zone ?? 'UTC', 'clock');
    const name = readNameWithoutCampaignMark(each.record);
    const group = [name, channel, message_id, list_id, search_id, rate ?? null, clock].map(String).join('\0');
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  const drafts = new Map<ExportedItemDraft, ExportedItemDraft | undefined>(
    tasks.map(({ draft }) => [draft, draft]),
  );
  for (const unordered of zone === undefined ? [] : groups.values()) {
    const members = unordered.toSorted((a, b) => a.record.scheduledtime - b.record.scheduledtime);
    const found = regularTimes(members, zone ?? 'UTC');
    const [first] = members;
    if (first === undefined || found === undefined) continue;
    const isTakenBy = (key: string): boolean =>
      found.occurrences.some(({ day }) =>
        isTaken('task', computeItemKeyHash('task', formatOccurrenceKey(key, day))),
      );
    let key = newKey(first.draft.name, first.draft.id);
    while (isTakenBy(key)) key = newKey(first.draft.name, first.draft.id);
    for (const { draft } of members) drafts.set(draft, undefined);
    drafts.set(first.draft, seriesDraft(members, found, key));
  }
  return [...drafts.values()].flatMap((draft) => draft ?? []);
}

/** Returns the drafts with the tasks of each series that the file cannot express. Undefined if all fit. */
export function withoutUnfitSeries(
  drafts: readonly ExportedItemDraft[],
  unfit: ReadonlyMap<string, string>,
): readonly ExportedItemDraft[] | undefined {
  const isUnfit = ({ kind, key, series }: ExportedItemDraft): boolean =>
    series !== undefined && unfit.has(`${kind} ${key}`);
  if (!drafts.some(isUnfit)) return undefined;
  return drafts.flatMap((draft) => (isUnfit(draft) ? (draft.series?.alone ?? []) : [draft]));
}

interface RegularTimes {
  readonly every: Repeat['every'];
  readonly occurrences: readonly Occurrence[];
}

const EVERY: readonly Repeat['every'][] = ['day', 'week', 'month', 'weekday'];

/** @param members in the order of time */
function regularTimes(members: readonly TaskWithDraft[], zone: string): RegularTimes | undefined {
  const times = members.map(({ record }) => Math.floor(record.scheduledtime));
  if (times.length < 2 || times.length > MAX_OCCURRENCES) return undefined;
  for (const every of EVERY) {
    const repeat = { every, until: null, times: times.length, ahead: 1, records: [] };
    const occurrences = listOccurrences({ ...ANY_TASK, at: String(times[0]), repeat }, zone);
    if (occurrences.every(({ time }, at) => time === times[at])) return { every, occurrences };
  }
  return undefined;
}

const ANY_TASK: WantedTask = {
  ...{ kind: 'task', key: '', name: '', channel: null, message: { key: '' }, list: null, search: null },
  ...{ at: '', rate: null, expectSize: null, maxCredits: null, hold: null },
};

function seriesDraft(
  members: readonly TaskWithDraft[],
  { every, occurrences }: RegularTimes,
  key: string,
): ExportedItemDraft {
  const [first] = members;
  if (first === undefined) throw new RangeError('a series has at least two tasks');
  return {
    ...first.draft,
    key,
    series: { alone: members.map(({ draft }) => draft) },
    attributes: (keyOf) => [
      ...first.draft.attributes(keyOf).filter(([name]) => name !== 'id' && name !== 'hash'),
      [
        'repeat',
        {
          map: [
            ['every', every],
            ['times', members.length],
          ],
        },
      ],
      [
        'occurrences',
        {
          list: members.map(({ record }, at) => [
            ['day', occurrences[at]?.day ?? ''],
            ...adoptionAttributes('task', null, record, []),
          ]),
        },
      ],
    ],
  };
}
