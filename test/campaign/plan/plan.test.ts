/**
 * Contract, "Campaigns as files": the step of each item in each state of the interface ("States and transitions"), from records alone.
 * The tests test/campaign/*-states.test.ts apply such steps to a service.
 */
import { describe, expect, it } from 'vitest';
import { computeWantedMessageHash } from '../../../src/features/campaign/content.ts';
import { computeFolderNameHash } from '../../../src/features/campaign/marks.ts';
import type { WantedItem } from '../../../src/features/campaign/model.ts';
import { findItemFaults } from '../../../src/features/campaign/plan/faults.ts';
import { leavesAllRecordsUnchanged } from '../../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../src/service/resources/campaign-mark.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, HOUR, inWords, rule, task, text } from '../support.ts';
import {
  folder,
  folderRow,
  ITEMS,
  MADE,
  marked,
  messageRow,
  NONE,
  planOf,
  type Rows,
  ruleRow,
  sale,
  spring,
  stepsOf,
  taskRow,
  welcome,
} from './records.ts';

const words = (...args: Parameters<typeof planOf>) => inWords(stepsOf(...args));
const reason = (...args: Parameters<typeof planOf>) => stepsOf(...args).at(-1)?.reason;

describe('a file', () => {
  it('creates its items in its order if it was never applied', () => {
    expect(words(ITEMS, NONE)).toEqual([
      'create folder news',
      'create message spring',
      'create task sale',
      'create automation welcome',
    ]);
  });

  it('keeps its items if it was applied, and then has no steps', () => {
    expect(words(ITEMS, MADE)).toEqual([
      'keep folder news',
      'keep message spring',
      'keep task sale',
      'keep automation welcome',
    ]);
    expect(leavesAllRecordsUnchanged(stepsOf(ITEMS, MADE))).toBe(true);
    expect(leavesAllRecordsUnchanged(stepsOf(ITEMS, NONE))).toBe(false);
  });

  it('whose message is locked and differs gets a new version, and its task and rule are moved to it', () => {
    const other = email('spring', { subject: 'Other' });
    const rows = { ...MADE, emails: [messageRow(spring, 1, { editable: 0 })] };
    expect(words([folder(), other, sale, welcome], rows)).toEqual([
      'keep folder news',
      'replace message spring',
      'replace task sale',
      'replace automation welcome',
    ]);
  });
});

type Row = readonly [
  name: string,
  item: WantedItem,
  rows: Rows,
  options: Partial<PlanOptions>,
  expected: string,
];
const OVER = { overwrite: true };

describe('a folder', () => {
  it.each<Row>([
    ['with another name in the file', folder('Spring'), { folders: MADE.folders }, {}, 'change folder news'],
    [
      'renamed by hand',
      folder(),
      { folders: [folderRow({ name: marked({ ...folder('Hand') }, computeFolderNameHash('News')) })] },
      {},
      'blocked folder news drift',
    ],
    [
      'renamed by hand, to be overwritten',
      folder(),
      { folders: [folderRow({ name: marked({ ...folder('Hand') }, computeFolderNameHash('News')) })] },
      OVER,
      'change folder news',
    ],
    [
      'without a mark is not the campaign’s',
      folder(),
      { folders: [folderRow({ name: 'News' })] },
      {},
      'create folder news',
    ],
    [
      'of another campaign',
      folder(),
      { folders: [folderRow({ name: marked(folder(), computeFolderNameHash('News'), 'Autumn') })] },
      {},
      'create folder news',
    ],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(words([item], rows, options)).toEqual([expected]);
  });
});

describe('a message', () => {
  const other = email('spring', { subject: 'Other' });
  const byHand = { emails: [messageRow(spring, 1, { subject: 'By hand' })] };
  it.each<Row>([
    ['that differs', other, MADE, {}, 'change message spring'],
    ['with another name', { ...spring, name: 'Renamed' }, MADE, {}, 'change message spring'],
    [
      'that differs and is locked',
      other,
      { emails: [messageRow(spring, 1, { editable: 0 })] },
      {},
      'replace message spring',
    ],
    [
      'that is the same and is locked',
      spring,
      { emails: [messageRow(spring, 1, { editable: 0 })] },
      {},
      'keep message spring',
    ],
    ['changed by hand', spring, byHand, {}, 'blocked message spring drift'],
    ['changed by hand, to be overwritten', spring, byHand, OVER, 'change message spring'],
    [
      'whose newest version is the same',
      spring,
      { emails: [messageRow(other, 1), messageRow(spring, 2)] },
      {},
      'keep message spring',
    ],
    ['of SMS', text('sms'), { texts: [messageRow(text('sms'), 1)] }, {}, 'keep message sms'],
    [
      'of SMS that differs',
      text('sms', { message: 'Ho' }),
      { texts: [messageRow(text('sms'), 1)] },
      {},
      'change message sms',
    ],
  ])('%s', (_name, item, rows, options, expected) => {
    expect(words([item], { ...rows, folders: [], tasks: [], rules: [] }, options)).toEqual([expected]);
  });
});

