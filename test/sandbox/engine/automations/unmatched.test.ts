/** Interface, "Events": what each kind of rule matches. Here it is told why a rule did not. */
import { beforeEach, expect, it } from 'vitest';
import { unmatchedRules, unmatchedSmsRules } from '../../../../src/sandbox/engine/automations/unmatched.ts';
import type { Trigger } from '../../../../src/sandbox/store/automations.ts';
import { createEngineWorld, type EngineWorld } from '../../../support/automation-engine.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const NONE: ReadonlySet<number> = new Set();
const reasons = async (trigger: Trigger, matched = NONE) =>
  (await unmatchedRules(world.db, IDS.company, trigger, matched)).map(({ ruleId, why }) => [ruleId, why]);

it('a click: another link, another message, paused, or both', async () => {
  await world.rule('click', { link_id: 1, message_id: null });
  await world.rule('click', { link_id: 2, message_id: null });
  await world.rule('click', { link_id: null, message_id: 7 });
  await world.rule('click', { link_id: 1, message_id: null, paused: 1 });
  await world.rule('click', { link_id: 2, message_id: null, paused: 1 });
  const trigger = { kind: 'click', linkId: 1, messageId: 5 } as const;
  expect(await reasons(trigger, new Set([1]))).toEqual([
    [2, 'waits for link 2'],
    [3, 'waits for a link of message 7'],
    [4, 'paused'],
    [5, 'paused, waits for link 2'],
  ]);
});

it('an open, a subscription: another message, another list; rules of other companies are not listed', async () => {
  await world.rule('open', { message_id: 7 });
  await world.rule('open', { message_id: 7, account_id: IDS.other });
  await world.rule('subscription', { list_id: 2 });
  expect(await reasons({ kind: 'open', messageId: 5 })).toEqual([[1, 'waits for message 7']]);
  expect(await reasons({ kind: 'subscription', listId: 1 })).toEqual([[1, 'waits for list 2']]);
});

it('a date is of one rule alone', async () => {
  await world.rule('date', { paused: 1 });
  await world.rule('date');
  expect(await reasons({ kind: 'date', ruleId: 1, time: NOW })).toEqual([[1, 'paused']]);
});

it('an inbound SMS: another keyword, whatever its case; null only where no keyword matches', async () => {
  await world.smsRule({ keyword: 'TEA' });
  await world.smsRule({ keyword: 'coffee', paused: 1 });
  await world.smsRule({ keyword: null });
  const told = async (word: string, matched: readonly number[]) =>
    (await unmatchedSmsRules(world.db, IDS.company, word, new Set(matched))).map(({ ruleId, why }) => [
      ruleId,
      why,
    ]);
  expect(await told('Tea', [1])).toEqual([
    [2, 'paused, waits for the keyword coffee'],
    [3, 'takes only SMS that no keyword matches'],
  ]);
  expect(await told('COFFEE', [3])).toEqual([
    [1, 'waits for the keyword TEA'],
    [2, 'paused'],
  ]);
});
