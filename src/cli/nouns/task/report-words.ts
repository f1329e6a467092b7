/** What a report says of its numbers, in the terminal and on its page alike. */
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { phaseOf } from '../../../resources/task-status.ts';
import { channelOf } from '../../../sends/cost.ts';
import { formatTime } from '../../../text/timezone.ts';
import { grouped } from '../../output/bar.ts';
import type { Session } from '../../session/session.ts';
import { progressOf } from './progress.ts';
import {
  type ComparedFigure,
  comparedFigures,
  countOf,
  type Figure,
  sizeOf,
  statisticsOf,
} from './report-figures.ts';
import { whatTheyDid } from './statistics.ts';
import { channelWord } from './task-words.ts';

/** How a funnel goes on: what was wanted, then what was not. */
const FUNNEL = ['size', 'opens', 'clicks', 'unsubscriptions', 'bounces', 'complaints'] as const;

/** In the order of a funnel. */
export const asFunnel = <T extends { readonly statistic: Figure['statistic'] }>(
  figures: readonly T[],
): readonly T[] => FUNNEL.flatMap((wanted) => figures.find(({ statistic }) => statistic === wanted) ?? []);

/** `sent to`, `opened`. Where nothing has been sent yet, the size is no more than that. */
export function labelOf(statistic: Figure['statistic'], isSent: boolean): string {
  if (statistic === 'size') return isSent ? 'sent to' : 'size';
  return whatTheyDid(statistic);
}

/** The size goes by how many it was to be sent to: before the start, and of one that was called off, nobody was. */
export const isSent = (record: JsonObject, now: number): boolean =>
  ['sending', 'completed'].includes(phaseOf(record, now));

/** `task 12 (Spring)` */
export const titleIn = (record: JsonObject): string => titleOf(task, record);

/** When it started, and how far it is: `e-mail, 2026-12-01 09:00 Europe/London, completed after 2 minutes`. */
export async function stateOf(session: Session, record: JsonObject): Promise<string> {
  const zone = await session.tableZone();
  const start = formatTime(Number(record['scheduledtime']), zone, 'table');
  return `${channelWord(record)}, ${start} ${zone}, ${progressOf(record, await session.serviceNow()).words}`;
}

/** What the numbers are, a sentence or a few. */
export function explanationOf(records: readonly JsonObject[], now: number): string {
  const isUnsized = records.some((record) => sizeOf(record) === undefined);
  const isSending = records.some((record) => phaseOf(record, now) === 'sending');
  const name = records.every((record) => isSent(record, now)) ? '"Sent to" is the size:' : 'The size is';
  return [
    ...(isSending ? ['It is still being sent: the counts grow.'] : []),
    isUnsized
      ? 'Where the service shows no size, there are no percentages.'
      : `${name} the number of subscriptions found when the task was made. Who it is really sent to can differ, and the service does not count that.`,
    ...(records.some((record) => statisticsOf(record).length > 1)
      ? ['The other counts are of unique recipients, and percentages are of the size.']
      : []),
    ...(records.some((record) => channelOf(record) === 'sms')
      ? ['Of an SMS the service counts bounces alone.']
      : []),
  ].join(' ');
}

/** Undefined where nobody opened it, or the channel doesn't count that. */
export function clicksOfOpens(record: JsonObject): string | undefined {
  const [opens, clicks] = [countOf(record, 'opens'), countOf(record, 'clicks')];
  if (!opens || clicks === undefined) return undefined;
  return `The clicks are ${((100 * clicks) / opens).toFixed(2)}% of the opens.`;
}

/** `3,100`; `-` of none. */
export const countText = (count: number | null): string => (count === null ? '-' : grouped(count));

/** `24.94%`; empty of none. */
export const percentText = (percent: number | null): string =>
  percent === null ? '' : `${percent.toFixed(2)}%`;

/** `+1.25` */
export const pointsNumber = (points: number): string =>
  `${points > 0 ? '+' : ''}${(points === 0 ? 0 : points).toFixed(2)}`;

/** `+1.25 points` */
export const pointsText = (points: number): string => `${pointsNumber(points)} points`;

/** Empty of what can't be compared at all. */
export function chanceWord({
  points,
  may_be_chance: mayBeChance,
}: ComparedFigure): '' | 'no difference' | keyof typeof MEANINGS {
  if (points === null) return '';
  if (points === 0) return 'no difference';
  if (mayBeChance === null) return 'too few to tell';
  return mayBeChance ? 'may be chance' : 'hardly chance';
}

/** What the words of a comparison mean, those that stand in it. */
export function comparisonExplained(record: JsonObject, other: JsonObject): readonly string[] {
  const [one, two] = [record, other].map(({ id }) => `task ${String(id)}`);
  const said = new Set<string>(comparedFigures(record, other).map(chanceWord));
  return [
    `Differences are ${one} less ${two}, in percentage points.`,
    ...Object.entries(MEANINGS).flatMap(([word, meaning]) => (said.has(word) ? [meaning] : [])),
  ];
}

const MEANINGS = {
  'may be chance':
    '"May be chance": two sends of the same worth differ as much in more than one case of twenty (two-proportion z-test).',
  'hardly chance':
    '"Hardly chance": two sends of the same worth differ as much in fewer than one case of twenty (two-proportion z-test). ' +
    'The cause may be the list or the day as well as the message.',
  'too few to tell': '"Too few to tell": fewer than 5 would be expected in one of the two.',
} as const;

/** Undefined where both have the same channel. */
export const channelsDiffer = (record: JsonObject, other: JsonObject): string | undefined =>
  channelOf(record) === channelOf(other)
    ? undefined
    : 'One is an e-mail and the other an SMS: bounces are all that both have.';
