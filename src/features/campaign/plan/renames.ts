/** Plans records whose marks have an earlier key, an earlier campaign or an earlier key of their message (`renamed-from`). */

import { isSameMessage, isSameSend, mayBeSameMessage } from '../../../client/sends/same-send.ts';
import type { Step } from '../model.ts';
import { blockedStep, formatIdWithRuleKind } from './messages.ts';
import { hasSameEffectAsRecord, isSameRuleRecord } from './rival-rules.ts';
import { describeRecipientsAndTime, readCampaignSendOfTaskRecord } from './rival-sends.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from './situation.ts';
import { MIN_SECONDS_BEFORE_SEND } from './task-time.ts';

/**
 * Says in the item's step that its record is renamed. A step that would keep the record becomes a rename, unless the service no longer
 * allows another name.
 * @param own record of the step. Default: the one with the id of the step
 */
export function withRename(
  situation: PlanningSituation,
  step: Step,
  own: RecordOwnedByCampaign | undefined = recordOf(situation, step),
): Step {
  if (!own?.hasEarlierMark) return step;
  const { renamedFrom } = own;
  const renamed: Step = renamedFrom === undefined ? step : { ...step, renamedFrom };
  if (step.action !== 'keep') return renamed;
  if (isNameFixed(situation, own)) {
    const reason =
      'the name of this record, with the mark of the earlier key, can no longer be changed: keep renamed-from in the file';
    return renamedFrom === undefined
      ? step
      : { ...renamed, reason: [step.reason, reason].filter(Boolean).join('; ') };
  }
  return {
    ...renamed,
    action: 'rename',
    ...(renamedFrom === undefined
      ? { reason: 'the mark of this record has the earlier key of its message' }
      : {}),
  };
}

function recordOf(
  { own }: Pick<PlanningSituation, 'own'>,
  { kind, key, id }: Step,
): RecordOwnedByCampaign | undefined {
  return key === undefined || id === undefined
    ? undefined
    : own(kind, key).find((each) => formatIdWithRuleKind(each) === id);
}

/** Reports whether the service no longer allows another name, or svc has too little time to write one. */
export function isNameFixed({ observed: { now } }: PlanningSituation, own: RecordOwnedByCampaign): boolean {
  switch (own.kind) {
    case 'task':
      return (
        own.record.completed ||
        own.record.cancelled ||
        own.record.scheduledtime - now < MIN_SECONDS_BEFORE_SEND
      );
    case 'message':
      return Number(own.record.editable) !== 1;
    default:
      return false;
  }
}

/**
 * Returns a blocked step if tasks of two keys that the item names, or its own task and one that it adopts, were different sends. svc must not
 * take them for duplicates of one task.
 * @param tasks sent and active tasks of the item
 */
export function blockTasksOfTwoKeys(
  situation: PlanningSituation,
  step: Omit<Step, 'action'>,
  [first, ...others]: readonly RecordOwnedByCampaign<'task'>[],
): Step | undefined {
  const other =
    first &&
    others.find(
      (each) =>
        (hasOtherKey(each, first) && !isSameTask(situation, each, first)) ||
        (isTakenOverBeside(each, first) && !sendsSameToSamePeople(situation, each, first)),
    );
  if (!first || !other) return undefined;
  const of = (own: RecordOwnedByCampaign<'task'>): string =>
    `task ${own.record.id} (${keyOf(own, step)}) ${own.record.completed ? 'was sent' : 'is scheduled'} ${describeRecipientsAndTime(situation, own.record)}`;
  return blockedStep(
    { ...step, id: formatIdWithRuleKind(first) },
    'state',
    `${of(first)}, and ${of(other)}: cancel one of them, or ${wayToPart(first, other)}`,
  );
}

/** Returns a blocked step if active rules of two keys that the item names, or its own rule and one that it adopts, do different things. */
export function blockRulesOfTwoKeys(
  situation: PlanningSituation,
  step: Omit<Step, 'action'>,
  first: RecordOwnedByCampaign<'automation'> | undefined,
  others: readonly RecordOwnedByCampaign<'automation'>[],
): Step | undefined {
  const other =
    first &&
    others.find(
      (each) =>
        each.record.paused !== true &&
        ((hasOtherKey(each, first) && !isSameRuleRecord(situation, each, first)) ||
          (isTakenOverBeside(each, first) && !hasSameEffectAsRecord(situation, each, first))),
    );
  if (!first || !other) return undefined;
  const of = (own: RecordOwnedByCampaign<'automation'>): string =>
    `rule ${formatIdWithRuleKind(own)} (${keyOf(own, step)})`;
  return blockedStep(
    { ...step, id: formatIdWithRuleKind(first) },
    'state',
    `${of(first)} and ${of(other)} do different things: delete one of them, or ${wayToPart(first, other)}`,
  );
}

/** An item that has a record needs none of other content: most likely, the id is a wrong one. */
const isTakenOverBeside = (a: RecordOwnedByCampaign, b: RecordOwnedByCampaign): boolean =>
  a.isTakenOver !== b.isTakenOver;

const wayToPart = (a: RecordOwnedByCampaign, b: RecordOwnedByCampaign): string =>
  isTakenOverBeside(a, b)
    ? 'remove --adopt, or the id of this item from the file'
    : 'let each item name its own earlier key';

const keyOf = ({ renamedFrom, isTakenOver }: RecordOwnedByCampaign, { key }: Omit<Step, 'action'>): string =>
  isTakenOver
    ? `adopted by ${key}`
    : `key ${renamedFrom?.key ?? key}${renamedFrom?.campaign === undefined ? '' : ` of campaign ${JSON.stringify(renamedFrom.campaign)}`}`;

const hasOtherKey = (a: RecordOwnedByCampaign, b: RecordOwnedByCampaign): boolean =>
  a.renamedFrom?.key !== b.renamedFrom?.key || a.renamedFrom?.campaign !== b.renamedFrom?.campaign;

/** At any time: a person may have moved the adopted one. */
function sendsSameToSamePeople(
  situation: PlanningSituation,
  a: RecordOwnedByCampaign<'task'>,
  b: RecordOwnedByCampaign<'task'>,
): boolean {
  const [one, other] = [a, b].map(({ record }) => readCampaignSendOfTaskRecord(situation, record));
  return one !== undefined && other !== undefined && one.to === other.to && mayBeSameMessage(one, other);
}

/** Two runs that create a task with the same relative time get two times. */
function isSameTask(
  situation: PlanningSituation,
  a: RecordOwnedByCampaign<'task'>,
  b: RecordOwnedByCampaign<'task'>,
): boolean {
  const [one, other] = [a, b].map(({ record }) => readCampaignSendOfTaskRecord(situation, record));
  if (!one || !other) return false;
  const words = a.mark.relativeTimeHash;
  const hasSameWords = words !== undefined && words === b.mark.relativeTimeHash;
  return isSameSend(one, other) || (hasSameWords && one.to === other.to && isSameMessage(one, other));
}
