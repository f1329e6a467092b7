/** What is planned for an item, held against whose the record is that it names. */
import type { Step, WantedItem } from '../model.ts';
import { adoptedBy, isOfAnother } from './adoption.ts';
import type { Situation } from './situation.ts';

/** The step, unless the record that its item names isn't the item's to change. */
export function withinAdoption(situation: Situation, item: WantedItem, step: Step): Step {
  const adopted = adoptedBy(item);
  if (!adopted || step.action === 'keep' || step.action === 'blocked') return step;
  const own = situation.own(item.kind, item.key);
  const { kind, key, name } = item;
  const blocked = { kind, key, name, action: 'blocked', blockedBy: 'reference' } as const;
  const called = `${recordKind(item)} ${adopted.id}`;
  if (own.length === 0)
    return {
      ...blocked,
      reason: `there is no ${called} that it could be; take id out of the file to make it anew`,
    };
  if (!own.some(({ record }) => isOfAnother(record, situation.campaign))) return step;
  return {
    ...blocked,
    id: step.id ?? adopted.id,
    reason: `${called} bears the mark of another campaign; change it in that campaign's file`,
  };
}

const recordKind = (item: WantedItem): string =>
  item.kind === 'message'
    ? `${item.channel === 'email' ? 'e-mail' : 'SMS'} message`
    : item.kind === 'automation'
      ? `rule ${item.rule}`
      : item.kind;
