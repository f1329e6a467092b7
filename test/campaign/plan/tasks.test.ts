/**
 * Contract, "Campaigns as files" and "Sends and campaigns, once more": the whole step of a task in each of its states
 * (interface, "States and transitions"), from records alone.
 */
import { describe, expect, it } from 'vitest';
import { computeWantedTaskHash, messageIdentityOfKey } from '../../../src/features/campaign/content.ts';
import {
  computeCampaignNameHash,
  computeItemKeyHash,
  computeRelativeTimeHash,
} from '../../../src/features/campaign/marks.ts';
import type { Step, WantedItem, WantedTask } from '../../../src/features/campaign/model.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import {
  appendCampaignMark,
  CANCELLED_DUPLICATE_MARK_LETTER,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../src/service/resources/campaign-mark.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, HOUR, task, text } from '../support.ts';
import { MADE, marked, messageRow, type Rows, sale, spring, stepsOf, taskRow } from './records.ts';

type Options = Partial<PlanOptions>;

const DUE = NOW + 24 * HOUR;
const { emails } = MADE;
const other = email('spring', { subject: 'Other' });
const byHand = messageRow(spring, 1, { subject: 'By hand' });

/** Returns the step of the last item, after the message that it sends. */
const stepOf = (item: WantedItem, rows: Rows, options: Options = {}, message: WantedItem = spring) =>
  stepsOf([message, item], { emails, ...rows }, options).find(({ key }) => key === item.key);
const step = (more: Partial<Step>): Step =>
  ({ kind: 'task', key: 'sale', name: 'Task sale', ...more }) as Step;
const own = (more: JsonObject = {}, rest: Rows = {}): Rows => ({ ...rest, tasks: [taskRow(sale, 1, more)] });
const blocked = (blockedBy: Step['blockedBy'], reason: string, more: Partial<Step> = {}): Step =>
  step({ action: 'blocked', blockedBy, reason, ...more } as Partial<Step>);
const live = { id: '1', size: null, credits: null, time: DUE };

type Row = readonly [name: string, item: WantedTask, rows: Rows, expected: Step];
type RowWith = readonly [name: string, item: WantedTask, rows: Rows, options: Options, expected: Step];

