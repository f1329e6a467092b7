/**
 * Finds records whose key the file no longer has, and which a new item seems to replace. A key that was renamed without `renamed-from` must
 * not send a message again.
 */

import {
  isActiveTask,
  isSameMessage,
  isSameSend,
  type Send,
  toMinute,
} from '../../../client/sends/same-send.ts';
import { computeItemKeyHash, computeRelativeTimeHash } from '../marks.ts';
import type { Step, TaskRecord, WantedTask } from '../model.ts';
import { LEAST_DISTANCE, type SeriesTask } from '../series.ts';
import { createDoubleSayer } from './allowed-doubles.ts';
import { describeNewKey } from './messages.ts';
import {
  describeRecipientsAndTime,
  findCampaignSendOfWantedTask,
  isSentAlready,
  isWritten,
  itemAndTime,
  readCampaignSendOfTaskRecord,
} from './rival-sends.ts';
import { isTaskOfSeries, seriesOf } from './series.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from './situation.ts';
import { relativeTimeText } from './task-time.ts';

type VanishedTask = RecordOwnedByCampaign<'task'>;

/**
 * Blocks the step if a vanished task has the same recipients and either the message or the time of the new item. A task that was sent or
 * cancelled by hand counts only if all else is equal.
 */
export function blockVanishedTask(situation: PlanningSituation, wanted: WantedTask, step: Step): Step {
  if (situation.options.both || step.time === undefined || !isWritten(step)) return step;
  const send = findCampaignSendOfWantedTask(situation, wanted, step.time);
  if (!send || isSentAlready(situation, step, send)) return step;
  const vanished = findVanishedTask(situation, wanted, send);
  return vanished ? { ...itemAndTime(step), action: 'blocked', ...vanished } : step;
}

function findVanishedTask(
  situation: PlanningSituation,
  wanted: WantedTask,
  send: Send,
): Pick<Step, 'blockedBy' | 'reason'> | undefined {
  const { observed, options, unnamed } = situation;
  const series = seriesOf(situation, wanted);
  const isNew = situation.own('task', wanted.key).length === 0;
  const isAtAnotherTime = ({ record }: VanishedTask): number =>
    toMinute(record.scheduledtime) === toMinute(send.time) ? 0 : 1;
  // Of the times of a series with a new key, the one at the same time has lost this item.
  const tasks = unnamed.filter((own): own is VanishedTask => own.kind === 'task' && !own.isSetAside);
  for (const own of tasks.toSorted((a, b) => isAtAnotherTime(a) - isAtAnotherTime(b))) {
    const { record } = own;
    const found = readCampaignSendOfTaskRecord(situation, record);
    if (found.to !== send.to) continue;
    if (series && isNew && record.completed === true && wasSentBeside(series.task, own, found, send))
      return { blockedBy: 'state', reason: describeSentBeside(situation, series.task, record, found) };
    // `blockBesideEarlierDays` decides about other days of the same series.
    if (series && isTaskOfSeries(series.task, own)) continue;
    if (isActiveTask(record)) {
      // svc cannot cancel a task that is being sent.
      const isRemoved = options.prune && record.scheduledtime > observed.now;
      if (isRemoved || !(isSameSend(found, send) || (isNew && isSameMessageOrTime(found, send)))) continue;
      return {
        blockedBy: 'state',
        reason: describeActive(situation, wanted, own, describeSends(found, send)),
      };
    }
    if (!isNew || !isSameMessage(found, send) || !hasSameTime(wanted, own, send)) continue;
    if (record.completed === true)
      return {
        blockedBy: 'state',
        reason: describeOver(situation, wanted, own, 'was sent', '--both sends it again'),
      };
    if (!options.overwrite)
      return {
        blockedBy: 'drift',
        reason: describeOver(situation, wanted, own, 'was cancelled by hand', '--overwrite creates it again'),
      };
  }
  return undefined;
}

/**
 * Reports whether the same text was sent for an earlier day of the series, or before the task had `repeat`, nearer than two of its times. The
 * text of a message that was deleted since may be the same.
 */
const wasSentBeside = (series: SeriesTask, own: VanishedTask, found: Send, send: Send): boolean =>
  Math.abs(found.time - send.time) < LEAST_DISTANCE[series.repeat.every] &&
  (found.content === undefined || found.content === send.content) &&
  (isTaskOfSeries(series, own) || isTaskBeforeSeries(series, own));

const isTaskBeforeSeries = ({ key, renamedFrom = [] }: WantedTask, { mark }: VanishedTask): boolean =>
  [key, ...renamedFrom].some((each) => computeItemKeyHash('task', each) === mark.keyHash);

const isSameMessageOrTime = (a: Send, b: Send): boolean =>
  isSameMessage(a, b) || toMinute(a.time) === toMinute(b.time);

const hasSameTime = (wanted: WantedTask, { mark, record }: VanishedTask, { time }: Send): boolean => {
  const words = relativeTimeText(wanted);
  return words === undefined
    ? toMinute(record.scheduledtime) === toMinute(time)
    : mark.relativeTimeHash === computeRelativeTimeHash(words);
};

function describeSends(found: Send, send: Send): string {
  if (!isSameMessage(found, send)) return 'sends another message to the same recipients at the same time';
  return `sends the same message to the same recipients at ${toMinute(found.time) === toMinute(send.time) ? 'the same' : 'another'} time`;
}

/** A task that gets `repeat`, or loses it, has its key already, and `renamed-from` takes no key of a time. */
function describeKept(situation: PlanningSituation, wanted: WantedTask, own: VanishedTask): string {
  const { key } = wanted;
  const id = String(own.record.id);
  const series = seriesOf(situation, wanted);
  const isConverted = series ? isTaskBeforeSeries(series.task, own) : isTaskOfSeries(wanted, own);
  return isConverted
    ? `it is of this item ${series ? 'before it had' : 'while it had'} repeat, and --adopt ${key}=${id} keeps it`
    : describeNewKey(key, id);
}

function describeActive(
  situation: PlanningSituation,
  wanted: WantedTask,
  own: VanishedTask,
  sends: string,
): string {
  const { record } = own;
  const id = String(record.id);
  const to = describeRecipientsAndTime(situation, record);
  const prune =
    record.scheduledtime > situation.observed.now
      ? `--prune cancels task ${id} ${to}, and creates this one`
      : `task ${id} is being sent`;
  return createDoubleSayer(situation)(
    `task ${id}, which the file no longer names, ${sends}`,
    `${describeKept(situation, wanted, own)}; ${prune}; --both sends both to the same people`,
    to,
  );
}

const describeSentBeside = (
  situation: PlanningSituation,
  { repeat }: SeriesTask,
  record: TaskRecord,
  { content }: Send,
): string =>
  createDoubleSayer(situation)(
    `task ${record.id}, which the file no longer names, has sent ${content === undefined ? 'a message that was deleted since' : 'the same message'} ${describeRecipientsAndTime(situation, record)}, which is nearer than two times of this series (every ${repeat.every})`,
    'begin the series later, or use --both to send the message again',
  );

const describeOver = (
  situation: PlanningSituation,
  wanted: WantedTask,
  own: VanishedTask,
  ended: string,
  again: string,
): string =>
  createDoubleSayer(situation)(
    `task ${own.record.id}, which the file no longer names, sends the same message to the same recipients and ${ended} (${describeRecipientsAndTime(situation, own.record)})`,
    `${describeKept(situation, wanted, own)}; ${again}`,
  );
