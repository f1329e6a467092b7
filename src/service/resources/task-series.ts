/**
 * Finds the series of a task from the tasks alone, by the marks that svc gives to the tasks of a campaign. The campaign file is not needed, so
 * the sandbox can say it too. The number of times in the file is not in the marks.
 */

import { formatTime } from '../../kit/text/timezone.ts';
import { isMarkedAsSetAside, parseCampaignMark } from './campaign-mark.ts';
import type { TaskRecord } from './task.ts';

export interface TaskSeries<T extends TaskRecord = TaskRecord> {
  readonly name: string;
  /** Part of the mark that all records of the campaign share. */
  readonly campaign: string;
  /** One task for each time, in the order of the times. */
  readonly tasks: readonly T[];
}

/**
 * Returns the series of each task that is a time of one. Two or more tasks are a series if they are of one campaign, and have the same name,
 * recipients and local time, under different keys.
 * @param tasks all tasks to the recipients, or else numbers are wrong
 */
export function findTaskSeries<T extends TaskRecord>(
  tasks: readonly T[],
  zone: string,
): ReadonlyMap<T, TaskSeries<T>> {
  const groups = new Map<string, { name: string; campaign: string; tasks: Map<string, T[]> }>();
  for (const record of tasks) {
    const place = readPlace(record);
    if (place === undefined) continue;
    const { name, campaign, key } = place;
    const { channel, list_id, search_id, scheduledtime } = record;
    const clock = formatTime(Math.floor(scheduledtime), zone, 'clock');
    const id = JSON.stringify([name, campaign, channel, list_id ?? null, search_id ?? null, clock]);
    const group = groups.get(id) ?? { name, campaign, tasks: new Map<string, T[]>() };
    group.tasks.set(key, [...(group.tasks.get(key) ?? []), record]);
    groups.set(id, group);
  }
  const found = new Map<T, TaskSeries<T>>();
  for (const { name, campaign, tasks: byKey } of groups.values()) {
    if (byKey.size < 2) continue;
    // A task that svc has replaced or withdrawn has the key of the one that stays.
    const kept = [...byKey.values()].flatMap(
      (same) => same.findLast((each) => !isMarkedAsSetAside(each.name)) ?? same.at(-1) ?? [],
    );
    const series = { name, campaign, tasks: kept.toSorted((a, b) => a.scheduledtime - b.scheduledtime) };
    for (const record of kept) found.set(record, series);
  }
  return found;
}

/** Reports whether the task has a mark that a time of a series may have. */
export const mayBeOfSeries = (record: TaskRecord): boolean => readPlace(record) !== undefined;

/** Undefined for a task with words of a relative time, which no series has. */
function readPlace({ name }: TaskRecord) {
  const found = parseCampaignMark(name);
  if (found === undefined || found.mark.relativeTimeHash !== undefined) return undefined;
  return { name: found.name, campaign: found.mark.campaignHash, key: found.mark.keyHash };
}

/** Returns `series, 3 of 6`. */
export function formatPlaceInSeries<T extends TaskRecord>(record: T, { tasks }: TaskSeries<T>): string {
  return `series, ${tasks.indexOf(record) + 1} of ${tasks.length}`;
}

/**
 * Returns sentences such as `This task is number 3 of 6 in the series “News”.`
 * @param series the one that `findTaskSeries` has for the task
 * @param now Unix seconds by the service's clock
 */
export function describePlaceInSeries<T extends TaskRecord>(
  record: T,
  series: TaskSeries<T>,
  now: number,
  formatMoment: (unixSeconds: number) => string,
): readonly string[] {
  const { name, campaign, tasks } = series;
  const next = tasks.find((each) => !each.cancelled && !each.completed && each.scheduledtime > now);
  const coming =
    next === undefined
      ? 'No later task of the series exists yet'
      : next === record
        ? 'It is the next one to come'
        : `The next one to come is task ${next.id}: ${formatMoment(next.scheduledtime)}`;
  return [
    `This task is number ${tasks.indexOf(record) + 1} of ${tasks.length} in the series “${name}” of campaign ${campaign}, as far as its tasks exist. ${coming}.`,
    ...(record.cancelled && !isMarkedAsSetAside(record.name)
      ? ['It was cancelled by hand, so svc apply leaves it cancelled (--overwrite creates it again).']
      : []),
  ];
}
