import { isRelativeTime } from '../../../kit/text/time-phrase.ts';
import { similarWords } from '../../../kit/text/words.ts';
import { messageAttributesOfRule } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import type { ItemKind, MessageReference, Step, WantedItem, WantedRule, WantedTask } from '../model.ts';
import type { CampaignPlan } from './plan.ts';
import { type PlanningSituation, resolveMessage } from './situation.ts';
import { isImplausibleSendTime, resolveSendTime, sendTimeRefusal } from './task-time.ts';

export interface ItemFault {
  readonly kind: ItemKind;
  readonly key: string;
  readonly attribute: string;
  readonly message: string;
}

export function findItemFaults({
  situation,
  steps,
}: Pick<CampaignPlan, 'situation' | 'steps'>): readonly ItemFault[] {
  return situation.campaign.items.flatMap((item) => {
    const step = steps.find(({ kind, key }) => kind === item.kind && key === item.key);
    if (item.kind === 'task') return taskFaults(situation, item, step);
    return item.kind === 'automation' ? ruleFaults(situation, item) : [];
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
    return reference ? referenceFault(situation, item, attribute, attribute, reference, channel) : [];
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