// Contract: "`svc plan` … shows what would be created, changed, replaced or left, and what is blocked. It also shows
// the truth of each time, sizes, credits".
describe('a task that is not yet sent', () => {
  const slower = task('sale', { rate: 500 });
  const later = task('sale', { at: String(DUE + HOUR) });
  it.each<Row>([
    [
      'is made; size and credits are "counted when made"',
      sale,
      {},
      step({ action: 'create', time: DUE, size: null, credits: null }),
    ],
    [
      'is kept, with its size and a credit for each e-mail',
      sale,
      own({ size: 3 }),
      step({ action: 'keep', ...live, size: 3, credits: 3 }),
    ],
    [
      'has another list: "null where the list differs from what the size was counted for"',
      task('sale', { list: '2' }),
      own({ size: 3 }),
      step({ action: 'change', ...live, changes: [{ attribute: 'list_id', from: '1', to: '2' }] }),
    ],
    [
      'has a search in place of a list',
      task('sale', { list: null, search: '3' }),
      own({ size: 3 }),
      step({
        ...live,
        action: 'change',
        changes: [
          { attribute: 'list_id', from: '1', to: null },
          { attribute: 'search_id', from: null, to: '3' },
        ],
      }),
    ],
    [
      'has another time',
      later,
      own({ size: 3 }),
      step({
        ...live,
        action: 'change',
        size: 3,
        credits: 3,
        time: DUE + HOUR,
        changes: [{ attribute: 'scheduledtime', from: DUE, to: DUE + HOUR }],
      }),
    ],
    [
      'has another name',
      task('sale', { name: 'Other' }),
      own(),
      step({
        ...live,
        name: 'Other',
        action: 'change',
        changes: [{ attribute: 'name', from: 'Task sale', to: 'Other' }],
      }),
    ],
    // Interface, task: PUT takes no `rate`.
    [
      'has another rate',
      slower,
      own(),
      step({
        ...live,
        action: 'replace',
        reason: 'the rate of a task cannot be changed, so svc cancels the task and creates it again',
        changes: [{ attribute: 'rate', from: null, to: 500 }],
      }),
    ],
    [
      'has another rate and another time',
      task('sale', { rate: 500, at: String(DUE + HOUR) }),
      own(),
      step({
        ...live,
        action: 'replace',
        time: DUE + HOUR,
        reason: 'the rate of a task cannot be changed, so svc cancels the task and creates it again',
        changes: [
          { attribute: 'scheduledtime', from: DUE, to: DUE + HOUR },
          { attribute: 'rate', from: null, to: 500 },
        ],
      }),
    ],
    [
      'is being sent and differs',
      later,
      own({}, { now: DUE }),
      blocked('state', 'task 1 is being sent', { ...live, time: DUE + HOUR }),
    ],
    [
      'starts in less than 5 minutes and differs',
      later,
      own({}, { now: DUE - 299 }),
      blocked('time', 'task 1 starts in less than 5 minutes', { ...live, time: DUE + HOUR }),
    ],
    [
      'gets a time that has passed',
      task('sale', { at: String(NOW - HOUR) }),
      own(),
      blocked('time', 'the send time has passed, so the service would send at once', {
        ...live,
        time: NOW - HOUR,
      }),
    ],
    // Contract: "a local time that does not exist" is a fault.
    [
      'gets a time that does not exist',
      task('sale', { at: '2027-03-28 01:30' }),
      own(),
      blocked('time', expect.stringMatching(/^at: .*2027-03-28/) as never),
    ],
    [
      'sends a message that does not exist',
      task('sale', { message: { id: '9' } }),
      own(),
      blocked('reference', 'the service has no message 9'),
    ],
    [
      'to be made, of a message that does not exist',
      task('sale', { message: { id: '9' } }),
      {},
      blocked('reference', 'the service has no message 9'),
    ],
    [
      'to be made, at an invalid time',
      task('sale', { at: 'whenever' }),
      {},
      blocked('time', expect.stringMatching(/^at: /) as never),
    ],
    [
      'was changed by hand',
      sale,
      own({ scheduledtime: DUE + HOUR }),
      blocked('drift', 'task 1 was changed by hand', live),
    ],
    // Interface, "States": a deleted message is hidden, and still sent.
    [
      'has a message that was deleted by hand',
      sale,
      own({ message_id: 4 }),
      blocked('drift', 'the message of task 1, 4, was deleted by hand, but the task still sends it', live),
    ],
  ])('%s', (_name, item, rows, expected) => {
    expect(stepOf(item, rows)).toEqual(expected);
  });

  it('is counted again for another search, and not for the same one', () => {
    const found = task('sale', { list: null, search: '3' });
    const rows = { tasks: [taskRow(found, 1, { list_id: null, search_id: 3, size: 5 })] };
    expect(stepOf(found, rows)).toEqual(step({ action: 'keep', ...live, size: 5, credits: 5 }));
    expect(stepOf({ ...found, search: '4' }, rows)).toEqual(
      step({ ...live, action: 'change', changes: [{ attribute: 'search_id', from: '3', to: '4' }] }),
    );
  });

  // Contract: "To give a task a new version, svc cancels it and creates it again with the same list, time and name".
  it('is replaced if its message has a new version', () => {
    const locked = { emails: [messageRow(spring, 1, { editable: 0 })], ...own({ size: 3 }) };
    const reason = 'the message of the task has a new version, so svc cancels the task and creates it again';
    const replaced = { ...live, action: 'replace', size: 3, credits: 3, reason, changes: [] } as const;
    expect(stepOf(sale, locked, {}, other)).toEqual(step(replaced));
    expect(
      stepOf(sale, own({ message_id: 2, size: 3 }, { emails: [...emails, messageRow(other, 2)] })),
    ).toEqual(step(replaced));
  });

  // Contract, "Campaigns as files": what differs is replaced. Two records of one version have the same content.
  it('stays with the second record of a version, which a run at the same time made', () => {
    const twice = { emails: [...emails, messageRow(spring, 2)] };
    expect(stepOf(sale, own({ message_id: 2, size: 3 }, twice))).toEqual(
      step({ action: 'keep', ...live, size: 3, credits: 3 }),
    );
    const changed = { emails: [...emails, messageRow(spring, 2, { subject: 'By hand' })] };
    expect(stepOf(sale, own({ message_id: 2, size: 3 }, changed))).toMatchObject({ action: 'replace' });
  });

  it('is replaced if its message has another channel, and then counted again', () => {
    const sms = text('spring');
    const rows = { texts: [messageRow(sms, 1)], ...own({ size: 3 }) };
    expect(stepOf(sale, rows, {}, sms)).toMatchObject({ action: 'replace', size: null, credits: null });
  });

  // Wire, "credits": an SMS costs one for each part and recipient.
  it.each([
    ['of one part', { message: 'Hello' }, 3],
    ['of two parts', { message: 'x'.repeat(161) }, 6],
  ])('costs the parts of its SMS: %s', (_name, values, credits) => {
    const sms = text('spring', values);
    const rows = {
      texts: [messageRow(text('x', { message: 'y'.repeat(400) }), 4), messageRow(sms, 1)],
      ...own({ channel: 'sms', size: 3 }),
    };
    expect(stepOf(sale, rows, {}, sms)).toMatchObject({ action: 'keep', size: 3, credits });
  });

  // Contract: "A `hold` in a file is counted down by `apply`", so the time must be that far ahead.
  it('is made if its time is as far ahead as its hold, and blocked if it is earlier', () => {
    expect(stepOf(task('sale', { hold: 24 * HOUR }), {})?.action).toBe('create');
    expect(stepOf(task('sale', { hold: 48 * HOUR, at: String(DUE + 24 * HOUR - 1) }), {})).toEqual(
      blocked('time', 'the countdown (hold) of 2 days would end after the send time', {
        time: DUE + 24 * HOUR - 1,
      }),
    );
  });

  it('explains special cases of its time', () => {
    const twice = stepOf(task('sale', { at: '2027-10-31 01:30' }), {});
    expect(twice).toMatchObject({ action: 'create', reason: expect.stringMatching(/./) });
    expect(stepOf(sale, {})?.reason).toBeUndefined();
  });
});

