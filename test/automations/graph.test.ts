/** Contract, "Insight": what triggers each rule, which rules trigger each other, and loops that a paused rule stops. */
import { describe, expect, it } from 'vitest';
import { buildRuleGraph, findTriggerNodeId } from '../../src/service/automations/graph.ts';
import { type AutomationRule, readRule } from '../../src/service/automations/rules.ts';
import type { JsonObject } from '../../src/service/protocol/json.ts';

const NO_LINK = () => undefined;
/** The message of a link is ten times its id. */
const linked = (link: string) => `${link}0`;

const notify = { actiontype: 'notify', actiontarget: 'office@example.com' };
const subscription = (id: number, list: number, more: JsonObject = notify): AutomationRule =>
  readRule('subscription', { id, list_id: list, ...more });
const copy = (id: number, from: number, to: number, more: JsonObject = {}): AutomationRule =>
  subscription(id, from, { actiontype: 'copytolist', actiontarget: String(to), ...more });

const edges = (
  rules: readonly AutomationRule[],
  messageOfLink: (link: string) => string | undefined = NO_LINK,
) => buildRuleGraph(rules, messageOfLink).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);
const loops = (rules: readonly AutomationRule[]) =>
  buildRuleGraph(rules, NO_LINK).loops.map(
    ({ rules: names, paused }) => `${names.join(' ')}${paused ? ' paused' : ''}`,
  );

describe('what triggers a rule', () => {
  it.each<readonly [string, AutomationRule, string | undefined]>([
    ['its list', subscription(1, 7), 'list:7'],
    ['its message', readRule('open', { id: 1, message_id: 3 }), 'email:3'],
    ['the message of its link', readRule('click', { id: 1, link_id: 5, message_id: null }), 'email:50'],
    [
      'its message, even if it also has a link',
      readRule('click', { id: 1, link_id: 5, message_id: 3 }),
      'email:3',
    ],
    ['nothing for a date', readRule('date', { id: 1 }), undefined],
    ['nothing for an SMS', readRule('sms', { id: 1, list_id: 7 }), undefined],
  ])('%s', (_name, rule, source) => {
    expect(findTriggerNodeId(rule, linked)).toBe(source);
  });

  it('is the link if its message is unknown', () => {
    expect(findTriggerNodeId(readRule('click', { id: 1, link_id: 5 }), NO_LINK)).toBe('link:5');
  });
});

describe('the effect of a rule', () => {
  const by = (actiontype: string, actiontarget: string) => subscription(1, 7, { actiontype, actiontarget });
  it.each<readonly [string, AutomationRule, readonly string[]]>([
    ['a notice leads nowhere', by('notify', 'a@example.com'), []],
    ['an e-mail', by('email_autoresponder', '3'), ['subscription:1 email_autoresponder email:3']],
    ['an SMS', by('sms_autoresponder', '4'), ['subscription:1 sms_autoresponder sms-message:4']],
    ['a list to which it copies', by('copytolist', '8'), ['subscription:1 copytolist list:8']],
    ['a list to which it moves', by('movetolist', '8'), ['subscription:1 movetolist list:8']],
    ['the list from which it removes', by('removefromlist', ''), ['subscription:1 removefromlist list:7']],
  ])('%s', (_name, rule, expected) => {
    expect(edges([rule])).toEqual(['list:7 subscription subscription:1', ...expected]);
  });

  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['its list alone', {}, ['sms:1 addtolist list:7']],
    [
      'the list of an address, too',
      { email_list_id: 8 },
      ['sms:1 addtolist list:7', 'sms:1 addtolist list:8'],
    ],
    ['one list once', { email_list_id: 7 }, ['sms:1 addtolist list:7']],
    ['its answer', { message_id: 4 }, ['sms:1 addtolist list:7', 'sms:1 sms_autoresponder sms-message:4']],
  ])('for inbound SMS: %s', (_name, more, expected) => {
    expect(edges([readRule('sms', { id: 1, list_id: 7, ...more })])).toEqual(expected);
  });
});

