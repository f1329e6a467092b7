/** Contract, "Insight": rules, lists and messages in words. */
import { describe, expect, it } from 'vitest';
import type { GraphNode } from '../../src/service/automations/graph.ts';
import {
  describeAction,
  describeDelayAndAction,
  describeTriggerAndAction,
  nodeTitle,
} from '../../src/service/automations/rule-words.ts';
import { readRule } from '../../src/service/automations/rules.ts';

const called = (id: string) => `<${id}>`;

describe('an action', () => {
  it.each([
    ['addtolist', 'add to list 3'],
    ['copytolist', 'copy to list 3'],
    ['movetolist', 'move to list 3'],
    ['removefromlist', 'remove the subscriber from the list'],
    ['email_autoresponder', 'send e-mail message 3'],
    ['sms_autoresponder', 'send SMS message 3'],
    ['notify', 'notify 3'],
    ['notifyemail', 'forward the SMS to 3'],
    ['notifymsisdn', 'forward the SMS to 3'],
    ['notifyurl', 'call 3'],
    ['dance', 'dance 3'],
  ])('%s', (action, words) => {
    expect(describeAction(action, '3')).toBe(words);
  });
});

describe('a node', () => {
  const node = (id: string, kind: GraphNode['kind']): GraphNode => ({ id, kind, rule: undefined });
  it.each([
    [node('list:7', 'list'), 'list 7'],
    [node('email:7', 'email'), 'e-mail message 7'],
    [node('sms-message:7', 'sms-message'), 'SMS message 7'],
    [node('link:7', 'link'), 'link 7'],
    [node('click:7', 'rule'), 'rule 7'],
  ])('$id', (given, words) => {
    expect(nodeTitle(given, () => undefined)).toBe(words);
    expect(nodeTitle(given, () => 'Welcome')).toBe(`${words} (Welcome)`);
  });

  it('with a long name shows 40 characters of it', () => {
    expect(nodeTitle(node('list:7', 'list'), () => 'x'.repeat(50))).toBe(`list 7 (${'x'.repeat(39)}…)`);
  });
});

describe('a rule', () => {
  const rule = (more: object) =>
    readRule('open', { id: 1, message_id: 3, actiontype: 'notify', actiontarget: 'a', ...more });
  it.each([
    ['at once', {}, 'notify a'],
    ['later', { actiontimediff: 3600 }, '1 hour later, notify a'],
    ['before', { actiontimediff: -3600 }, '1 hour before, notify a'],
    ['at an hour', { actionhour: '09:00:00' }, 'at 09:00, notify a'],
    ['not at weekends', { actiononweekend: false }, 'not at weekends, notify a'],
    ['an e-mail', { actiontype: 'email_autoresponder', actiontarget: '5' }, 'send <email:5>'],
    ['an SMS', { actiontype: 'sms_autoresponder', actiontarget: '5' }, 'send <sms-message:5>'],
  ])('%s', (_name, more, words) => {
    expect(describeDelayAndAction(rule(more), called)).toBe(words);
    expect(describeTriggerAndAction(rule(more), called)).toBe(`when it is opened, ${words}`);
  });

  it('triggered by a list has no other trigger', () => {
    const joined = readRule('subscription', { id: 1, list_id: 7, actiontype: 'notify', actiontarget: 'a' });
    expect(describeTriggerAndAction(joined, called)).toBe('notify a');
  });

  it('for inbound SMS', () => {
    const full = {
      ...{
        id: 1,
        keyword: 'JOIN',
        list_id: 7,
        email_list_id: 8,
        message_id: 5,
        notifyemail: 'a@example.com',
      },
      ...{ notifymsisdn: '447700900123', notifyurl: 'https://example.com' },
    };
    expect(describeTriggerAndAction(readRule('sms', full), called)).toBe(
      "keyword JOIN, add the sender's number to list 7, add an e-mail address from the SMS to list 8, answer with <sms-message:5>, " +
        'forward the SMS to 447700900123, forward the SMS to a@example.com, call https://example.com',
    );
    expect(describeDelayAndAction(readRule('sms', { id: 1, list_id: 7 }), called)).toBe(
      "add the sender's number to list 7",
    );
  });
});
