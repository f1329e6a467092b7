import { isRelativeTime } from '../../../kit/text/time-phrase.ts';
import { similarWords } from '../../../kit/text/words.ts';
import { messageAttributesOfRule } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { ItemKind, MessageReference, Step, WantedItem, WantedRule, WantedTask } from '../model.ts';
import { parseStepItemKey } from '../sequences.ts';
import { findSeriesFault, keyInFile, parseOccurrenceKey } from '../series.ts';
import type { CampaignPlan } from './plan.ts';
import { type PlanningSituation, resolveMessage } from './situation.ts';
import { isImplausibleSendTime, resolveSendTime, sendTimeRefusal } from './task-time.ts';

export interface ItemFault {
  readonly kind: ItemKind;
  readonly key: string;
  readonly attribute: string;
  readonly message: string;
}

/** The key is that in the file: a fault of an occurrence is one of its series. */
export function findItemFaults({
  situation,
  steps,
}: Pick<CampaignPlan, 'situation' | 'steps'>): readonly ItemFault[] {
  const faults = situation.campaign.items.flatMap((item) => {
    const step = steps.find(({ kind, key }) => kind === item.kind && key === item.key);
    if (item.kind === 'task') return taskFaults(situation, item, step);
    return item.kind === 'automation' ? ruleFaults(situation, item) : [];
  });
  return [...faults.map((fault) => ({ ...fault, key: keyInFile(fault.key) })), ...seriesFaults(situation)];
}

function seriesFaults(situation: PlanningSituation): readonly ItemFault[] {
  return [...situation.series.values()].flatMap(({ task, occurrences }) => {
    const fault = (attribute: string, message: string): ItemFault => ({
      ...{ kind: 'task', key: task.key },
      ...{ attribute, message },
    });
    // A first time that the clocks skip gives a series no times, and so no tasks that could report it.
    if (occurrences.length === 0) return timeFault(situation, task, undefined);
    const found = findSeriesFault(task, situation.options.zone);
    const adopted = Object.keys(situation.options.adopt ?? {}).flatMap((name) => {
      const key = name.replace(/^task /, '');
      const isOfSeries = parseOccurrenceKey(key)?.series === task.key;
      return isOfSeries && !occurrences.some((each) => each.key === key) ? [key] : [];
    });
    return [
      ...adopted.map((key) => fault('repeat', `--adopt ${key}: the series has no such day`)),
      ...(found === undefined ? [] : [fault(found.attribute, found.reason)]),
      ...findMarkClashes(situation, task.key).map((reason) => fault('repeat', reason)),
    ];
  });
}

/** A mark has five letters for a key, so that two of many keys may have the same. `findSeriesFault` compares those of one series. */
function findMarkClashes({ named, series }: PlanningSituation, own: string): readonly string[] {
  const hashes = new Map(
    named.flatMap(({ kind, key }) =>
      kind === 'task' && keyInFile(key) !== own ? [[computeItemKeyHash('task', key), key] as const] : [],
    ),
  );
  return (series.get(own)?.occurrences ?? []).flatMap(({ key }) => {
    const other = hashes.get(computeItemKeyHash('task', key));
    return other === undefined
      ? []
      : [`svc cannot distinguish ${key} and task ${other} by their marks; choose another key`];
  });
}

function taskFaults(
  situation: PlanningSituation,
  item: WantedTask,
  step: Step | undefined,
): readonly ItemFault[] {
  const own = situation.own('task', item.key);
  // The message of a task that was sent may have been deleted since.
  const isSent = own.some(({ record }) => record.completed === true);
  return [
    ...(isSent ? [] : referenceFault(situation, item, 'message_id', 'message', item.message, item.channel)),
    ...timeFault(situation, item, step),
  ];
}

function timeFault(
  situation: PlanningSituation,
  item: WantedTask,
  step: Step | undefined,
): readonly ItemFault[] {
  const fault = (message: string): ItemFault => ({
    kind: 'task',
    key: item.key,
    attribute: 'scheduledtime',
    message,
  });
  const timed = resolveSendTime(situation, item, undefined);
  if ('fault' in timed) {
    // An existing task keeps the time that its words meant when it was made.
    if (isRelativeTime(item.at) && step?.blockedBy !== 'time') return [];
    const instead = timed.instead === undefined ? '' : `; write ${timed.instead}`;
    return [fault(`${timed.fault}${instead}`)];
  }
  const { now } = situation.observed;
  const isToBeMade = step?.blockedBy === 'time' || step?.blockedBy === 'reference';
  return isToBeMade && isImplausibleSendTime(timed.time, now)
    ? [fault(`at: ${sendTimeRefusal(item, timed.time, now)}`)]
    : [];
}

function ruleFaults(situation: PlanningSituation, item: WantedRule): readonly ItemFault[] {
  return Object.entries(messageAttributesOfRule(item.rule, item.values)).flatMap(([attribute, channel]) => {
    const reference = item.references[attribute];
    const called = parseStepItemKey(item.key) === undefined ? attribute : 'message';
    return reference ? referenceFault(situation, item, attribute, called, reference, channel) : [];
  });
}

/** Keys of the file are checked when the file is read. */
function referenceFault(
  situation: PlanningSituation,
  { kind, key }: WantedItem,
  attribute: string,
  called: string,
  reference: MessageReference,
  channel: Channel | null,
): readonly ItemFault[] {
  if ('key' in reference) return [];
  const found = resolveMessage(situation, reference, channel ?? undefined);
  if (!('fault' in found)) return [];
  const keys = situation.campaign.items.flatMap((item) => (item.kind === 'message' ? [item.key] : []));
  const [near] = 'name' in reference ? similarWords(reference.name, keys) : [];
  const instead = near === undefined ? '' : `; did you mean ${near}?`;
  return [{ kind, key, attribute, message: `${called}: ${found.fault}${instead}` }];
}