describe('the nodes', () => {
  it('are named once, with their kind, and each rule is one node', () => {
    const rules = [
      copy(1, 7, 8),
      copy(2, 7, 8),
      readRule('click', { id: 3, link_id: 5, ...notify }),
      readRule('date', { id: 4, ...notify }),
      readRule('sms', { id: 5, list_id: 7, message_id: 4 }),
      readRule('open', { id: 6, message_id: 3, ...notify }),
    ];
    const { nodes } = buildRuleGraph(rules, NO_LINK);
    expect(nodes.map(({ id, kind }) => [id, kind])).toEqual([
      ['list:7', 'list'],
      ['subscription:1', 'rule'],
      ['list:8', 'list'],
      ['subscription:2', 'rule'],
      ['link:5', 'link'],
      ['click:3', 'rule'],
      ['sms:5', 'rule'],
      ['sms-message:4', 'sms-message'],
      ['email:3', 'email'],
      ['open:6', 'rule'],
      ['date:4', 'rule'],
    ]);
    expect(nodes.map(({ rule }) => rule?.ref)).toEqual(
      nodes.map(({ id, kind }) => (kind === 'rule' ? id : undefined)),
    );
  });
});

describe('a loop', () => {
  it.each<readonly [string, readonly AutomationRule[], readonly string[]]>([
    ['two rules that lead to each other', [copy(1, 7, 8), copy(2, 8, 7)], ['subscription:1 subscription:2']],
    [
      'begins with the first rule of the account',
      [copy(2, 8, 7), copy(1, 7, 8)],
      ['subscription:2 subscription:1'],
    ],
    ['a rule that leads to its own list', [copy(1, 7, 7)], ['subscription:1']],
    ['no loop of two rules one after the other', [copy(1, 7, 8), copy(2, 8, 9)], []],
    [
      'no loop through an action that removes',
      [subscription(1, 7, { actiontype: 'removefromlist', actiontarget: '' })],
      [],
    ],
    [
      'one that a paused rule stops',
      [copy(1, 7, 8, { paused: true }), copy(2, 8, 7)],
      ['subscription:1 subscription:2 paused'],
    ],
    [
      'live ones first, then by the order of the account',
      [copy(1, 7, 8, { paused: true }), copy(2, 7, 8), copy(3, 8, 7), copy(4, 8, 7)],
      [
        'subscription:2 subscription:3 subscription:4',
        'subscription:1 subscription:2 subscription:3 subscription:4 paused',
      ],
    ],
    [
      'one of all rules that trigger each other',
      [copy(1, 7, 8), copy(2, 8, 7), copy(3, 8, 9), copy(4, 9, 7)],
      ['subscription:1 subscription:2 subscription:3 subscription:4'],
    ],
  ])('%s', (_name, rules, expected) => {
    expect(loops(rules)).toEqual(expected);
  });

  it('through an e-mail message that a rule sends and whose opens trigger it', () => {
    const rule = readRule('open', {
      id: 1,
      message_id: 3,
      actiontype: 'email_autoresponder',
      actiontarget: '3',
    });
    expect(loops([rule])).toEqual(['open:1']);
  });

  const marked = (rules: readonly AutomationRule[]) =>
    buildRuleGraph(rules, NO_LINK)
      .edges.filter(({ loop }) => loop)
      .map(({ from, to }) => `${from} ${to}`);

  it('marks its edges, and no others', () => {
    expect(marked([copy(1, 7, 8), copy(2, 8, 7), copy(3, 8, 9)])).toEqual([
      'list:7 subscription:1',
      'subscription:1 list:8',
      'list:8 subscription:2',
      'subscription:2 list:7',
    ]);
  });

  it('has no edges that a paused rule stops, or that remove someone', () => {
    expect(marked([copy(1, 7, 8, { paused: true }), copy(2, 8, 7)])).toEqual([]);
    const remove = subscription(3, 7, { actiontype: 'removefromlist', actiontarget: '' });
    expect(marked([copy(1, 7, 8), copy(2, 8, 7), remove])).toHaveLength(4);
  });
});
