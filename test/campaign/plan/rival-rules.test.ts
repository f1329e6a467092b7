/**
 * Contract, "Sends and campaigns, once more": "A record without its mark that does the same as an item (trigger, action and target …)
 * blocks the item until `--adopt ID` or another name settles it … unless `--both` is given." From records alone.
 */
import { describe, expect, it } from 'vitest';
import { computeWantedRuleHash, messageIdentityOfKey } from '../../../src/features/campaign/content.ts';
import type { Step, WantedItem, WantedRule } from '../../../src/features/campaign/model.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, rule, text } from '../support.ts';
import { MADE, marked, messageRow, type Rows, ruleRow, spring, stepsOf, welcome } from './records.ts';

type Options = Partial<PlanOptions>;

const { emails } = MADE;
const SAME = 'has the same trigger, action and target as this item';

/** Returns the step of an item of a file that has the message `spring`. */
const stepOf = (item: WantedItem, rows: Rows, options: Options = {}): Step | undefined =>
  stepsOf([spring, item], { emails, ...rows }, options).find(({ key }) => key === item.key);
const step = (more: Partial<Step>): Step =>
  ({ kind: 'automation', key: 'welcome', name: 'Rule welcome', ...more }) as Step;
const create = step({ action: 'create' });
const lost = (id: string): Step =>
  step({
    action: 'blocked',
    blockedBy: 'drift',
    id,
    reason: `rule ${id}, which belongs to no campaign, ${SAME}: use that rule for this item (--adopt welcome=${id}), delete it (svc automation delete ${id}), or keep both rules (--both)`,
  });
/** Contract, "Sends and campaigns, once more": the reason of a step that only `--both` allows names the other rule and the people. */
const allowed = (rival: string, acts = 'both act'): Step =>
  step({
    action: 'create',
    reason: `--both: rule subscription:7${rival} ${SAME} (${acts} for the subscribers of list 1)`,
  });
const another = (id: string): Step =>
  step({
    action: 'blocked',
    blockedBy: 'state',
    id,
    reason: `rule ${id} of another campaign has the same trigger, action and target as this item: pause that rule, or use --both to keep both rules`,
  });
const orphaned = (id: string): Step =>
  step({
    action: 'blocked',
    blockedBy: 'state',
    id,
    reason: `rule ${id}, which the file no longer names, ${SAME}: if welcome is its new key, write renamed-from with the earlier key at welcome in the file, or, if you no longer know that key, add --adopt welcome=${id}; --prune deletes rule ${id} with the actions that it has queued, and creates this one; --both lets both act for the same people`,
  });

const justMade = ({ reason = '', ...rest }: Step): Step => ({
  ...rest,
  reason: reason
    .replace('has the same', 'was made less than 15 minutes ago, may be resumed, and has the same')
    .replace('pause that rule', 'try again 15 minutes later'),
});

type Row = readonly [name: string, item: WantedRule, rows: Rows, options: Options, expected: Step];

