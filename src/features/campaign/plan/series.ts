/** Decides which occurrences of a series a plan has: the next ones, and those whose tasks can still change. */

import { isActiveTask } from '../../../client/sends/same-send.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import { parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { Campaign, ObservedCompanyRecords, Step, TaskRecord, WantedItem, WantedTask } from '../model.ts';
import type { Plan } from '../plan-file/plan-parts.ts';
import { createOwnMarkReader } from '../renames.ts';
import {
  type CampaignSeries,
  expandSeries,
  formatOccurrenceKey,
  isSeries,
  LEAST_DISTANCE,
  listOccurrences,
  type Occurrence,
  parseOccurrenceKey,
  type SeriesTask,
  taskOfOccurrence,
} from '../series.ts';
import { createDoubleSayer } from './allowed-doubles.ts';
import { blockedStep, formatIdWithRuleKind } from './messages.ts';
import type { PlanningSituation, PlanOptions, RecordOwnedByCampaign } from './situation.ts';
import { MIN_SECONDS_BEFORE_SEND } from './task-time.ts';

export interface SeriesState extends CampaignSeries {
  /** Occurrences whose time passed before svc made their tasks. svc never makes them. */
  readonly skipped: readonly Occurrence[];
  readonly sent: readonly Occurrence[];
  /** Occurrences that a later plan makes. */
  readonly later: readonly Occurrence[];
  /** Occurrences to come for which no run has made a task, in this plan or a later one. */
  readonly uncreated: readonly Occurrence[];
}

/**
 * The next occurrences count from the moment at which the plan was made, so that the same plan has the same steps later.
 * @returns items of the plan, in the order of the file, and the tasks of all other occurrences
 */
export function planSeries(
  campaign: Campaign,
  observed: Pick<ObservedCompanyRecords, 'tasks' | 'now'>,
  options: PlanOptions,
): {
  readonly items: readonly WantedItem[];
  readonly others: readonly WantedTask[];
  readonly series: readonly SeriesState[];
} {
  const others: WantedTask[] = [];
  const series: SeriesState[] = [];
  const { items } = campaign;
  const tasksOf = items.some(isSeries) ? findTasksByItem(campaign, observed, options) : () => [];
  const planned = items.flatMap((item): readonly WantedItem[] => {
    if (!isSeries(item)) return [item];
    const occurrences = listOccurrences(item, options.zone);
    const isAhead = isAheadOf(item, options.madeAt ?? observed.now);
    const next = new Set(occurrences.filter(isAhead).slice(0, item.repeat.ahead));
    const found = occurrences.map((occurrence) => {
      const task = taskOfOccurrence(item, occurrence);
      return { occurrence, task, records: tasksOf(task) };
    });
    const isPlanned = ({ occurrence, records }: (typeof found)[number]): boolean =>
      next.has(occurrence) ||
      records.some(isActiveTask) ||
      options.adopt?.[`task ${occurrence.key}`] !== undefined;
    const rest = found.filter((each) => !isPlanned(each));
    const past = rest.filter(({ occurrence }) => !isAhead(occurrence));
    series.push({
      task: item,
      occurrences,
      skipped: past.flatMap(({ occurrence, records }) => (records.length === 0 ? [occurrence] : [])),
      sent: found.flatMap(({ occurrence, records }) =>
        records.some(({ completed }) => completed) ? [occurrence] : [],
      ),
      later: rest.flatMap(({ occurrence }) => (isAhead(occurrence) ? [occurrence] : [])),
      uncreated: found.flatMap(({ occurrence, records }) =>
        records.length === 0 && isAhead(occurrence) ? [occurrence] : [],
      ),
    });
    others.push(...rest.map(({ task }) => task));
    return found.filter(isPlanned).map(({ task }) => task);
  });
  return { items: planned, others, series };
}

/** Returns the items of a plan file: of a series, the tasks of the occurrences that have a step. */
export function itemsOfPlan({
  inputs: { wanted, options },
  steps,
}: Pick<Plan, 'inputs' | 'steps'>): readonly WantedItem[] {
  const keys = new Set(steps.flatMap(({ kind, key }) => (kind === 'task' ? [key] : [])));
  return expandSeries(wanted.items, options.zone, ({ key }) => keys.has(key));
}

/** Reports whether svc can still make the task of an occurrence. */
const isAheadOf =
  ({ hold }: SeriesTask, now: number) =>
  ({ time }: Occurrence): boolean =>
    time - now >= Math.max(MIN_SECONDS_BEFORE_SEND, hold ?? 0);

