/** Finds the times of series in campaign files for which no run of `svc apply` has created a task yet. */

import type { Campaign } from '../../../features/campaign/model.ts';
import { planSeries } from '../../../features/campaign/plan/series.ts';
import type { Occurrence, SeriesTask } from '../../../features/campaign/series.ts';
import { type Id, parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import type { Channel, TaskRecord } from '../../../service/resources/task.ts';

/** A time of a series in the calendar. It has no task, so no id. */
export interface UncreatedTask {
  readonly key: string;
  readonly name: string;
  readonly channel: Channel | null;
  readonly list_id: Id | null;
  readonly search_id: Id | null;
  readonly scheduledtime: number;
  /** Start in the company's time zone: `2026-12-01 09:00`. */
  readonly local: string;
}

/** @param tasks all tasks of the company, because a person may have moved one */
export function listUncreatedTasks(
  campaigns: readonly Campaign[],
  tasks: readonly TaskRecord[],
  { zone, now }: { readonly zone: string; readonly now: number },
): readonly UncreatedTask[] {
  const found = campaigns.flatMap((campaign) =>
    planSeries(campaign, { tasks, now }, { overwrite: false, prune: false, zone }).series.flatMap(
      ({ task, uncreated }) => uncreated.map((each) => toTask(campaign, task, each, zone)),
    ),
  );
  return found.toSorted((a, b) => a.scheduledtime - b.scheduledtime);
}

function toTask(
  { items }: Campaign,
  { name, message, channel, list, search }: SeriesTask,
  { key, time }: Occurrence,
  zone: string,
): UncreatedTask {
  const own = items.find((item) => item.kind === 'message' && 'key' in message && item.key === message.key);
  return {
    ...{ key, name, list_id: idOf(list), search_id: idOf(search), scheduledtime: time },
    channel: own?.kind === 'message' ? own.channel : channel,
    local: formatTime(time, zone, 'table'),
  };
}

const idOf = (digits: string | null): Id | null => (digits === null ? null : parseIntegerDigits(digits));
