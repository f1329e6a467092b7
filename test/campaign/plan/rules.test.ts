/**
 * Contract, "Campaigns as files": the whole step of a rule in each of its states (interface, "States and
 * transitions"), from records alone.
 */
import { describe, expect, it } from 'vitest';
import type { Step, WantedItem, WantedRule } from '../../../src/features/campaign/model.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { REPLACED_RECORD_MARK_LETTER } from '../../../src/service/resources/campaign-mark.ts';
import { email, rule } from '../support.ts';
import { MADE, marked, messageRow, type Rows, ruleRow, spring, stepsOf, welcome } from './records.ts';

type Options = Partial<PlanOptions>;

const { emails } = MADE;
const other = email('spring', { subject: 'Other' });
const paused = rule('welcome', { paused: true });
const OVER = { overwrite: true };

const stepOf = (item: WantedItem, rows: Rows, options: Options = {}, message: WantedItem = spring) =>
  stepsOf([message, item], { emails, ...rows }, options).find(({ key }) => key === item.key);
const step = (more: Partial<Step>): Step =>
  ({ kind: 'automation', key: 'welcome', name: 'Rule welcome', ...more }) as Step;
const shown = (more: Partial<Step>): Step => step({ id: 'subscription:1', ...more });
const blocked = (blockedBy: Step['blockedBy'], reason: string, more: Partial<Step> = {}): Step =>
  step({ action: 'blocked', blockedBy, reason, ...more } as Partial<Step>);
const drift = (reason: string): Step => blocked('drift', reason, { id: 'subscription:1' });
const own = (more: JsonObject = {}, item: WantedRule = welcome): Rows => ({
  rules: [ruleRow(item, 1, more)],
});
const change = (attribute: string, from: unknown, to: unknown): Step =>
  shown({ action: 'change', changes: [{ attribute, from, to }] as Step['changes'] & object });

type Row = readonly [name: string, item: WantedRule, rows: Rows, options: Options, expected: Step];

const queued = 'actions that the rule has queued still run';

// Interface, "States", automation rule, PUT paused=true: "Queued actions complete".
const replaced =
  'the message of an autoresponder rule cannot be changed; actions that rule subscription:1 has queued still run';

