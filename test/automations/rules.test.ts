/** Interface, "Automation rules": the value of each attribute of a rule if the service leaves it out or gives it another type. */
import { describe, expect, it } from 'vitest';
import {
  computeActionTimingOfSmsReply,
  computeActionTimingOfTimedRule,
  computeListChange,
  findCycleThroughRule,
  findRuleTimingFault,
  isListAction,
  type ListAction,
  readRule,
  ruleActionHour,
} from '../../src/service/automations/rules.ts';

describe('a rule of the service', () => {
  it('with an action', () => {
    const record = {
      ...{ id: 9007199254740993n, name: 'Rule', paused: true, list_id: 7, link_id: null, message_id: 3n },
      ...{ actiontype: 'copytolist', actiontarget: 8, actiontimediff: '60', actionhour: '09:00:00' },
      actiononweekend: false,
    };
    expect(readRule('click', record)).toEqual({
      ...{ ref: 'click:9007199254740993', kind: 'click', name: 'Rule', paused: true },
      ...{ list: '7', link: null, message: '3', actiontype: 'copytolist', actiontarget: '8' },
      ...{ actiontimediff: 60, actionhour: '09:00:00', actiononweekend: false },
    });
  });

  it('with an action, if the service returns only the id', () => {
    expect(readRule('open', { id: 1 })).toEqual({
      ...{ ref: 'open:1', kind: 'open', name: '', paused: false, list: null, link: null, message: null },
      ...{ actiontype: '', actiontarget: '', actiontimediff: 0, actionhour: null, actiononweekend: true },
    });
  });

  it('for inbound SMS', () => {
    const record = {
      ...{ id: 1, name: 'Rule', paused: false, keyword: 'JOIN', list_id: 7, email_list_id: 8, message_id: 3 },
      ...{ message_actiontimediff: 60, message_actionhour: '09:00:00', message_actiononweekend: false },
      ...{ notifyemail: 'a@example.com', notifymsisdn: '447700900123', notifyurl: 'https://example.com' },
    };
    expect(readRule('sms', record)).toEqual({
      ...{
        ref: 'sms:1',
        kind: 'sms',
        name: 'Rule',
        paused: false,
        keyword: 'JOIN',
        list: '7',
        emailList: '8',
      },
      ...{ message: '3', message_actiontimediff: 60, message_actionhour: '09:00:00' },
      ...{ message_actiononweekend: false, notifyemail: 'a@example.com', notifymsisdn: '447700900123' },
      notifyurl: 'https://example.com',
    });
  });

  it('for inbound SMS, if the service returns only the id', () => {
    expect(readRule('sms', { id: 1 })).toEqual({
      ...{ ref: 'sms:1', kind: 'sms', name: '', paused: false, keyword: null, list: '', emailList: null },
      ...{
        message: null,
        message_actiontimediff: 0,
        message_actionhour: null,
        message_actiononweekend: true,
      },
      ...{ notifyemail: null, notifymsisdn: null, notifyurl: null },
    });
  });
});

describe('a time that cannot be computed', () => {
  it.each([
    ['an hour', readRule('open', { id: 1, actionhour: '09:00:00' }), undefined],
    ['no hour', readRule('open', { id: 1 }), undefined],
    [
      'another hour',
      readRule('open', { id: 1, actionhour: '9' }),
      'open:1 has the hour 9, which is not in the form HH:00:00',
    ],
    [
      'the hour of an answer',
      readRule('sms', { id: 1, message_actionhour: '9' }),
      'sms:1 has the hour 9, which is not in the form HH:00:00',
    ],
    [
      'an offset',
      readRule('open', { id: 1, actiontimediff: 'x' }),
      'open:1 has an actiontimediff that is not a number',
    ],
    [
      'the offset of an answer',
      readRule('sms', { id: 1, message_actiontimediff: 'x' }),
      'sms:1 has an actiontimediff that is not a number',
    ],
    ['the offset of an answer, 0', readRule('sms', { id: 1, message_actiontimediff: 0 }), undefined],
  ])('%s', (_name, rule, fault) => {
    expect(findRuleTimingFault(rule)).toBe(fault);
  });

  it('the hour belongs to the action', () => {
    expect(ruleActionHour(readRule('open', { id: 1, actionhour: '09:00:00' }))).toBe('09:00:00');
    expect(ruleActionHour(readRule('sms', { id: 1, message_actionhour: '10:00:00' }))).toBe('10:00:00');
  });
});

// Interface, "Per-kind differences": actiontimediff is in minutes for some kinds and in seconds for others.
describe('the timing of an action', () => {
  const moment = { event: 1000, now: 900, zone: 'UTC' };
  const attributes = { actiontimediff: 2, actionhour: '09:00:00', actiononweekend: false };
  it.each([
    ['click', 2],
    ['open', 2],
    ['subscription', 120],
    ['date', 2],
  ] as const)('of %s', (kind, offset) => {
    expect(computeActionTimingOfTimedRule(kind, attributes, moment)).toEqual({
      ...moment,
      offset,
      hour: 9,
      onWeekend: false,
    });
    const plain = { actiontimediff: 0, actionhour: null, actiononweekend: true };
    expect(computeActionTimingOfTimedRule(kind, plain, moment)).toEqual({
      ...moment,
      offset: 0,
      hour: null,
      onWeekend: true,
    });
  });

  it('of an answer', () => {
    const answer = {
      message_actiontimediff: 60,
      message_actionhour: '10:00:00',
      message_actiononweekend: false,
    };
    expect(computeActionTimingOfSmsReply(answer, moment)).toEqual({
      ...moment,
      offset: 60,
      hour: 10,
      onWeekend: false,
    });
    const none = { message_actiontimediff: null, message_actionhour: null, message_actiononweekend: null };
    expect(computeActionTimingOfSmsReply(none, moment)).toEqual({
      ...moment,
      offset: 0,
      hour: null,
      onWeekend: true,
    });
  });
});

// Interface, "Events": add, copy, move or remove from a list.
describe('the change of lists', () => {
  it.each<readonly [ListAction, string | undefined, object]>([
    ['addtolist', '1', { from: undefined, leavesFrom: false, to: '2' }],
    ['copytolist', '1', { from: '1', leavesFrom: false, to: '2' }],
    ['movetolist', '1', { from: '1', leavesFrom: true, to: '2' }],
    ['removefromlist', '1', { from: '1', leavesFrom: true, to: undefined }],
    ['movetolist', undefined, { from: undefined, leavesFrom: false, to: '2' }],
  ])('%s of %s', (action, watched, expected) => {
    expect(computeListChange(action, watched, '2')).toEqual(expected);
  });

  it.each([
    ['addtolist', true],
    ['copytolist', true],
    ['movetolist', true],
    ['removefromlist', true],
    ['notify', false],
  ])('%s is one: %s', (action, expected) => {
    expect(isListAction(action)).toBe(expected);
  });
});

it('a chain ends where its rule occurs again', () => {
  expect(findCycleThroughRule(['a', 'b', 'c'], 'b')).toEqual(['b', 'c', 'b']);
  expect(findCycleThroughRule(['a', 'b'], 'c')).toBeUndefined();
  expect(findCycleThroughRule([], 'a')).toBeUndefined();
});