describe('a task', () => {
  const at = (hours: number) => task('sale', { at: String(NOW + hours * HOUR) });
  const rows = (more: JsonObject, now = NOW): Rows => ({
    emails: MADE.emails,
    tasks: [taskRow(sale, 1, more)],
    now,
  });
  it.each<Row>([
    ['with another time', at(30), rows({}), {}, 'change task sale'],
    ['with another list', task('sale', { list: '2' }), rows({}), {}, 'change task sale'],
    ['with another name', task('sale', { name: 'Other' }), rows({}), {}, 'change task sale'],
    // Interface, task: PUT takes no `rate`.
    ['with another rate', task('sale', { rate: 500 }), rows({}), {}, 'replace task sale'],
    [
      'with a search instead of its list',
      task('sale', { list: null, search: '3' }),
      rows({}),
      {},
      'change task sale',
    ],
    [
      'that starts in less than 5 minutes',
      at(30),
      rows({}, NOW + 24 * HOUR - 299),
      {},
      'blocked task sale time',
    ],
    ['that starts in 5 minutes', at(30), rows({}, NOW + 24 * HOUR - 300), {}, 'change task sale'],
    ['that is being sent and is the same', sale, rows({}, NOW + 24 * HOUR + 1), {}, 'keep task sale'],
    ['that is being sent and differs', at(30), rows({}, NOW + 24 * HOUR + 1), {}, 'blocked task sale state'],
    ['that was sent', sale, rows({ completed: true }), {}, 'keep task sale'],
    ['that was sent and differs', at(30), rows({ completed: true }), {}, 'blocked task sale state'],
    [
      'that was sent and differs, to be overwritten',
      at(30),
      rows({ completed: true }),
      OVER,
      'blocked task sale state',
    ],
    ['cancelled by hand', sale, rows({ cancelled: true }), {}, 'blocked task sale drift'],
    ['cancelled by hand, to be overwritten', sale, rows({ cancelled: true }), OVER, 'create task sale'],
    [
      'whose time was changed by hand',
      sale,
      rows({ scheduledtime: NOW + 30 * HOUR }),
      {},
      'blocked task sale drift',
    ],
    [
      'whose time was changed by hand, to be overwritten',
      sale,
      rows({ scheduledtime: NOW + 30 * HOUR }),
      OVER,
      'change task sale',
    ],
    ['to be made at a time that has passed', at(-1), { emails: MADE.emails }, {}, 'blocked task sale time'],
    ['to be made too soon', at(0.05), { emails: MADE.emails }, {}, 'blocked task sale time'],
    ['to be made after 2 years', at(24 * 800), { emails: MADE.emails }, {}, 'blocked task sale time'],
    [
      'to be made earlier than its hold',
      task('sale', { hold: 48 * HOUR }),
      { emails: MADE.emails },
      {},
      'blocked task sale time',
    ],
    [
      'of a message that does not exist',
      task('sale', { message: { id: '9' } }),
      {},
      {},
      'blocked task sale reference',
    ],
    [
      'of a message by a name that does not exist',
      task('sale', { message: { name: 'x' } }),
      {},
      {},
      'blocked task sale reference',
    ],
    [
      'that apply set aside',
      sale,
      rows({ cancelled: true, name: marked(sale, REPLACED_RECORD_MARK_LETTER) }),
      {},
      'create task sale',
    ],
    [
      'that was withdrawn in favor of another',
      sale,
      rows({ cancelled: true, name: marked(sale, CANCELLED_DUPLICATE_MARK_LETTER) }),
      {},
      'create task sale',
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(words([spring, item], given, options).at(-1)).toBe(expected);
  });

  it.each<readonly [string, WantedItem, Rows, string]>([
    ['differs', at(30), rows({ completed: true }), 'differ from the file: scheduledtime;'],
    [
      'has passed',
      at(-1),
      { emails: MADE.emails },
      'the send time has passed, so the service would send at once',
    ],
    ['is too near', at(0.05), { emails: MADE.emails }, 'the send time is less than 5 minutes ahead'],
    [
      'is too far',
      at(24 * 800),
      { emails: MADE.emails },
      'the send time is more than 2 years ahead; check the year',
    ],
    [
      'is in milliseconds',
      task('sale', { at: '1796115600000' }),
      { emails: MADE.emails },
      'at: 1796115600000 looks like milliseconds; use Unix seconds',
    ],
    [
      'is before the end of the hold',
      task('sale', { hold: 48 * HOUR }),
      { emails: MADE.emails },
      'the countdown (hold) of 2 days would end after the send time',
    ],
  ])('explains %s', (_name, item, given, said) => {
    expect(reason([spring, item], given)).toContain(said);
  });

  // Contract, "Sends and campaigns, once more": a record without a mark that does the same blocks the item.
  it('is blocked if it does the same as another one, unless both are intended', () => {
    const foreign = { emails: MADE.emails, tasks: [taskRow(sale, 7, { name: 'By hand' })] };
    expect(words([spring, sale], foreign).at(-1)).toMatch(/^blocked task sale /);
    expect(reason([spring, sale], foreign)).toContain('7');
    expect(words([spring, sale], foreign, { both: true }).at(-1)).toBe('create task sale');
    const cancelled = { ...foreign, tasks: [taskRow(sale, 7, { name: 'By hand', cancelled: true })] };
    expect(words([spring, sale], cancelled).at(-1)).toBe('create task sale');
  });

  it('is blocked the second time if it is twice in a file', () => {
    expect(
      words([spring, sale, task('again')], { emails: MADE.emails }).map((line) => line.split(' ')[0]),
    ).toEqual(['keep', 'create', 'blocked']);
  });
});

describe('a rule', () => {
  const later = rule('welcome', { values: { ...welcome.values, actiontimediff: 120 } });
  const rows = (more: JsonObject): Rows => ({ emails: MADE.emails, rules: [ruleRow(welcome, 1, more)] });
  it.each<Row>([
    ['that differs', later, rows({}), {}, 'change automation welcome'],
    ['that is to be paused', rule('welcome', { paused: true }), rows({}), {}, 'change automation welcome'],
    ['with another name', rule('welcome', { name: 'Other' }), rows({}), {}, 'change automation welcome'],
    ['paused by hand', welcome, rows({ paused: true }), {}, 'blocked automation welcome drift'],
    ['paused by hand, to be overwritten', welcome, rows({ paused: true }), OVER, 'change automation welcome'],
    ['changed by hand', welcome, rows({ actiontimediff: 5 }), {}, 'blocked automation welcome drift'],
    [
      'of a message that does not exist',
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '9' } } }),
      {},
      {},
      'blocked automation welcome reference',
    ],
    [
      'that apply set aside',
      welcome,
      rows({ paused: true, name: marked(welcome, REPLACED_RECORD_MARK_LETTER) }),
      {},
      'create automation welcome',
    ],
  ])('%s', (_name, item, given, options, expected) => {
    expect(words([spring, item], given, options).at(-1)).toBe(expected);
  });

  it('is blocked if it does the same as another one, unless both are intended', () => {
    const foreign = { emails: MADE.emails, rules: [ruleRow(welcome, 7, { name: 'By hand' })] };
    expect(words([spring, welcome], foreign).at(-1)).toMatch(/^blocked automation welcome /);
    expect(words([spring, welcome], foreign, { both: true }).at(-1)).toBe('create automation welcome');
  });
});

