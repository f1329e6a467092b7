/** Texts that a report has both on a terminal and on the HTML page. */

import { channelOfRecord } from '../../../client/sends/cost.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { type TaskRecord, taskPhase } from '../../../service/resources/task.ts';
import type { Clocks, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { readFromSandbox } from '../../session/sandbox-control.ts';
import {
  type ComparedTaskFigure,
  compareTaskFigures,
  computeTaskFigures,
  countOf,
  PAST_TENSES,
  sizeOf,
  sortStatisticRows,
  type TaskAndComparedTask,
  type TaskReportFigure,
} from './report-figures.ts';
import { channelWord, describeTaskProgress } from './task-words.ts';

/** The size is `subscriptions`, or `size` before the task was sent. */
export function formatTaskStatisticLabel(statistic: TaskReportFigure['statistic'], isSent: boolean): string {
  if (statistic === 'size') return isSent ? 'subscriptions' : 'size';
  return PAST_TENSES[statistic];
}

/** The size of any other task counts planned recipients. `now` is in Unix seconds. */
const isSent = (record: TaskRecord, now: number): boolean =>
  ['sending', 'completed'].includes(taskPhase(record, now));

/** Returns `e-mail, 2026-12-01 09:00 Europe/London, completed after 2 minutes`. */
export async function formatTaskState(session: Clocks, record: TaskRecord): Promise<string> {
  const zone = await session.tableZone();
  const start = formatTime(Number(record.scheduledtime), zone, 'table');
  return `${channelWord(record)}, ${start} ${zone}, ${describeTaskProgress(record, await session.serviceNow()).words}`;
}

/** Recipients to whom a started task sent the message, and whom it skipped. Only a sandbox reports them. */
export interface SendCounts {
  readonly sent: number;
  readonly skipped: number;
}

/** Undefined unless a sandbox on this machine has started the task. */
export async function readSendCounts(
  session: Invocation & Tell & Profiles,
  { id }: TaskRecord,
): Promise<SendCounts | undefined> {
  const known = await readFromSandbox(session, 'task show', { id });
  const { started, sent, skipped } = known ?? {};
  return started === true && typeof sent === 'number' && typeof skipped === 'number'
    ? { sent, skipped }
    : undefined;
}

/** The number of sent messages follows the size, if it is known. A `share` of the recipients is `24.9%`, or empty. */
export function buildTaskReportLines(record: TaskRecord, now: number, counts: SendCounts | undefined) {
  const size = sizeOf(record);
  const lines = sortStatisticRows(computeTaskFigures(record)).map(({ statistic, count }) => ({
    label: formatTaskStatisticLabel(statistic, isSent(record, now)),
    count,
    share: statistic === 'size' ? '' : formatShare(count, size),
  }));
  const [first, ...results] = lines;
  if (first === undefined || counts === undefined || size === undefined) return lines;
  return [first, { label: 'sent', count: counts.sent, share: formatShare(counts.sent, size) }, ...results];
}

/** Returns the rows of a comparison. `points` and `chance` are empty if the figures can't be compared. */
export function buildComparisonLines(record: TaskRecord, other: TaskRecord, now: number) {
  const areSent = isSent(record, now) && isSent(other, now);
  const smallerSize = Math.min(sizeOf(record) ?? 0, sizeOf(other) ?? 0);
  return sortStatisticRows(compareTaskFigures(record, other)).map((figure) => ({
    figure,
    label: formatTaskStatisticLabel(figure.statistic, areSent),
    values: [
      formatComparedCount(figure, figure.task_count, record),
      formatComparedCount(figure, figure.other_count, other),
    ],
    points: figure.points === null ? '' : formatPercentagePoints(figure.points, smallerSize),
    chance: describeSignificanceOfDifference(figure),
  }));
}

/** Returns `['100', '25.0%']`. The count belongs to `record`. */
const formatComparedCount = (
  { statistic }: ComparedTaskFigure,
  count: number | null,
  record: TaskRecord,
): readonly [count: string, share: string] => [
  count === null ? '-' : groupThousands(count),
  count === null || statistic === 'size' ? '' : formatShare(count, sizeOf(record)),
];

/** Explains a report. The help has the rest. `counts` are those of a single record from a sandbox. */
export function explainTaskReport(
  [record, other]: TaskAndComparedTask,
  now: number,
  counts?: SendCounts,
): readonly string[] {
  const texts =
    other === undefined
      ? [describeClicksAsPercentOfOpens(record), explainTaskFigures([record], now, counts)]
      : [
          describeChannelDifference(record, other),
          ...explainTaskComparison(record, other),
          explainTaskFigures([record, other], now),
        ];
  return texts.filter((text) => text !== undefined);
}

function explainTaskFigures(records: readonly TaskRecord[], now: number, counts?: SendCounts): string {
  const isUnsized = records.some((record) => sizeOf(record) === undefined);
  const isSending = records.some((record) => taskPhase(record, now) === 'sending');
  return [
    ...(isSending ? ['The task is still being sent, so the counts will grow.'] : []),
    isUnsized
      ? 'The service does not show the size of some tasks, so svc shows no percentages for them.'
      : `Shares are of the subscriptions when the task was created${describeSendCounts(records, counts)}.`,
    ...(records.some((record) => channelOfRecord(record) === 'sms')
      ? ['For SMS, the service counts only bounces.']
      : []),
  ].join(' ');
}

function describeSendCounts([record]: readonly TaskRecord[], counts: SendCounts | undefined): string {
  if (counts === undefined) return '; the service does not report how many messages were sent';
  if (counts.skipped === 0) return '';
  return `; ${groupThousands(counts.skipped)} got no message: svc sandbox task skipped ${String(record?.id)}`;
}

/** Undefined without openers, or if the service counts no clicks for the channel. */
function describeClicksAsPercentOfOpens(record: TaskRecord): string | undefined {
  const [opens, clicks] = [countOf(record, 'opens'), countOf(record, 'clicks')];
  if (!opens || clicks === undefined) return undefined;
  return `Clicks are ${formatShare(clicks, opens)} of opens.`;
}

/** Below this size, one recipient is more than 0.1 %, so that a second decimal place would say nothing. */
const MIN_SIZE_OF_TWO_DECIMALS = 1000;
const decimalsOf = (size: number | undefined): number => ((size ?? 0) < MIN_SIZE_OF_TWO_DECIMALS ? 1 : 2);

/** Returns `24.9%`, or `24.94%` of 1,000 or more; empty if the size is 0 or unknown. */
const formatShare = (count: number, size: number | undefined): string =>
  size ? `${((100 * count) / size).toFixed(decimalsOf(size))}%` : '';

/** Returns `+1.3`. `size` is that of the smaller task. */
const formatPercentagePoints = (points: number, size: number): string =>
  `${points > 0 ? '+' : ''}${points.toFixed(decimalsOf(size)).replace(/^-(?=[0.]+$)/, '')}`;

function describeSignificanceOfDifference({
  points,
  may_be_chance: mayBeChance,
}: ComparedTaskFigure): '' | 'no difference' | keyof typeof MEANINGS {
  if (points === null) return '';
  if (points === 0) return 'no difference';
  if (mayBeChance === null) return 'too little data';
  return mayBeChance ? 'not significant' : 'significant';
}

/** Explains only the terms that occur in the comparison. */
function explainTaskComparison(firstTask: TaskRecord, secondTask: TaskRecord): readonly string[] {
  const [one, two] = [firstTask, secondTask].map(({ id }) => `task ${String(id)}`);
  const said = new Set<string>(
    compareTaskFigures(firstTask, secondTask).map(describeSignificanceOfDifference),
  );
  return [
    `Differences are ${one} minus ${two}, in percentage points.`,
    ...Object.entries(MEANINGS).flatMap(([word, meaning]) => (said.has(word) ? [meaning] : [])),
  ];
}

const MEANINGS = {
  'not significant': 'Not significant: p is 0.05 or more (two-proportion z-test).',
  significant:
    'Significant: p < 0.05 (two-proportion z-test). The list or the day can also cause a difference.',
  'too little data':
    'Too little data: the numbers in this row are too small for the statistical test (two-proportion z-test).',
} as const;

const describeChannelDifference = (firstTask: TaskRecord, secondTask: TaskRecord): string | undefined =>
  channelOfRecord(firstTask) === channelOfRecord(secondTask)
    ? undefined
    : 'One task sends e-mail and the other sends SMS, so only bounces can be compared.';
