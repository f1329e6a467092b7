/** Checks that an item may change the record that it adopts. */
import { readMark } from '../marks.ts';
import type { Adopted, Step, WantedItem } from '../model.ts';
import { adoptedBy, isOfAnother } from './adoption.ts';
import type { Situation } from './situation.ts';
import { LEAST_AHEAD } from './task-time.ts';

/** Returns the step, or a blocked step if the item may not change the record that it adopts. */
export function withinAdoption(situation: Situation, item: WantedItem, step: Step): Step {
  const adopted = adoptedBy(item);
  if (!adopted || step.action === 'blocked') return step;
  if (step.action === 'keep') return adopted.isClaimed ? claimed(situation, item, adopted, step) : step;
  const own = situation.own(item.kind, item.key);
  const { kind, key, name } = item;
  const blocked = { kind, key, name, action: 'blocked', blockedBy: 'reference' } as const;
  const called = `${recordKind(item)} ${adopted.id}`;
  if (own.length === 0)
    return {
      ...blocked,
      reason: `${called} not found; remove id from the file to create the item`,
    };
  if (!own.some(({ record }) => isOfAnother(record, situation.campaign))) return step;
  return {
    ...blocked,
    id: step.id ?? adopted.id,
    reason: `${called} belongs to another campaign; change it in that campaign's file`,
  };
}

/**
 * Gives the item's mark to a record that `--adopt` names, even if the record does not differ otherwise, so that the next run recognizes the
 * record.
 */
function claimed(situation: Situation, item: WantedItem, { id }: Adopted, step: Step): Step {
  const own = situation.own(item.kind, item.key).find(({ record }) => String(record['id']) === id);
  if (!own || readMark(own.record['name'])) return step;
  const { record } = own;
  const isTooSoon =
    item.kind === 'task' && Number(record['scheduledtime']) - situation.observed.now < LEAST_AHEAD;
  const isFixed =
    record['completed'] === true ||
    isTooSoon ||
    (item.kind === 'message' && Number(record['editable']) !== 1);
  if (isFixed) {
    const reason = `the name of this record can no longer be changed, so svc cannot mark it; write id: ${id} in the file`;
    return { ...step, reason: step.reason === undefined ? reason : `${step.reason}; ${reason}` };
  }
  return {
    ...step,
    action: 'change',
    changes: [],
    reason: `it is ${recordKind(item)} ${id}, which gets its mark`,
  };
}

const recordKind = (item: WantedItem): string =>
  item.kind === 'message'
    ? `${item.channel === 'email' ? 'e-mail' : 'SMS'} message`
    : item.kind === 'automation'
      ? `rule ${item.rule}`
      : item.kind;