describe('a rule that belongs to no campaign', () => {
  const byHand = (more: JsonObject = {}): Rows => ({
    rules: [ruleRow(welcome, 7, { name: 'By hand', ...more })],
  });
  const copy = (subject: string): JsonObject => ({ ...messageRow(email('x', { subject }), 4), name: 'Copy' });
  it.each<Row>([
    ['blocks the item', welcome, byHand(), {}, lost('subscription:7')],
    ['does not with --both', welcome, byHand(), { both: true }, allowed(', which belongs to no campaign,')],
    [
      'does not with --both if it is paused',
      welcome,
      byHand({ paused: true }),
      { both: true },
      allowed(', which belongs to no campaign,', 'once that rule is resumed, both act'),
    ],
    [
      'is not named with --both if it has another trigger',
      welcome,
      byHand({ list_id: 2 }),
      { both: true },
      create,
    ],
    ['blocks the item also if it is paused', welcome, byHand({ paused: true }), {}, lost('subscription:7')],
    ['blocks the item with any delay', welcome, byHand({ actiontimediff: 5 }), {}, lost('subscription:7')],
    ['has another trigger', welcome, byHand({ list_id: 2 }), {}, create],
    ['has another action', welcome, byHand({ actiontype: 'addtolist' }), {}, create],
    [
      'has another target',
      welcome,
      { ...byHand({ actiontarget: '4' }), emails: [...emails, copy('Other')] },
      {},
      create,
    ],
    // "The same message" is the same content, whatever record or campaign holds it.
    [
      'sends the same content',
      welcome,
      { ...byHand({ actiontarget: '4' }), emails: [...emails, copy('Hello')] },
      {},
      lost('subscription:7'),
    ],
    // Interface, "States": a deleted message is hidden, so it may be any message.
    ['sends a deleted message', welcome, byHand({ actiontarget: '4' }), {}, lost('subscription:7')],
    [
      'sends a deleted message to another list',
      welcome,
      byHand({ actiontarget: '4', list_id: 2 }),
      {},
      create,
    ],
    [
      'sends the message that the file names by an id',
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '4' } } }),
      { ...byHand({ actiontarget: '5' }), emails: [...emails, copy('Hi'), { ...copy('Hi'), id: 5 }] },
      {},
      lost('subscription:7'),
    ],
    [
      'sends another message than the one the file names by an id',
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '4' } } }),
      { ...byHand({ actiontarget: '5' }), emails: [...emails, copy('Hi'), { ...copy('Ho'), id: 5 }] },
      {},
      create,
    ],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });

  it('is reported also if the rule of the item is already active, until one of them is paused', () => {
    const both = { rules: [ruleRow(welcome, 1), ruleRow(welcome, 7, { name: 'By hand' })] };
    expect(stepOf(welcome, both)).toMatchObject({
      action: 'blocked',
      blockedBy: 'state',
      reason: expect.stringMatching(/^rule subscription:7 and rule subscription:1 have the same trigger/),
    });
    expect(stepOf(welcome, both, { both: true })).toMatchObject({
      action: 'keep',
      reason: expect.stringMatching(
        /^--both: rule subscription:7 and rule subscription:1 have the same .*list 1\)$/,
      ),
    });
    const paused = rule('welcome', { paused: true });
    expect(stepOf(paused, { rules: [ruleRow(paused, 1), ...both.rules.slice(1)] })).toMatchObject({
      action: 'keep',
    });
    const half = { rules: [ruleRow(paused, 1), ...both.rules.slice(1)] };
    expect(stepOf(welcome, half)).toEqual(lost('subscription:7'));
  });

  // Contract: svc applies no change that makes an action happen twice, also if the rule that changes is active.
  it.each([
    ['blocks', { list_id: 1 }, {}, lost('subscription:7')],
    ['does not block, with --both,', { list_id: 1 }, { both: true }, { action: 'change' }],
    ['of another list does not block', { list_id: 3 }, {}, { action: 'change' }],
  ])('%s an active rule that the plan makes its duplicate', (_name, more, options, expected) => {
    const elsewhere = rule('welcome', { references: { ...welcome.references, list_id: { id: '2' } } });
    const identities = { list_id: 'id:2', actiontarget: messageIdentityOfKey('spring') } as const;
    const own = ruleRow(elsewhere, 1, {
      name: marked(elsewhere, computeWantedRuleHash(elsewhere, identities, false)),
      list_id: 2,
    });
    const rules = [own, ruleRow(welcome, 7, { name: 'By hand', ...more })];
    expect(stepOf(welcome, { rules }, options)).toMatchObject(expected);
  });

  it('does not block a new name of an active rule that has a duplicate', () => {
    const rules = [ruleRow(welcome, 1), ruleRow(welcome, 7, { name: 'By hand' })];
    expect(stepOf(rule('welcome', { name: 'Other' }), { rules })).toMatchObject({ action: 'change' });
  });

  it('does not block an item that names a rule which does not exist: the missing rule alone blocks it', () => {
    const adopting = rule('welcome', { adopted: { id: '9', hash: null } });
    expect(stepOf(adopting, byHand())).toEqual(
      step({
        action: 'blocked',
        blockedBy: 'reference',
        reason:
          'rule subscription 9 not found; to create a new record, remove the id of this item from the file',
      }),
    );
  });
});

// Contract: "The same message … under another key or campaign blocks too, unless `--both` is given."
describe('a rule of another campaign', () => {
  const theirs = (more: JsonObject = {}): Rows => ({
    rules: [ruleRow(welcome, 7, { name: marked(welcome, 'aaaaaaa', 'Autumn'), ...more })],
  });
  /** Each campaign makes messages of its own. */
  const withCopy = (more: JsonObject): Rows => ({
    ...theirs({ actiontarget: '4', ...more }),
    emails: [...emails, { ...messageRow(email('x', { subject: 'Hello' }), 4), name: 'Copy' }],
  });
  it.each<Row>([
    ['blocks the item', welcome, theirs(), {}, another('subscription:7')],
    ['does not with --both', welcome, theirs(), { both: true }, allowed(' of another campaign')],
    ['does not while it is paused', welcome, theirs({ paused: true }), {}, create],
    [
      'does while it was just made',
      ...([
        welcome,
        theirs({ paused: true, cdate: NOW - 899 }),
        {},
        justMade(another('subscription:7')),
      ] as const),
    ],
    ['with an equal message blocks the item', welcome, withCopy({}), {}, another('subscription:7')],
    ['does not after another delay: a series', welcome, withCopy({ actiontimediff: 5 }), {}, create],
    ['does not at another hour', welcome, withCopy({ actionhour: '09:00' }), {}, create],
    // "An earlier file": the rule had the mark of this campaign, as its message still has.
    [
      'with the message of this one blocks the item after any delay',
      ...([welcome, theirs({ actiontimediff: 5 }), {}, another('subscription:7')] as const),
    ],
    ['does not for another list', welcome, theirs({ list_id: 2 }), {}, create],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });

  it('is named after a rule that belongs to no campaign', () => {
    const rules = [...(theirs().rules ?? []), ruleRow(welcome, 8, { name: 'By hand' })];
    expect(stepOf(welcome, { rules })).toEqual(lost('subscription:8'));
  });
});

