import { beforeEach, describe, expect, it } from 'vitest';
import {
  findUnmatchedRules,
  findUnmatchedSmsRules,
} from '../../../../src/sandbox/engine/automations/triggers.ts';
import type { TimedRuleEvent } from '../../../../src/sandbox/store/automations.ts';
import { createEngineWorld, type EngineWorld, eventOf } from '../../../support/automation-engine.ts';
import { KINDS, target } from '../../../support/automations.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

let world: EngineWorld;
let someone: number;
beforeEach(async () => {
  world = await createEngineWorld();
  someone = await world.subscriber();
});

const deliveries = () => world.sandbox.rows('delivery');

describe('Events, "Matching"', () => {
  const matched = async (trigger: TimedRuleEvent): Promise<number> => {
    await world.fire(trigger, someone);
    return (await world.queued()).length;
  };

  it.each([
    ['the given link', 'link', 'email', 1],
    ['another link of its message', 'linkOfSub2', 'email', 0],
  ] as const)('click: %s of a rule with link_id', async (_, link, message, count) => {
    await world.rule('click', { link_id: world.things.link, message_id: null });
    expect(
      await matched({ kind: 'click', linkId: world.things[link], messageId: world.things[message] }),
    ).toBe(count);
  });

  it.each([
    ['any link of the given message', 'email', 1],
    ['a link of another message', 'emailOfSub2', 0],
  ] as const)('click: %s', async (_, message, count) => {
    await world.rule('click');
    expect(await matched({ kind: 'click', linkId: 777, messageId: world.things[message] })).toBe(count);
  });

  it.each([
    ['email', 1],
    ['otherEmail', 0],
  ] as const)('open: message %s', async (message, count) => {
    await world.rule('open');
    expect(await matched({ kind: 'open', messageId: world.things[message] })).toBe(count);
  });

  it.each([
    ['list', 1],
    ['otherList', 0],
  ] as const)('subscription: %s', async (list, count) => {
    await world.rule('subscription');
    expect(await matched({ kind: 'subscription', listId: world.things[list] })).toBe(count);
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('date: the rule itself, id + %i', async (more, count) => {
    const id = await world.rule('date');
    expect(await matched({ kind: 'date', ruleId: id + more, time: NOW })).toBe(count);
  });

  it.each(KINDS)('%s: "A paused rule does not match"', async (kind) => {
    const id = await world.rule(kind, { paused: 1 });
    expect(await matched(eventOf(kind, world.things, id))).toBe(0);
  });

  it.each(KINDS)("%s: another company's rule does not match", async (kind) => {
    const id = await world.rule(kind, { account_id: 2 });
    expect(await matched(eventOf(kind, world.things, id))).toBe(0);
  });

  it('triggers all matching rules, in order of their ids', async () => {
    await world.rule('open', { actiontimediff: 20 });
    await world.rule('open', { actiontimediff: 10 });
    await world.fire({ kind: 'open', messageId: world.things.email }, someone);
    expect(await world.queued()).toEqual([20, 10]);
  });
});

describe('the time of an action', () => {
  const dueOf = async (kind: (typeof KINDS)[number], more: Parameters<EngineWorld['rule']>[1]) => {
    const id = await world.rule(kind, more);
    await world.fire(eventOf(kind, world.things, id), someone);
    return (await world.queued())[0];
  };

  // Per-kind differences: "actiontimediff unit".
  it.each([
    ['click', 90],
    ['open', 90],
    ['subscription', 90 * 60],
    ['date', 90],
  ] as const)('%s: an offset of 90 is %i seconds', async (kind, due) => {
    expect(await dueOf(kind, { actiontimediff: 90 })).toBe(due);
  });

  it.each(KINDS)('%s: rule 2, an offset of 0 with no hour is as soon as possible', async (kind) => {
    expect(await dueOf(kind, {})).toBe(0);
  });

  // NOW is 09:00 in London; New York, five hours behind, has 04:00.
  it.each(KINDS)("%s: rule 5, the hour is in the company's timezone", async (kind) => {
    await world.account({ timezone: 'America/New_York' });
    expect(await dueOf(kind, { actionhour: '09:00:00' })).toBe(5 * 3600);
  });

  // NOW is a Tuesday: four days later is Saturday, six Monday.
  it.each(KINDS.flatMap((kind) => [[kind, 1, 4] as const, [kind, 0, 6] as const]))(
    '%s: with actiononweekend %i, four days later is %i',
    async (kind, actiononweekend, days) => {
      const actiontimediff = (4 * 86_400) / (kind === 'subscription' ? 60 : 1);
      expect(await dueOf(kind, { actiontimediff, actiononweekend })).toBe(days * 86_400);
    },
  );

  it('date: a negative offset is before the date; a past action runs at once', async () => {
    const id = await world.rule('date', { actiontimediff: -1440 });
    await world.fire({ kind: 'date', ruleId: id, time: NOW + 86_400 }, someone);
    await world.fire({ kind: 'date', ruleId: id, time: NOW }, someone);
    expect(await world.queued()).toEqual([86_400 - 1440, 0]);
  });
});

describe('the queue', () => {
  it.each(KINDS)('%s does nothing before its time, and acts once', async (kind) => {
    const id = await world.rule(kind, { actiontimediff: 60 });
    await world.fire(eventOf(kind, world.things, id), someone);
    const due = kind === 'subscription' ? 3600 : 60;
    await world.advance(due - 1);
    expect(await deliveries()).toEqual([]);
    await world.advance(due);
    expect(await deliveries()).toEqual([expect.objectContaining({ time: NOW + due, rule_kind: kind })]);
    await world.advance(due + 86_400);
    expect(await deliveries()).toHaveLength(1);
    expect(await world.queued()).toEqual([]);
  });

  it.each(KINDS)('%s: "Queued actions complete when the rule is paused"', async (kind) => {
    const id = await world.rule(kind, { actiontimediff: 60 });
    await world.fire(eventOf(kind, world.things, id), someone);
    await world.sandbox.send('admin', 'PUT', `${target(kind)}/${id}`, { paused: true });
    await world.advance(3600);
    expect(await deliveries()).toHaveLength(1);
  });

  it.each(KINDS)('%s: "and are aborted when it is deleted"', async (kind) => {
    const id = await world.rule(kind, { actiontimediff: 60 });
    await world.fire(eventOf(kind, world.things, id), someone);
    await world.sandbox.send('admin', 'DELETE', `${target(kind)}/${id}`);
    await world.advance(3600);
    expect([await deliveries(), await world.log()]).toEqual([[], []]);
  });

  it('is processed in order of due time, each action at its own', async () => {
    await world.rule('open', { actiontimediff: 120, name: 'Second' });
    await world.rule('open', { actiontimediff: 60, name: 'First' });
    await world.fire({ kind: 'open', messageId: world.things.email }, someone);
    await world.advance(86_400);
    const seen = (await deliveries()).map((row) => [row['subject'], row['time']]);
    expect(seen).toEqual([
      ['First', NOW + 60],
      ['Second', NOW + 120],
    ]);
  });
});

describe('chains', () => {
  const move = (from: number, to: number, actiontype = 'movetolist') =>
    world.rule('subscription', { list_id: from, actiontype, actiontarget: String(to), actiontimediff: 60 });

  it('a list addition triggers the rules of that list', async () => {
    const { list, otherList, hiddenList } = world.things;
    await world.rule('click', { actiontype: 'addtolist', actiontarget: String(list), actiontimediff: 60 });
    await move(list, otherList);
    await move(otherList, hiddenList, 'copytolist');
    await world.fire(eventOf('click', world.things, 1), someone);
    await world.advance(60 + 3600);
    expect(await world.lists(someone)).toEqual([otherList]);
    await world.advance(60 + 7200);
    expect(await world.lists(someone)).toEqual([otherList, hiddenList]);
  });

  it('a subscriber who is already on the list triggers nothing', async () => {
    const { list, otherList } = world.things;
    await world.sandbox.put('subscription', { list_id: list, subscriber_id: someone, cdate: NOW });
    await world.rule('open', { actiontype: 'addtolist', actiontarget: String(list), actiontimediff: 60 });
    await move(list, otherList);
    await world.fire(eventOf('open', world.things, 1), someone);
    await world.advance(86_400);
    expect(await world.lists(someone)).toEqual([list]);
  });

  it('an endless loop is stopped after its first round, and logged', async () => {
    const { list, otherList } = world.things;
    const there = await move(list, otherList);
    const back = await move(otherList, list);
    await world.sandbox.put('subscription', { list_id: list, subscriber_id: someone, cdate: NOW });
    await world.fire({ kind: 'subscription', listId: list }, someone);
    await world.advance(365 * 86_400);
    expect(await world.lists(someone)).toEqual([list]);
    expect(await world.queued()).toEqual([]);
    expect(await world.sandbox.rows('log')).toEqual([
      expect.objectContaining({
        kind: 'loop',
        time: NOW + 7200,
        text: `Endless loop stopped for subscriber ${someone}: subscription ${there} → subscription ${back} → subscription ${there}`,
      }),
    ]);
  });

  it('the same event again is not a loop', async () => {
    await world.rule('open');
    const event = eventOf('open', world.things, 1);
    await world.fire(event, someone);
    await world.fire(event, someone);
    await world.advance(0);
    expect([(await deliveries()).length, await world.log()]).toEqual([2, []]);
  });
});

// Interface, "Events": the matches of each kind of rule. These tests check why a rule did not match.
describe('unmatched', () => {
  let world: EngineWorld;
  beforeEach(async () => {
    world = await createEngineWorld();
  });

  const NONE: ReadonlySet<number> = new Set();
  const reasons = async (trigger: TimedRuleEvent, matched = NONE) =>
    (await findUnmatchedRules(world.db, IDS.company, trigger, matched)).map(({ ruleId, why }) => [
      ruleId,
      why,
    ]);

  it('a click lists rules with another link, another message, paused, or both', async () => {
    await world.rule('click', { link_id: 1, message_id: null });
    await world.rule('click', { link_id: 2, message_id: null });
    await world.rule('click', { link_id: null, message_id: 7 });
    await world.rule('click', { link_id: 1, message_id: null, paused: 1 });
    await world.rule('click', { link_id: 2, message_id: null, paused: 1 });
    const trigger = { kind: 'click', linkId: 1, messageId: 5 } as const;
    expect(await reasons(trigger, new Set([1]))).toEqual([
      [2, 'waits for link 2'],
      [3, 'waits for a click on a link of message 7'],
      [4, 'paused'],
      [5, 'paused, waits for link 2'],
    ]);
  });

  it('an open and a subscription list rules with another message or list, but none of other companies', async () => {
    await world.rule('open', { message_id: 7 });
    await world.rule('open', { message_id: 7, account_id: IDS.other });
    await world.rule('subscription', { list_id: 2 });
    expect(await reasons({ kind: 'open', messageId: 5 })).toEqual([[1, 'waits for message 7']]);
    expect(await reasons({ kind: 'subscription', listId: 1 })).toEqual([[1, 'waits for list 2']]);
  });

  it('a date concerns only one rule', async () => {
    await world.rule('date', { paused: 1 });
    await world.rule('date');
    expect(await reasons({ kind: 'date', ruleId: 1, time: NOW })).toEqual([[1, 'paused']]);
  });

  it('an inbound SMS lists rules with another keyword, whatever its case, and null only if no keyword matches', async () => {
    await world.smsRule({ keyword: 'TEA' });
    await world.smsRule({ keyword: 'coffee', paused: 1 });
    await world.smsRule({ keyword: null });
    const told = async (word: string, matched: readonly number[]) =>
      (await findUnmatchedSmsRules(world.db, IDS.company, word, new Set(matched))).map(({ ruleId, why }) => [
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
});