// Contract: "A task that fails `expect-size` or `max-credits` does not stay live."
describe('the limits of a task', () => {
  const sized = own({ size: 3 });
  const shown = { ...live, size: 3, credits: 3 };
  const from1to2 = task('sale', { expectSize: { from: 1, to: 2 } });
  it.each<Row>([
    [
      'hold',
      task('sale', { expectSize: { from: 3, to: 3 }, maxCredits: 3 }),
      sized,
      step({ ...shown, action: 'keep' }),
    ],
    [
      'of its size do not hold',
      from1to2,
      sized,
      step({
        ...shown,
        action: 'change',
        changes: [],
        reason: 'task 1 has 3 subscriptions, expected 1 to 2, so svc cancels the task',
      }),
    ],
    [
      'of its credits do not hold',
      task('sale', { maxCredits: 2 }),
      sized,
      step({
        ...shown,
        action: 'change',
        changes: [],
        reason: 'task 1 would cost 3 credits, but the maximum is 2, so svc cancels the task',
      }),
    ],
    [
      'do not hold while it is being sent',
      from1to2,
      { ...sized, now: DUE + 1 },
      blocked(
        'state',
        'task 1 has 3 subscriptions, expected 1 to 2, but svc cannot change the task while it is being sent',
        shown,
      ),
    ],
    [
      'do not hold shortly before it is sent',
      from1to2,
      { ...sized, now: DUE - 299 },
      blocked('time', 'task 1 starts in less than 5 minutes', shown),
    ],
    [
      'are judged after a change, if the list differs',
      { ...from1to2, list: '2' },
      sized,
      step({ ...live, action: 'change', changes: [{ attribute: 'list_id', from: '1', to: '2' }] }),
    ],
  ])('%s', (_name, item, rows, expected) => {
    expect(stepOf(item, rows)).toEqual(expected);
  });
});