describe('a record that the file no longer names', () => {
  it('is kept, and the plan says so', () => {
    expect(words([], MADE)).toEqual([
      'orphaned automation subscription:1',
      'orphaned task 1',
      'orphaned message 1',
      'orphaned folder 1',
    ]);
    expect(reason([], MADE)).toBe('the file no longer contains this folder');
    expect(stepsOf([], MADE)[0]?.reason).toBe(
      'the file no longer contains this automation, which is active and still acts',
    );
    expect(leavesAllRecordsUnchanged(stepsOf([], MADE))).toBe(true);
  });

  it('is removed with --prune: first records that act by themselves, and users before what they use', () => {
    const steps = stepsOf([email('other')], MADE, { prune: true });
    expect(inWords(steps)).toEqual([
      'cancel automation subscription:1',
      'cancel task 1',
      'create message other',
      'cancel message 1',
      'cancel folder 1',
    ]);
    expect(steps.map((step) => step.reason)).toEqual([
      // Interface, "States", automation rule, DELETE: "Queued actions are aborted".
      'the file no longer contains this automation, so svc deletes it with the actions that it has queued',
      'the file no longer contains this task, so svc cancels it; it goes to list 1 on Wed 2026-12-02 09:00 Europe/London',
      undefined,
      'the file no longer contains this message, so svc deletes it',
      'the file no longer contains this folder, so svc deletes it',
    ]);
  });

  const task1 = taskRow(sale, 1, { name: 'By hand' });
  const rule1 = ruleRow(welcome, 1, { name: 'By hand' });
  it.each<readonly [string, Rows, readonly string[]]>([
    [
      'one list',
      { folders: [folderRow({ list_count: 1 })] },
      [
        'svc does not delete a folder that contains a list; to delete it with all lists, run svc folder delete 1',
      ],
    ],
    [
      'lists',
      { folders: [folderRow({ list_count: 2 })] },
      [
        'svc does not delete a folder that contains 2 lists; to delete it with all lists, run svc folder delete 1',
      ],
    ],
    [
      'a task that is being sent',
      { tasks: [taskRow(sale, 1, { scheduledtime: NOW })] },
      ['the task is being sent'],
    ],
    ['a task that was sent', { tasks: [taskRow(sale, 1, { completed: true })] }, []],
    ['a task that was cancelled', { tasks: [taskRow(sale, 1, { cancelled: true })] }, []],
    [
      'a message of a task of others',
      { emails: MADE.emails, tasks: [task1] },
      ['task 1 still uses the message'],
    ],
    [
      'a message of a task of others that was sent',
      { emails: MADE.emails, tasks: [{ ...task1, completed: true }] },
      ['the file no longer contains this message, so svc deletes it'],
    ],
    [
      'a message of an SMS task of others',
      { emails: MADE.emails, tasks: [{ ...task1, channel: 'sms' }] },
      ['the file no longer contains this message, so svc deletes it'],
    ],
    [
      'a message of a rule of others',
      { emails: MADE.emails, rules: [rule1] },
      ['rule subscription:1 still uses the message'],
    ],
    [
      'a message that was changed by hand',
      { emails: [messageRow(spring, 1, { subject: 'x' })] },
      ['the file no longer contains this message, so svc deletes it, although someone changed it by hand'],
    ],
  ])('%s', (_name, rows, reasons) => {
    expect(stepsOf([], rows, { prune: true }).map((step) => step.reason)).toEqual(reasons);
  });
});