describe('a rule that the file no longer names', () => {
  const old = (more: JsonObject = {}): Rows => ({ rules: [ruleRow(rule('old'), 7, more)] });
  const made = (cdate: number, content = 'aaaaaaa'): Rows =>
    old({ paused: true, cdate, name: marked(rule('old'), content) });
  it.each<Row>([
    ['blocks the item', welcome, old(), {}, orphaned('subscription:7')],
    ['does not with --both', welcome, old(), { both: true }, allowed(', which the file no longer names,')],
    ['does not with --prune, which deletes it first', welcome, old(), { prune: true }, create],
    ['does not while it is paused', welcome, old({ paused: true }), {}, create],
    ['does not for another list', welcome, old({ list_id: 2 }), {}, create],
    // README of src/features/campaign: "A rule is made paused, then the earlier rule is paused, then the new one is resumed", perhaps by a run with another version of the file.
    ['does while it was just made', welcome, made(NOW - 899), {}, justMade(orphaned('subscription:7'))],
    ['does not 15 minutes later', welcome, made(NOW - 900), {}, create],
    ['does not after it was replaced', welcome, made(NOW - 899, 'x'), {}, create],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });
});

// Interface, "Automation rules": the trigger of a kind.
describe('rules of other kinds', () => {
  const notify = { actiontype: 'notify', actiontarget: 'office@example.com' };
  const opened = rule('welcome', {
    rule: 'open',
    values: { ...notify, actiontimediff: 0 },
    references: { message_id: { key: 'spring' } },
  });
  const row = { id: 7, name: 'By hand', ...notify, actiontimediff: 0, message_id: 1, paused: false };
  const dated = rule('welcome', {
    rule: 'date',
    values: { ...notify, actiontimediff: -1440 },
    references: {},
  });
  it.each<Row>([
    ['an open of the same message', opened, { others: { open: [row] } }, {}, lost('open:7')],
    ['a click in the same message', opened, { others: { click: [row] } }, {}, create],
    [
      'an open of a deleted message',
      opened,
      { others: { open: [{ ...row, message_id: 4 }] } },
      {},
      lost('open:7'),
    ],
    [
      'an open of another message',
      opened,
      {
        emails: [...emails, messageRow(email('x', { subject: 'x' }), 4)],
        others: { open: [{ ...row, message_id: 4 }] },
      },
      {},
      create,
    ],
    [
      'the same distance to a date',
      dated,
      { others: { date: [{ ...row, actiontimediff: -1440 }] } },
      {},
      lost('date:7'),
    ],
    [
      'another distance to a date',
      dated,
      { others: { date: [{ ...row, actiontimediff: -2880 }] } },
      {},
      create,
    ],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });
});