describe('a rule', () => {
  const notify = { actiontype: 'notify', actiontarget: 'office@example.com', summary: null };
  const byNotice = rule('welcome', {
    values: { ...notify, actiontimediff: 60, actiononweekend: true },
    references: { list_id: { id: '1' } },
  });
  it.each<Row>([
    ['is made', welcome, {}, {}, step({ action: 'create' })],
    ['is kept', welcome, own(), {}, shown({ action: 'keep' })],
    ['is kept while it is paused', paused, own({}, paused), {}, shown({ action: 'keep' })],
    [
      'has another delay',
      rule('welcome', { values: { ...welcome.values, actiontimediff: 120 } }),
      own(),
      {},
      change('actiontimediff', 60, 120),
    ],
    [
      'has another name',
      rule('welcome', { name: 'Other' }),
      own(),
      {},
      { ...change('name', 'Rule welcome', 'Other'), name: 'Other' },
    ],
    [
      'has another list',
      rule('welcome', { references: { list_id: { id: '2' }, actiontarget: { key: 'spring' } } }),
      own(),
      {},
      change('list_id', '1', '2'),
    ],
    ['is to be paused', paused, own(), {}, { ...change('paused', false, true), reason: queued }],
    // A run makes a rule paused, and resumes it once it is the only one.
    ['was made and not resumed', welcome, own({}, paused), {}, change('paused', true, false)],
    [
      'was made twice',
      welcome,
      { rules: [ruleRow(welcome, 1), ruleRow(welcome, 2)] },
      {},
      shown({ action: 'change', reason: 'svc pauses subscription:2, which this rule replaces' }),
    ],
    [
      'was replaced by a rule that is active',
      welcome,
      {
        rules: [
          ruleRow(welcome, 1, { paused: true, name: marked(welcome, REPLACED_RECORD_MARK_LETTER) }),
          ruleRow(welcome, 2),
        ],
      },
      {},
      step({ id: 'subscription:2', action: 'keep' }),
    ],
    [
      'was replaced, and then resumed by hand',
      welcome,
      {
        rules: [
          ruleRow(welcome, 1, { name: marked(welcome, REPLACED_RECORD_MARK_LETTER) }),
          ruleRow(welcome, 2),
        ],
      },
      {},
      drift(
        'rule subscription:1 was replaced by another rule, but then resumed by hand; this plan would pause the rule',
      ),
    ],
    [
      'was replaced, and then resumed by hand, to be overwritten',
      welcome,
      {
        rules: [
          ruleRow(welcome, 1, { name: marked(welcome, REPLACED_RECORD_MARK_LETTER) }),
          ruleRow(welcome, 2),
        ],
      },
      OVER,
      step({
        id: 'subscription:2',
        action: 'change',
        reason: 'svc pauses subscription:1, which this rule replaces',
      }),
    ],
    [
      'was changed by hand',
      welcome,
      own({ actiontimediff: 5 }),
      {},
      drift('rule subscription:1 was changed by hand'),
    ],
    [
      'was changed and paused by hand',
      welcome,
      own({ actiontimediff: 5, paused: true }),
      {},
      drift('rule subscription:1 was changed by hand'),
    ],
    [
      'was paused: by a person, or with its list (interface, "States")',
      welcome,
      own({ paused: true }),
      {},
      drift(
        'rule subscription:1 was paused by hand, or by the service because a list that the rule uses was deleted',
      ),
    ],
    [
      'was paused by hand, to be overwritten',
      welcome,
      own({ paused: true }),
      OVER,
      change('paused', true, false),
    ],
    [
      'has a message that was deleted by hand',
      welcome,
      own({ actiontarget: '4' }),
      {},
      drift('the email message of rule subscription:1, 4, was deleted by hand, or the rule was changed'),
    ],
    // Interface, "Automation rules" 8: PUT changes neither action nor target of an autoresponder.
    [
      'has another message',
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '7' } } }),
      { ...own(), emails: [...emails, { ...messageRow(email('x', { subject: 'x' }), 7), name: 'x' }] },
      {},
      shown({
        action: 'replace',
        reason: replaced,
        changes: [{ attribute: 'actiontarget', from: '1', to: '7' }],
      }),
    ],
    [
      'becomes a notice',
      byNotice,
      own(),
      {},
      shown({
        action: 'replace',
        reason: replaced,
        changes: [
          { attribute: 'actiontype', from: 'email_autoresponder', to: 'notify' },
          { attribute: 'actiontarget', from: '1', to: 'office@example.com' },
        ],
      }),
    ],
    [
      'names a list by a name',
      rule('welcome', { references: { list_id: { name: 'News' }, actiontarget: { key: 'spring' } } }),
      {},
      {},
      blocked('reference', 'list_id must be an id'),
    ],
    [
      'names a message that does not exist',
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '9' } } }),
      {},
      {},
      blocked('reference', 'actiontarget: the service has no message 9'),
    ],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(stepOf(item, rows, options)).toEqual(expected);
  });

  it('of another kind is replaced', () => {
    const dated = rule('welcome', {
      rule: 'date',
      values: { ...notify, actiontimediff: 60 },
      references: {},
    });
    expect(stepOf(dated, own())).toMatchObject({
      action: 'replace',
      id: 'subscription:1',
      reason:
        'the existing record is a rule of kind subscription; actions that rule subscription:1 has queued still run',
    });
  });

  // Contract: "A locked message is replaced by a new version", and its users then refer to that version.
  it('is replaced if its message has a new version, and if it does not send the version in use', () => {
    const locked = { emails: [messageRow(spring, 1, { editable: 0 })], ...own() };
    const pointed = (to: string) =>
      shown({ action: 'replace', reason: replaced, changes: [{ attribute: 'actiontarget', from: '1', to }] });
    expect(stepOf(welcome, locked, {}, other)).toEqual(pointed('(new version)'));
    const versions = { emails: [...emails, messageRow(other, 2)], ...own() };
    expect(stepOf(welcome, versions, {}, other)).toEqual(pointed('2'));
  });

  it('stays with the second record of a version, which a run at the same time made', () => {
    const twice = { ...own({ actiontarget: '2' }), emails: [...emails, messageRow(spring, 2)] };
    expect(stepOf(welcome, twice)).toEqual(shown({ action: 'keep' }));
    const later = rule('welcome', { values: { ...welcome.values, actiontimediff: 120 } });
    expect(stepOf(later, twice)).toEqual(change('actiontimediff', 60, 120));
  });

  it('is neither created nor silently kept if its message is blocked', () => {
    const byHand = [messageRow(spring, 1, { subject: 'By hand' })];
    const waiting = blocked(
      'reference',
      'svc cannot create or change the message of the rule: email message 1 was changed by hand',
    );
    expect(stepOf(welcome, { emails: byHand })).toEqual(waiting);
    expect(stepOf(welcome, { ...own(), emails: byHand })).toEqual({ ...waiting, id: 'subscription:1' });
    const later = rule('welcome', { values: { ...welcome.values, actiontimediff: 120 } });
    expect(stepOf(later, { ...own(), emails: byHand })).toEqual(change('actiontimediff', 60, 120));
    const two = [...emails, messageRow(other, 2, { subject: 'By hand' })];
    const third = email('spring', { subject: 'Third' });
    expect(stepOf(later, { ...own(), emails: two }, {}, third)).toEqual(
      blocked(
        'reference',
        'svc cannot create or change the message of the rule: email message 2 was changed by hand',
      ),
    );
  });
});