describe('an item that names its record', () => {
  const adopted = (id: string, hash: string | null = null) => ({ ...spring, adopted: { id, hash } });
  const byHand = { emails: [messageRow(spring, 1, { name: 'Message spring' })] };
  it.each<readonly [string, WantedItem, Rows, string]>([
    ['keeps it if it is the same', adopted('1'), byHand, 'keep message spring'],
    ['is blocked if it does not exist', adopted('9'), byHand, 'blocked message spring reference'],
    [
      'is blocked if it belongs to another campaign',
      { ...email('spring', { subject: 'Other' }), adopted: { id: '1', hash: null } },
      {
        emails: [messageRow(spring, 1, { name: marked(spring, computeWantedMessageHash(spring), 'Autumn') })],
      },
      'blocked message spring reference',
    ],
  ])('%s', (_name, item, rows, expected) => {
    expect(words([item], rows)).toEqual([expected]);
  });

  it('by --adopt gives it its mark', () => {
    const [step] = stepsOf([spring], byHand, { adopt: { 'message spring': '1' } });
    expect(step).toMatchObject({
      action: 'change',
      changes: [],
      reason:
        'svc uses e-mail message 1 for this item, and adds a mark such as [svc-…] to the name of the record, by which later runs find the record',
    });
  });
});

describe('the faults of a file', () => {
  const faults = (items: readonly WantedItem[], rows: Rows = MADE) =>
    findItemFaults(planOf(items, rows)).map(
      ({ kind, key, attribute, message }) => `${kind} ${key} ${attribute}: ${message}`,
    );

  it.each<readonly [string, readonly WantedItem[], readonly (string | RegExp)[]]>([
    ['none', ITEMS, []],
    [
      'a message id',
      [task('a', { message: { id: '9' } })],
      ['task a message_id: message: the service has no message 9'],
    ],
    [
      'a message name, and the near key',
      [spring, task('a', { message: { name: 'sprng' } })],
      [/did you mean spring\?$/],
    ],
    [
      'a message of a rule',
      [rule('r', { references: { list_id: { id: '1' }, actiontarget: { id: '9' } } })],
      [/^automation r actiontarget: actiontarget: .*9/],
    ],
    ['words that are not a time', [spring, task('a', { at: 'whenever' })], [/^task a scheduledtime: at: /]],
    [
      'a time that does not exist',
      [spring, task('a', { at: '2027-03-28 01:30' })],
      [/^task a scheduledtime: at: .*; write /],
    ],
    [
      'a time after 2 years',
      [spring, task('a', { at: String(NOW + 800 * 24 * HOUR) })],
      [/^task a scheduledtime: at: the send time is more than 2 years ahead/],
    ],
  ])('%s', (_name, items, expected) => {
    const found = faults(items);
    expect(found).toHaveLength(expected.length);
    for (const [at, each] of expected.entries()) expect(found[at]).toMatch(each);
  });
});