// Wire, "unique": no two rules of a company have the same keyword, paused or not.
describe('a rule for inbound SMS', () => {
  const join = rule('welcome', {
    rule: 'sms',
    values: { keyword: 'JOIN', summary: null },
    references: { list_id: { id: '1' } },
  });
  const smsRow = (more: JsonObject = {}): JsonObject => ({
    ...{ id: 7, name: 'By hand', keyword: 'JOIN', list_id: 1, email_list_id: null, message_id: null },
    ...{ message_actionhour: null, message_actiontimediff: null, message_actiononweekend: null },
    ...{ notifyemail: null, notifymsisdn: null, notifyurl: null, summary: null, paused: false },
    ...more,
  });
  const theirs = marked(join, 'aaaaaaa', 'Autumn');
  const any = rule('welcome', { ...join, values: { summary: null } });
  const sms = (row: JsonObject, more: Rows = {}): Rows => ({ ...more, others: { sms: [row] } });
  const answer = rule('welcome', {
    ...join,
    values: { summary: null, message_actiontimediff: 60 },
    references: { list_id: { id: '1' }, message_id: { id: '3' } },
  });
  const texts = [
    { ...messageRow(text('x'), 3), name: 'x' },
    { ...messageRow(text('x'), 4), name: 'y' },
  ];
  it.each<Row>([
    ['has its keyword, for another list', join, sms(smsRow({ list_id: 2 })), {}, lost('sms:7')],
    ['has its keyword in other letters', join, sms(smsRow({ keyword: 'join' })), {}, lost('sms:7')],
    ['has another keyword', join, sms(smsRow({ keyword: 'STOP' })), {}, create],
    ['of another campaign has its keyword', join, sms(smsRow({ name: theirs })), {}, another('sms:7')],
    [
      'of another campaign is paused and has its keyword',
      join,
      sms(smsRow({ name: theirs, paused: true })),
      {},
      another('sms:7'),
    ],
    [
      'of another campaign has its keyword and another delay',
      join,
      sms(smsRow({ name: theirs, message_actiontimediff: 5 })),
      {},
      another('sms:7'),
    ],
    ['without a keyword does the same', any, sms(smsRow({ keyword: null })), {}, lost('sms:7')],
    ['without a keyword is for another list', any, sms(smsRow({ keyword: null, list_id: 2 })), {}, create],
    [
      'of another campaign without a keyword is paused',
      any,
      sms(smsRow({ keyword: null, name: theirs, paused: true })),
      {},
      create,
    ],
    [
      'answers the same text from another record',
      answer,
      sms(smsRow({ keyword: null, message_id: 4, message_actiontimediff: 60 }), { texts }),
      {},
      lost('sms:7'),
    ],
    [
      'of another campaign answers after another delay',
      answer,
      sms(smsRow({ keyword: null, message_id: 4, message_actiontimediff: 5, name: theirs }), { texts }),
      {},
      create,
    ],
    [
      'of another campaign answers at another hour',
      answer,
      sms(
        smsRow({
          keyword: null,
          message_id: 4,
          message_actiontimediff: 60,
          message_actionhour: '09:00',
          name: theirs,
        }),
        { texts },
      ),
      {},
      create,
    ],
    [
      'of another campaign answers the same',
      answer,
      sms(smsRow({ keyword: null, message_id: 4, message_actiontimediff: 60, name: theirs }), { texts }),
      {},
      another('sms:7'),
    ],
  ])('that %s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });

  it('is blocked if another one of the file has its keyword', () => {
    const twin = { ...join, key: 'twin', name: 'Twin' };
    const steps = stepsOf([join, twin], {});
    expect(steps.map(({ action, blockedBy, reason }) => [action, blockedBy, reason])).toEqual([
      [
        'blocked',
        'state',
        'automation twin in this file has the same keyword: change one of the two keywords',
      ],
      [
        'blocked',
        'state',
        'automation welcome in this file has the same keyword: change one of the two keywords',
      ],
    ]);
    // Interface, smsAutomation: `keyword` is "case-insensitive".
    const lower = { ...twin, values: { keyword: 'join', summary: null } };
    expect(stepsOf([join, lower], {}).map(({ action }) => action)).toEqual(['blocked', 'blocked']);
    const actions = (...items: readonly WantedItem[]) => stepsOf(items, {}).map(({ action }) => action);
    expect(actions(join, { ...twin, values: { keyword: 'STOP', summary: null } })).toEqual([
      'create',
      'create',
    ]);
    // Without a keyword they are two rules, which must not do the same (contract, "Sends and campaigns, once more").
    const other = { ...any, key: 'twin', values: { ...any.values, notifyemail: 'other@example.com' } };
    expect(actions(any, other)).toEqual(['create', 'create']);
    expect(actions(any, { ...any, key: 'twin' })).toEqual(['create', 'blocked']);
    expect(actions(join, rule('other', { rule: 'date', values: join.values, references: {} }))).toEqual([
      'create',
      'create',
    ]);
  });

  it('waits for the rule that releases its keyword', () => {
    const held = { ...join, key: 'held', name: 'Held' };
    const released = { ...held, values: { keyword: 'STOP', summary: null } };
    const content = computeWantedRuleHash(held, { list_id: 'id:1' }, false);
    const rows = sms(smsRow({ name: marked(held, content) }));
    const words = (...items: readonly WantedItem[]) =>
      stepsOf(items, rows).map(({ action, key, id, blockedBy, reason }) => [
        action,
        key,
        id,
        blockedBy,
        reason,
      ]);
    const changed = ['change', 'held', 'sms:7', undefined, undefined];
    expect(words(released, join)).toEqual([changed, ['create', 'welcome', undefined, undefined, undefined]]);
    expect(words(join, released)).toEqual([
      [
        'blocked',
        'welcome',
        'sms:7',
        'state',
        'rule sms:7 of automation held still has the keyword that this item needs: apply automation held first to free the keyword',
      ],
      changed,
    ]);
  });
});
