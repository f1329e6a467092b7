/** Checks that an item may change the record that it adopts. */
import { parseCampaignMark } from '../marks.ts';
import type { RecordTakenOverByItem, Step, WantedItem } from '../model.ts';
import { belongsToOtherCampaign, findRecordTakenOverByItem } from './adoption.ts';
import type { PlanningSituation } from './situation.ts';
import { MIN_SECONDS_BEFORE_SEND } from './task-time.ts';

/** Returns the step, or a blocked step if the item may not change the record that it adopts. */
export function blockStepIfTakeoverForbidden(
  situation: PlanningSituation,
  item: WantedItem,
  step: Step,
): Step {
  const adopted = findRecordTakenOverByItem(item);
  if (!adopted || step.action === 'blocked') return step;
  if (step.action === 'keep')
    return adopted.isNamedByAdoptFlag ? withMarkAdded(situation, item, adopted, step) : step;
  const own = situation.own(item.kind, item.key);
  const { kind, key, name } = item;
  const blocked = { kind, key, name, action: 'blocked', blockedBy: 'reference' } as const;
  const called = `${recordKind(item)} ${adopted.id}`;
  if (own.length === 0)
    return {
      ...blocked,
      reason: `${called} not found; to create a new record, remove the id of this item from the file`,
    };
  if (!own.some(({ record }) => belongsToOtherCampaign(record, situation.campaign))) return step;
  return {
    ...blocked,
    id: step.id ?? adopted.id,
    reason: `${called} belongs to another campaign; change it in that campaign's file`,
  };
}

/** Returns a step that adds the item's mark to the name of a record that `--adopt` names, so that the next run recognizes the record. */
function withMarkAdded(
  situation: PlanningSituation,
  item: WantedItem,
  { id }: RecordTakenOverByItem,
  step: Step,
): Step {
  const own = situation.own(item.kind, item.key).find(({ record }) => String(record['id']) === id);
  if (!own || parseCampaignMark(own.record['name'])) return step;
  const { record } = own;
  const isTooSoon =
    item.kind === 'task' &&
    Number(record['scheduledtime']) - situation.observed.now < MIN_SECONDS_BEFORE_SEND;
  const isFixed =
    record['completed'] === true ||
    isTooSoon ||
    (item.kind === 'message' && Number(record['editable']) !== 1);
  if (isFixed) {
    const reason = `the name of this record can no longer be changed, so svc cannot add a mark such as [svc-…] to it; to use the record, write id: ${id} at this item in the file`;
    return { ...step, reason: step.reason === undefined ? reason : `${step.reason}; ${reason}` };
  }
  return {
    ...step,
    action: 'change',
    changes: [],
    reason: `svc uses ${recordKind(item)} ${id} for this item, and adds a mark such as [svc-…] to the name of the record, by which later runs find the record`,
  };
}

const recordKind = (item: WantedItem): string =>
  item.kind === 'message'
    ? `${item.channel === 'email' ? 'e-mail' : 'SMS'} message`
    : item.kind === 'automation'
      ? `rule ${item.rule}`
      : item.kind;