describe('a task whose message is blocked', () => {
  const reason = 'svc cannot create or change the message of the task: email message 1 was changed by hand';
  const rows = { ...own(), emails: [byHand] };
  it.each<Row>([
    ['is not made', sale, { emails: [byHand] }, blocked('reference', reason, { time: DUE })],
    ['is blocked instead of silently kept', sale, rows, blocked('reference', reason, live)],
    ['is kept while it is being sent', sale, { ...rows, now: DUE }, step({ ...live, action: 'keep' })],
    [
      'is changed otherwise',
      task('sale', { list: '2' }),
      rows,
      step({ ...live, action: 'change', changes: [{ attribute: 'list_id', from: '1', to: '2' }] }),
    ],
    [
      'is kept if only a version that it does not use was changed by hand',
      sale,
      { ...own(), emails: [...emails, messageRow(other, 2, { subject: 'By hand' })] },
      step({ ...live, action: 'keep' }),
    ],
  ])('%s', (_name, item, given, expected) => {
    expect(stepOf(item, given)).toEqual(expected);
  });

  it('stays with its current version', () => {
    const third = email('spring', { subject: 'Third' });
    const given = { ...own(), emails: [...emails, messageRow(other, 2, { subject: 'By hand' })] };
    expect(stepOf(sale, given, {}, third)).toEqual(
      blocked(
        'reference',
        'svc cannot create or change the message of the task: email message 2 was changed by hand',
        live,
      ),
    );
  });
});

describe('a task that was sent', () => {
  const sent = (more: JsonObject = {}, rest: Rows = {}) => own({ completed: true, size: 3, ...more }, rest);
  const keep = { action: 'keep', id: '1', size: 3, credits: 3 } as const;
  const again = 'to send the message again, use a new key in the file';
  it.each<Row>([
    ['is kept', sale, sent(), step({ ...keep, reason: `the task has been sent; ${again}` })],
    [
      'differs in its time',
      task('sale', { at: String(DUE + HOUR) }),
      sent(),
      blocked(
        'state',
        `task 1 has been sent with values that differ from the file: scheduledtime; ${again}`,
        {
          id: '1',
          time: DUE + HOUR,
          changes: [{ attribute: 'scheduledtime', from: DUE, to: DUE + HOUR }],
        },
      ),
    ],
    [
      'differs in its message and rate',
      task('sale', { rate: 500, message: { id: '7' } }),
      sent({}, { emails: [...emails, { ...messageRow(other, 7), name: 'x' }] }),
      blocked(
        'state',
        `task 1 has been sent with values that differ from the file: rate, message; ${again}`,
        {
          id: '1',
          time: DUE,
          changes: [{ attribute: 'rate', from: null, to: 500 }],
        },
      ),
    ],
    [
      'had the same content as the message of the file',
      task('sale', { message: { id: '7' } }),
      sent({}, { emails: [...emails, { ...messageRow(spring, 7), name: 'x' }] }),
      step({ ...keep, reason: `the task has been sent; ${again}` }),
    ],
    [
      'has a message of the file that no longer exists',
      task('sale', { message: { id: '9' } }),
      sent(),
      blocked('state', `task 1 has been sent with values that differ from the file: message; ${again}`, {
        id: '1',
        time: DUE,
        changes: [],
      }),
    ],
    [
      'has a message that was deleted since: it cannot be compared',
      task('sale', { message: { id: '7' } }),
      sent({ message_id: 4 }, { emails: [{ ...messageRow(other, 7), name: 'x' }] }),
      step({ ...keep, reason: `the task has been sent; ${again}` }),
    ],
    [
      'has an invalid time',
      task('sale', { at: 'whenever' }),
      sent(),
      blocked('time', expect.stringMatching(/^at: /) as never, { id: '1' }),
    ],
  ])('%s', (_name, item, rows, expected) => {
    expect(stepOf(item, rows)).toEqual(expected);
  });

  // Contract: "A sent task whose message has a new version stays `keep` and says which version went out."
  it('shows which version was sent', () => {
    const reason = `the task has been sent with email message 1, an earlier version; ${again}`;
    expect(stepOf(sale, sent({}, { emails: [messageRow(spring, 1, { editable: 0 })] }), {}, other)).toEqual(
      step({ ...keep, reason }),
    );
    expect(stepOf(sale, sent({}, { emails: [...emails, messageRow(other, 2)] }), {}, other)).toEqual(
      step({ ...keep, reason }),
    );
  });

  it('does not call the second record of its version an earlier one', () => {
    const twice = { emails: [...emails, messageRow(spring, 2)] };
    expect(stepOf(sale, sent({ message_id: 2 }, twice))).toEqual(
      step({ ...keep, reason: `the task has been sent; ${again}` }),
    );
  });

  it('by SMS has its parts as credits, unless its message no longer exists or has no text', () => {
    const sms = text('spring', { message: 'x'.repeat(161) });
    const credits = (texts: readonly JsonObject[]) =>
      stepOf(sale, sent({ channel: 'sms' }, { texts }), {}, sms)?.credits;
    expect(credits([messageRow(sms, 1)])).toBe(6);
    expect(credits([messageRow(sms, 2)])).toBeNull();
    expect(credits([messageRow(sms, 1, { message: null })])).toBeNull();
  });
});