function findTasksByItem(
  campaign: Campaign,
  { tasks }: Pick<ObservedCompanyRecords, 'tasks'>,
  { adopt = {}, zone }: PlanOptions,
): (task: WantedTask) => readonly TaskRecord[] {
  const readOwnMark = createOwnMarkReader(campaign, expandSeries(campaign.items, zone));
  const byKey = new Map<string, TaskRecord[]>();
  const byId = new Map(tasks.map((record) => [String(record.id), record]));
  for (const record of tasks) {
    const found = parseCampaignMark(record.name)?.mark;
    const own = found && readOwnMark('task', found);
    if (own) byKey.set(own.mark.keyHash, [...(byKey.get(own.mark.keyHash) ?? []), record]);
  }
  return ({ key, adopted }) => {
    const adoptedRecord = byId.get(adopt[`task ${key}`] ?? adopted?.id ?? '');
    return [
      ...(byKey.get(computeItemKeyHash('task', key)) ?? []),
      ...(adoptedRecord === undefined ? [] : [adoptedRecord]),
    ];
  };
}

/** Undefined for a task that is no occurrence. */
export function seriesOf(
  { series }: Pick<PlanningSituation, 'series'>,
  { key }: Pick<WantedTask, 'key'>,
): CampaignSeries | undefined {
  const parsed = parseOccurrenceKey(key);
  return parsed && series.get(parsed.series);
}

/**
 * Reports whether a task without a mark may be the task of this occurrence. It is that of the nearest occurrence. If that one has a task of
 * its own, a task that is not sent yet may be that of any occurrence.
 */
export function mayBeTaskOfOccurrence(
  situation: PlanningSituation,
  wanted: WantedTask,
  unmarked: TaskRecord,
): boolean {
  const occurrences = seriesOf(situation, wanted)?.occurrences;
  if (occurrences === undefined) return true;
  const distance = ({ time }: Occurrence): number => Math.abs(time - unmarked.scheduledtime);
  const least = Math.min(...occurrences.map(distance));
  const nearest = occurrences.filter((each) => distance(each) === least);
  if (nearest.some(({ key }) => key === wanted.key)) return true;
  return isActiveTask(unmarked) && nearest.every(({ key }) => situation.own('task', key).length > 0);
}

/**
 * If the file moves a series to other days, tasks of its earlier days are orphaned, and would be sent too. They block new tasks that are
 * nearer to them than two times of the series.
 */
export function blockBesideEarlierDays(situation: PlanningSituation, wanted: WantedTask, step: Step): Step {
  const series = seriesOf(situation, wanted);
  const { options, observed, unnamed } = situation;
  const { time } = step;
  if (series === undefined || options.both || step.action !== 'create' || time === undefined) return step;
  const other = unnamed.find(
    (own): own is RecordOwnedByCampaign<'task'> =>
      own.kind === 'task' &&
      isActiveTask(own.record) &&
      // `--prune` cancels the others before svc makes this task.
      (!options.prune || own.record.scheduledtime <= observed.now) &&
      Math.abs(own.record.scheduledtime - time) < LEAST_DISTANCE[series.task.repeat.every] &&
      isTaskOfSeries(series.task, own),
  );
  if (other === undefined) return step;
  const { kind, key, name } = step;
  const id = formatIdWithRuleKind(other);
  return blockedStep(
    { kind, name, ...(key === undefined ? {} : { key }), time },
    'state',
    createDoubleSayer(situation)(
      `task ${id} is of an earlier day of this series, and would be sent too${describeRecipientsOfOrphan(other, options.zone)}`,
      `cancel it (svc task cancel ${id}, or --prune for all such tasks), or use --both to send both`,
    ),
  );
}

/** A person may have moved the task by some days. */
const DAYS_AROUND = 40;

export function isTaskOfSeries(
  { key, renamedFrom = [] }: Pick<WantedTask, 'key' | 'renamedFrom'>,
  { mark, record }: RecordOwnedByCampaign<'task'>,
): boolean {
  for (let days = -DAYS_AROUND; days <= DAYS_AROUND; days += 1) {
    const day = new Date((record.scheduledtime + days * 86_400) * 1000).toISOString().slice(0, 10);
    const hashOf = (series: string): string => computeItemKeyHash('task', formatOccurrenceKey(series, day));
    if ([key, ...renamedFrom].some((series) => hashOf(series) === mark.keyHash)) return true;
  }
  return false;
}

/** Returns `; it goes to list 1 (447 subscriptions) on Mon 2026-12-07 09:00`. */
export function describeRecipientsOfOrphan({ record }: RecordOwnedByCampaign<'task'>, zone: string): string {
  const { list_id, search_id, size, scheduledtime } = record;
  const target = list_id == null ? `search ${String(search_id)}` : `list ${String(list_id)}`;
  const people = typeof size === 'number' ? ` (${formatCountWithNoun(size, 'subscription')})` : '';
  return `; it goes to ${target}${people} on ${formatTime(scheduledtime, zone, 'weekday')}`;
}
