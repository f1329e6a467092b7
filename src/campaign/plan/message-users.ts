/** Finds what still uses a message that the file no longer names. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';
import { readMark, SET_ASIDE } from '../marks.ts';
import type { ItemKind, Observed, Step } from '../model.ts';
import { messageAttributes } from './rule-references.ts';
import { isLive } from './same-sends.ts';
import type { Own } from './situation.ts';

/**
 * Returns the first task or rule that uses the message and goes on using it after the steps. A deleted message is
 * hidden but still sent (interface, "States"), so nobody could tell any more what that task or rule sends.
 */
export function userOf(
  observed: Observed,
  { record: { id }, channel }: Own,
  steps: readonly Step[],
): string | undefined {
  const task = observed.tasks.find(
    (each) =>
      isLive(each) &&
      each['channel'] === channel &&
      String(each['message_id']) === String(id) &&
      !isLetGo(steps, 'task', String(each['id'])),
  );
  if (task) return `task ${String(task['id'])}`;
  for (const [rule, rows] of Object.entries(observed.rules) as [RuleKind, readonly JsonObject[]][]) {
    const isUser = (row: JsonObject): boolean =>
      Object.entries(messageAttributes(rule, row)).some(
        ([attribute, of]) => of === channel && String(row[attribute]) === String(id),
      );
    const found = rows.find(
      (row) => isUser(row) && !isOver(row) && !isLetGo(steps, 'automation', `${rule}:${String(row['id'])}`),
    );
    if (found) return `rule ${rule}:${String(found['id'])}`;
  }
  return undefined;
}

/** Returns whether a rule was set aside for another and is still paused. */
const isOver = ({ name, paused }: JsonObject): boolean =>
  paused === true && readMark(name)?.mark.content === SET_ASIDE;

/** Returns whether a step takes the record away, or points it to another message. */
const isLetGo = (steps: readonly Step[], kind: ItemKind, id: string): boolean =>
  steps.some(
    (step) =>
      step.kind === kind &&
      step.id === id &&
      (step.action === 'cancel' ||
        step.action === 'replace' ||
        (step.action === 'change' &&
          (step.changes ?? []).some(({ attribute }) => POINTING.includes(attribute)))),
  );

const POINTING: readonly string[] = ['message_id', 'actiontarget'];