// Contract: "nothing is created or sent twice".
describe('a task that exists twice', () => {
  const early = task('sale', { at: String(NOW + 299) });
  const rows = (...others: readonly JsonObject[]): Rows => ({ tasks: [taskRow(sale, 1), ...others] });
  const sent = taskRow(sale, 1, { completed: true });
  const soon = 'task 1 and task 2 were created for this item, and task 2 starts too soon to be cancelled';
  it.each<RowWith>([
    [
      'one of them stays',
      sale,
      rows(taskRow(sale, 2), taskRow(sale, 3)),
      {},
      step({
        action: 'change',
        id: '1',
        reason: 'the task was created more than once, so svc cancels task 2, 3',
      }),
    ],
    [
      'one of them stays and is changed',
      task('sale', { list: '2' }),
      rows(taskRow(sale, 2)),
      {},
      step({
        ...live,
        action: 'change',
        reason: 'the task was created more than once, so svc cancels task 2',
        changes: [{ attribute: 'list_id', from: '1', to: '2' }],
      }),
    ],
    [
      'one of them stays and is replaced',
      task('sale', { rate: 500 }),
      rows(taskRow(sale, 2)),
      {},
      step({
        ...live,
        action: 'replace',
        reason:
          'the task was created more than once, so svc cancels task 2; the rate of a task cannot be changed, so svc cancels the task and creates it again',
        changes: [{ attribute: 'rate', from: null, to: 500 }],
      }),
    ],
    [
      'one of them was changed by hand',
      sale,
      rows(taskRow(sale, 2), taskRow(sale, 3, { scheduledtime: DUE + HOUR })),
      {},
      blocked('drift', 'the task exists more than once, and someone changed task 3 by hand', { id: '1' }),
    ],
    [
      'the one that stays was changed by hand, which the step reports',
      sale,
      { tasks: [taskRow(sale, 1, { scheduledtime: DUE + HOUR }), taskRow(sale, 2)] },
      {},
      step({
        action: 'change',
        id: '1',
        reason: 'the task was created more than once, so svc cancels task 2; task 1 was changed by hand',
      }),
    ],
    [
      'one of them was changed by hand, and is to be overwritten',
      sale,
      rows(taskRow(sale, 2, { scheduledtime: DUE + HOUR })),
      { overwrite: true },
      step({
        action: 'change',
        id: '1',
        reason: 'the task was created more than once, so svc cancels task 2',
      }),
    ],
    ['starts too soon', sale, rows(taskRow(early, 2)), {}, blocked('state', soon, { id: '1' })],
    [
      'starts too soon, though it is also to be changed',
      task('sale', { list: '2' }),
      rows(taskRow(early, 2)),
      {},
      blocked('state', soon, { id: '1' }),
    ],
    [
      'one of three starts too soon',
      sale,
      rows(taskRow(early, 2), taskRow(sale, 3)),
      {},
      blocked(
        'state',
        'task 1 and task 2, 3 were created for this item, and task 2, 3 starts too soon to be cancelled',
        {
          id: '1',
        },
      ),
    ],
    [
      'starts just late enough',
      sale,
      rows(taskRow(task('sale', { at: String(NOW + 300) }), 2)),
      {},
      step({
        action: 'change',
        id: '1',
        reason: 'the task was created more than once, so svc cancels task 2',
      }),
    ],
    [
      'one of them was sent',
      sale,
      { tasks: [sent, taskRow(sale, 2)] },
      {},
      step({
        action: 'change',
        id: '1',
        reason: 'the task was created more than once, so svc cancels task 2',
      }),
    ],
    [
      'one of them was sent and another cancelled',
      sale,
      { tasks: [taskRow(sale, 2, { cancelled: true }), sent] },
      {},
      step({
        action: 'keep',
        id: '1',
        size: null,
        credits: null,
        reason: 'the task has been sent; to send the message again, use a new key in the file',
      }),
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(stepOf(item, given, options)).toEqual(expected);
  });
});

// Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
describe('a task that was cancelled', () => {
  const cancelled = (id: number, more: JsonObject = {}) =>
    taskRow(sale, id, { cancelled: true, endtime: NOW - 100, ...more });
  const setAside = (id: number, more: JsonObject = {}) =>
    cancelled(id, { name: marked(sale, REPLACED_RECORD_MARK_LETTER), ...more });
  const create = step({ action: 'create', time: DUE, size: null, credits: null });
  const drift = (id: string) => blocked('drift', `task ${id} was cancelled by hand`, { id });
  const begun = blocked(
    'state',
    'task 1 was cancelled, but some recipients may have received it; to send the message again, use a new key in the file',
    { id: '1' },
  );
  it.each<RowWith>([
    ['by hand', sale, { tasks: [cancelled(1)] }, {}, drift('1')],
    [
      'by hand, to be overwritten',
      sale,
      { tasks: [cancelled(1)] },
      { overwrite: true },
      { ...create, reason: 'task 1 was cancelled by hand, and --overwrite creates it again' },
    ],
    ['by hand twice', sale, { tasks: [cancelled(1), cancelled(2)] }, {}, drift('2')],
    ['by apply itself', sale, { tasks: [setAside(1)] }, {}, create],
    ['by apply itself, and then by hand', sale, { tasks: [setAside(1), cancelled(2)] }, {}, drift('2')],
    [
      'by hand, and later replaced',
      sale,
      { tasks: [cancelled(1), setAside(2, { cdate: NOW - 100 })] },
      {},
      create,
    ],
    [
      'by hand after two runs had made it',
      sale,
      { tasks: [cancelled(1), setAside(2, { cdate: NOW - 101 })] },
      {},
      drift('1'),
    ],
    [
      'as a duplicate',
      sale,
      { tasks: [cancelled(1, { name: marked(sale, CANCELLED_DUPLICATE_MARK_LETTER) })] },
      {},
      create,
    ],
    // Interface, task: `endtime` is when it was cancelled.
    ['after it was due', sale, { tasks: [cancelled(1, { endtime: DUE, scheduledtime: DUE })] }, {}, begun],
    ['after it was due, by apply', sale, { tasks: [setAside(1, { endtime: DUE + 1 })] }, {}, begun],
    [
      'after it was due, to be overwritten',
      sale,
      { tasks: [cancelled(1, { endtime: DUE })] },
      { overwrite: true },
      begun,
    ],
    ['a second before it was due', sale, { tasks: [cancelled(1, { endtime: DUE - 1 })] }, {}, drift('1')],
    [
      'at an unknown time',
      sale,
      { tasks: [cancelled(1, { endtime: null, scheduledtime: 0 })] },
      {},
      drift('1'),
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(stepOf(item, given, options)).toEqual(expected);
  });
});

// Contract: "The text of a relative time in a campaign file belongs to the item: editing it is a change."
describe('a relative time', () => {
  const inDays = (days: number) => task('sale', { at: `+${days}d` });
  const DAY = 24 * HOUR;
  const made = (words: string, time: number, more: JsonObject = {}, content?: string): JsonObject => ({
    ...taskRow(sale, 1, { scheduledtime: time, ...more }),
    name: appendCampaignMark(sale.name, {
      campaignHash: computeCampaignNameHash('Spring'),
      keyHash: computeItemKeyHash('task', 'sale'),
      contentHashOrReason: content ?? computeWantedTaskHash(sale, messageIdentityOfKey('spring'), time),
      relativeTimeHash: computeRelativeTimeHash(words),
    }),
  });
  const aside = (time: number) => made('+6d', time, { cancelled: true }, REPLACED_RECORD_MARK_LETTER);
  const time = NOW + 6 * DAY;
  it.each<RowWith>([
    ['counts from now', inDays(6), {}, {}, step({ action: 'create', time, size: null, credits: null })],
    [
      'counts from the creation of the plan',
      inDays(6),
      { now: NOW + HOUR },
      { madeAt: NOW },
      step({ action: 'create', time, size: null, credits: null }),
    ],
    [
      'keeps its moment while its words stay the same',
      inDays(6),
      { tasks: [made('+6d', time)], now: NOW + HOUR },
      {},
      step({ ...live, time, action: 'keep' }),
    ],
    [
      'keeps its moment with other upper and lower case',
      task('sale', { at: ' +6D ' }),
      { tasks: [made('+6d', time)], now: NOW + HOUR },
      {},
      step({ ...live, time, action: 'keep' }),
    ],
    [
      'is counted again for other words',
      inDays(7),
      { tasks: [made('+6d', time)] },
      {},
      step({
        ...live,
        time: time + DAY,
        action: 'change',
        changes: [{ attribute: 'scheduledtime', from: time, to: time + DAY }],
        reason: 'the time "+7d" is relative to now',
      }),
    ],
    [
      'is a change with other words for the same moment',
      inDays(6),
      { tasks: [made('+7d', time)] },
      {},
      step({ ...live, time, action: 'change', changes: [], reason: 'the time "+6d" is relative to now' }),
    ],
    [
      'equals the same absolute time',
      task('sale', { at: String(time) }),
      { tasks: [made('+6d', time)] },
      {},
      step({ ...live, time, action: 'keep' }),
    ],
    [
      'stays for a task that is made again',
      inDays(6),
      { tasks: [aside(NOW + 300)] },
      {},
      step({ action: 'create', time: NOW + 300, size: null, credits: null }),
    ],
    [
      'is counted again for a task that is made again too late',
      inDays(6),
      { tasks: [aside(NOW + 299)] },
      {},
      step({ action: 'create', time, size: null, credits: null }),
    ],
    [
      'stays for a task that was sent',
      inDays(6),
      { tasks: [made('+6d', NOW - DAY, { completed: true })] },
      {},
      step({
        action: 'keep',
        id: '1',
        size: null,
        credits: null,
        reason: 'the task has been sent; to send the message again, use a new key in the file',
      }),
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(stepOf(item, given, options)).toEqual(expected);
  });
});

// Contract: "A record without its mark that does the same as an item … blocks the item until `--adopt ID` or another
// name settles it."
describe('a task without a mark', () => {
  const foreign = (more: JsonObject = {}) => taskRow(sale, 7, { name: 'By hand', ...more });
  const same = 'belongs to no campaign and sends the same message to the same recipients';
  const scheduled = `task 7 is scheduled, ${same}: --adopt sale=7 adopts it, svc task cancel 7 cancels it, --both sends both`;
  const sent = `task 7 was sent, ${same}: id: 7 in the file marks it as this task, --overwrite sends it again`;
  const create = step({ action: 'create', time: DUE, size: null, credits: null });
  it.each<RowWith>([
    ['blocks the item', sale, { tasks: [foreign()] }, {}, blocked('drift', scheduled, { id: '7' })],
    [
      'blocks the item at any time',
      sale,
      { tasks: [foreign({ scheduledtime: DUE + HOUR })] },
      {},
      blocked('drift', scheduled, { id: '7' }),
    ],
    [
      'does not with --both',
      sale,
      { tasks: [foreign()] },
      { both: true },
      {
        ...create,
        reason:
          '--both: task 7 is scheduled, belongs to no campaign and sends the same message to the same recipients (to list 1 at Wed 2026-12-02 09:00 Europe/London)',
      },
    ],
    ['does not to another list', sale, { tasks: [foreign({ list_id: 2 })] }, {}, create],
    ['does not if it was cancelled', sale, { tasks: [foreign({ cancelled: true })] }, {}, create],
    [
      'blocks the item if it was sent',
      sale,
      { tasks: [foreign({ completed: true })] },
      {},
      blocked('drift', sent, { id: '7' }),
    ],
    [
      'does not if it was sent and is to be sent again',
      sale,
      { tasks: [foreign({ completed: true })] },
      { overwrite: true },
      {
        ...create,
        reason: 'task 7 has sent the same message to the same recipients, and --overwrite sends it again',
      },
    ],
    [
      'blocks a change of the item',
      task('sale', { list: '2' }),
      { tasks: [taskRow(sale, 1), foreign({ list_id: 2 })] },
      {},
      blocked('drift', scheduled, { ...live, id: '7' }),
    ],
    [
      'does not block a change if it sent the same before',
      task('sale', { at: String(DUE + HOUR) }),
      { tasks: [taskRow(sale, 1), foreign()] },
      {},
      step({
        ...live,
        time: DUE + HOUR,
        action: 'change',
        changes: [{ attribute: 'scheduledtime', from: DUE, to: DUE + HOUR }],
      }),
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(stepOf(item, given, options)).toEqual(expected);
  });

  it('is missing if an item names it by an unknown id, whatever other records exist', () => {
    const item = task('sale', { adopted: { id: '9', hash: null } });
    const reason = 'task 9 not found; to create a new record, remove the id of this item from the file';
    expect(stepOf(item, { tasks: [foreign()] })).toEqual(blocked('reference', reason));
    const existing = { ...item, name: 'By hand', adopted: { id: '7', hash: null } };
    expect(stepOf(existing, { tasks: [foreign()] })).toEqual(
      step({ ...live, name: 'By hand', id: '7', action: 'keep' }),
    );
  });
});

// Contract: "A reference is a key of the file, an id, or an exact name."
describe('the message of a task', () => {
  const seven = { ...messageRow(email('x'), 7), name: 'Old' };
  const rows = { emails: [seven], texts: [{ ...messageRow(text('x'), 7), name: 'Text' }] };
  it.each<readonly [string, Partial<WantedTask>, string | undefined]>([
    [
      'an id of both channels',
      { message: { id: '7' } },
      'the service has more than one message 7: email 7, sms 7',
    ],
    ['an id and a channel', { message: { id: '7' }, channel: 'sms' }, undefined],
    ['a name', { message: { name: 'Old' } }, undefined],
    [
      'a name of the other channel',
      { message: { name: 'Old' }, channel: 'sms' },
      'the service has no message "Old"',
    ],
    ['a key of the other channel', { channel: 'sms' }, 'message spring is for email, but must be for sms'],
    ['a key that is not a message', { message: { key: 'nothing' } }, 'the file has no message nothing'],
  ])('is found by %s', (_name, more, reason) => {
    const found = stepOf(task('sale', more), rows);
    expect(found).toMatchObject(
      reason === undefined ? { action: 'create' } : { action: 'blocked', blockedBy: 'reference', reason },
    );
    const exists = stepOf(task('sale', more), { ...rows, ...own() });
    if (reason !== undefined)
      expect(exists).toMatchObject({ action: 'blocked', blockedBy: 'reference', reason });
  });
});
