/**
 * Contract, "Campaigns as files": what becomes of each kind of item in each state of the interface ("States and transitions",
 * "Errors"). Every row is done, and then there is nothing to do.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { advance } from '../support/engine.ts';
import { putList } from '../support/messages.ts';
import { NOW } from '../support/sandbox.ts';
import { type CampaignRun, email, HOUR, inWords, openCampaign, rule, task, text } from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
});

const live = async () =>
  (await run.sandbox.rows('task')).filter((row) => row['cancelled'] !== 1 && row['completed'] !== 1);
const put = (target: string, body: unknown) => run.sandbox.send('admin', 'PUT', target, body);
const isSettled = async (items: Parameters<CampaignRun['plan']>[0]): Promise<void> => {
  expect(inWords(await run.plan(items)).filter((line) => !line.startsWith('keep'))).toEqual([]);
};

/** What somebody else does right before the first request of that kind. */
const interrupted = async (before: string, act: (sandbox: CampaignRun['sandbox']) => Promise<unknown>) => {
  let isDone = false;
  return openCampaign((sandbox) => async (request) => {
    if (!isDone && `${request.method} ${request.path}` === before) {
      isDone = true;
      await act(sandbox);
    }
    return sandbox.service.handle(request);
  });
};

describe('a file that was never applied', () => {
  const items = [
    { kind: 'folder', key: 'news', name: 'News' } as const,
    email('spring'),
    text('sms'),
    task('spring'),
    task('sms', { message: { key: 'sms' } }),
    rule('welcome'),
  ];

  it('is made, each once, and applying it again does nothing', async () => {
    expect(inWords(await run.plan(items))).toEqual([
      'create folder news',
      'create message spring',
      'create message sms',
      'create task spring',
      'create task sms',
      'create automation welcome',
    ]);
    await run.apply(items);
    await isSettled(items);
    expect(await run.apply(items)).toEqual([]);
    for (const table of ['folder', 'email_message', 'sms_message', 'subscription_automation'] as const)
      expect([table, (await run.sandbox.rows(table)).length]).toEqual([table, 1]);
    expect(await live()).toHaveLength(2);
    const [made] = await run.sandbox.rows('subscription_automation');
    expect(made).toMatchObject({ paused: 0, actiontarget: '1', list_id: 1 });
    expect(String((await live())[0]?.['name'])).toMatch(
      /^Task spring \[svc-[0-9a-z]{6}-[0-9a-z]{5}-[0-9a-z]{7}\]$/,
    );
  });

  it('from two machines at once is made once', async () => {
    await Promise.all([run.apply(items), run.apply(items)]);
    expect(await live()).toHaveLength(2);
    const rules = await run.sandbox.rows('subscription_automation');
    expect(rules.filter((row) => row['paused'] === 0)).toHaveLength(1);
    await isSettled(items);
  });
});

describe('a folder', () => {
  const folder = (name: string) => ({ kind: 'folder', key: 'news', name }) as const;
  beforeEach(async () => {
    await run.apply([folder('News')]);
  });

  it('is renamed', async () => {
    expect(await run.apply([folder('Spring')])).toEqual(['change folder news']);
    expect(await run.sandbox.rows('folder')).toMatchObject([
      { name: expect.stringMatching(/^Spring \[svc-/) },
    ]);
    await isSettled([folder('Spring')]);
  });

  it('that was renamed by hand is drift, and written over only where that is asked for', async () => {
    const [row] = await run.sandbox.rows('folder');
    await put('/v1/folder/1', { name: String(row?.['name']).replace('News', 'By hand') });
    for (const items of [[folder('News')], [folder('Spring')]]) {
      expect(inWords(await run.plan(items))).toEqual(['blocked folder news drift']);
      expect(await run.apply(items)).toEqual([]);
    }
    expect(await run.apply([folder('News')], { overwrite: true })).toEqual(['change folder news']);
    await isSettled([folder('News')]);
  });

  // Interface, folder: a name has 1 to 40 octets.
  it('has room for its mark', async () => {
    const items = [folder('ä'.repeat(9))];
    await run.apply(items);
    const [row] = await run.sandbox.rows('folder');
    expect(Buffer.byteLength(String(row?.['name']))).toBe(40);
    await isSettled(items);
  });
});

describe('a message', () => {
  it('that nothing uses is changed', async () => {
    await run.apply([email('spring')]);
    const items = [email('spring', { subject: 'Other', html: '<p>Other</p>' })];
    expect(inWords(await run.plan(items))).toEqual(['change message spring']);
    await run.apply(items);
    expect(await run.sandbox.rows('email_message')).toMatchObject([
      { subject: 'Other', html: '<p>Other</p>' },
    ]);
    await isSettled(items);
  });

  // Contract: "A message that is locked is replaced by a new version, and the file's own tasks that are not yet sent are
  // pointed to it"; at no moment are two of them live.
  it('that a task uses is replaced, and the task pointed to it', async () => {
    await run.apply([email('spring'), task('spring')]);
    const items = [email('spring', { subject: 'Other' }), task('spring')];
    expect(inWords(await run.plan(items))).toEqual(['replace message spring', 'replace task spring']);
    await run.apply(items);
    const tasks = await run.sandbox.rows('task');
    expect(tasks.map((row) => [row['message_id'], row['cancelled']])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    const [before, after] = tasks;
    for (const name of ['list_id', 'scheduledtime']) expect(after?.[name]).toBe(before?.[name]);
    expect(String(before?.['name'])).toMatch(/^Task spring \[svc-\w+-\w+-x\]$/);
    await isSettled(items);
  });

  it('that was changed by hand is drift, and written over only where that is asked for', async () => {
    const items = [email('spring')];
    await run.apply(items);
    for (const [attribute, value] of [
      ['subject', 'By hand'],
      [
        'html',
        '<p>Hello <a href="https://example.com/else">there</a> <a href="mailto:office@example.com">us</a></p>',
      ],
      ['text', 'By hand'],
    ]) {
      await put('/v1/emailMessage/1', { [String(attribute)]: value });
      expect(inWords(await run.plan(items))).toEqual(['blocked message spring drift']);
      expect(await run.apply(items)).toEqual([]);
      expect(await run.apply(items, { overwrite: true })).toEqual(['change message spring']);
      await isSettled(items);
    }
  });

  // Interface, emailMessage: what a PUT doesn't name stays as it is.
  it('loses what the file gives no longer', async () => {
    await run.apply([email('spring', { friendlink: true, galinkdata: true, tracktextlinks: true } as never)]);
    const items = [email('spring')];
    expect(await run.apply(items)).toEqual(['change message spring']);
    expect(await run.sandbox.rows('email_message')).toMatchObject([
      { friendlink: 0, galinkdata: 0, tracktextlinks: 0, text: items[0]?.values['text'] },
    ]);
    await isSettled(items);
  });

  it('that was deleted by hand is made again', async () => {
    const items = [email('spring')];
    await run.apply(items);
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    expect(await run.apply(items)).toEqual(['create message spring']);
  });
});

describe('a task', () => {
  const items = [email('spring'), task('spring')];
  beforeEach(async () => {
    await run.apply(items);
  });

  it.each([
    ['another time', { at: String(NOW + 30 * HOUR) }, { scheduledtime: NOW + 30 * HOUR }],
    ['another name', { name: 'Renamed' }, {}],
    ['another list', { list: '2' }, { list_id: 2 }],
  ])('that is scheduled gets %s', async (_, more, expected) => {
    const changed = [items[0] as never, task('spring', more)];
    expect(inWords(await run.plan(changed))).toEqual(['keep message spring', 'change task spring']);
    await run.apply(changed);
    expect(await live()).toMatchObject([{ id: 1, ...expected }]);
    await isSettled(changed);
  });

  // Interface, task: PUT takes no `rate`.
  it('that gets another rate is made again', async () => {
    const changed = [items[0] as never, task('spring', { rate: 500 })];
    expect(inWords(await run.plan(changed))).toContain('replace task spring');
    await run.apply(changed);
    expect(await live()).toMatchObject([{ id: 2, rate: 500 }]);
    await isSettled(changed);
  });

  it('that starts in less than 5 minutes is blocked', async () => {
    await run.sandbox.at(24 * HOUR - 299);
    const changed = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    expect(inWords(await run.plan(changed))).toContain('blocked task spring time');
    expect(await run.apply(changed)).toEqual([]);
    expect(await live()).toMatchObject([{ scheduledtime: NOW + 24 * HOUR }]);
  });

  it('that is being sent is blocked, and kept where nothing differs', async () => {
    await run.sandbox.at(24 * HOUR + 1);
    expect(inWords(await run.plan(items))).toContain('keep task spring');
    expect(inWords(await run.plan([items[0] as never, task('spring', { name: 'Other' })]))).toContain(
      'blocked task spring state',
    );
  });

  it('that is being sent, and whose size is not as expected, is blocked and says so', async () => {
    await run.sandbox.at(24 * HOUR + 1);
    const limited = [items[0] as never, task('spring', { expectSize: { from: 1, to: 2 } })];
    expect(inWords(await run.plan(limited))).toContain('blocked task spring state');
  });

  it('that was sent is kept, whatever the file says by now', async () => {
    await advance(run.sandbox, 25 * HOUR);
    await isSettled(items);
    const changed = [email('spring', { subject: 'Other' }), task('spring', { at: String(NOW + 48 * HOUR) })];
    expect(inWords(await run.plan(changed))).toEqual(['replace message spring', 'keep task spring']);
    await run.apply(changed);
    expect(await run.sandbox.rows('task')).toHaveLength(1);
  });

  // Contract: "A task that somebody cancelled by hand is drift and never made again by itself."
  it('that was cancelled by hand is drift', async () => {
    await put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan(items))).toEqual(['keep message spring', 'blocked task spring drift']);
    expect(await run.apply(items)).toEqual([]);
    expect(await run.apply(items, { overwrite: true })).toEqual(['create task spring']);
    expect(await live()).toHaveLength(1);
  });

  // A run that was killed between the POST and its look at the size leaves it.
  it('whose size was not as expected, and which is there all the same, is cancelled', async () => {
    const limited = [items[0] as never, task('spring', { expectSize: { from: 1, to: 2 } })];
    expect(inWords(await run.plan(limited))).toContain('change task spring');
    await expect(run.apply(limited)).rejects.toMatchObject({ kind: 'unexpected' });
    expect(await live()).toEqual([]);
    await run.apply(items);
    expect(await live()).toHaveLength(1);
  });

  it('that was cancelled by hand, and then made again on demand, is replaced as any other', async () => {
    await put('/v1/task/1', { cancelled: true });
    await run.apply(items, { overwrite: true });
    const changed = [email('spring', { subject: 'Other' }), items[1] as never];
    await run.apply(changed);
    expect(await live()).toMatchObject([{ id: 3, message_id: 2 }]);
    await isSettled(changed);
  });

  // Interface, task: `endtime` is when it was cancelled; who was sent to by then isn't told.
  it('that was cancelled when it was due is never made again', async () => {
    await run.sandbox.at(24 * HOUR);
    await put('/v1/task/1', { cancelled: true });
    const moved = [items[0] as never, task('spring', { at: String(NOW + 48 * HOUR) })];
    for (const overwrite of [false, true]) {
      expect(inWords(await run.plan(moved, { overwrite }))).toContain('blocked task spring state');
      await run.apply(moved, { overwrite });
    }
    expect(await live()).toEqual([]);
  });

  // Marks are the only state: without it nothing tells the task from one that others made.
  it('that lost its mark by hand is not made once more, before it is sent and after', async () => {
    await put('/v1/task/1', { name: 'Task spring' });
    for (const overwrite of [false, true]) {
      expect(inWords(await run.plan(items, { overwrite }))).toContain('blocked task spring drift');
      expect(await run.apply(items, { overwrite })).toEqual([]);
    }
    await advance(run.sandbox, 25 * HOUR);
    const later = [items[0] as never, task('spring', { at: String(NOW + 48 * HOUR) })];
    expect(inWords(await run.plan(later))).toContain('blocked task spring drift');
    expect(await run.apply(later, { overwrite: true })).toEqual(['create task spring']);
  });

  it('that was moved by hand is drift', async () => {
    await put('/v1/task/1', { scheduledtime: NOW + 26 * HOUR });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    await run.apply(items, { overwrite: true });
    expect(await live()).toMatchObject([{ id: 1, scheduledtime: NOW + 24 * HOUR }]);
  });

  it.each([
    ['has passed', { at: String(NOW - 1) }],
    ['is too near', { at: String(NOW + 299) }],
    ['is nearer than its hold', { at: String(NOW + 600), hold: 1200 }],
  ])('whose time %s is not made', async (_, more) => {
    const late = [items[0] as never, task('late', more)];
    expect(inWords(await run.plan(late))).toContain('blocked task late time');
    await run.apply(late);
    expect(await run.sandbox.rows('task')).toHaveLength(1);
  });

  // Contract: "`expect-size` and `max-credits` that do not hold leave no live task."
  it.each([
    ['size', { expectSize: { from: 1, to: 2 } }],
    ['cost', { maxCredits: 2 }],
  ])('whose %s is not as expected leaves none, and is made once it is', async (_, more) => {
    const limited = [items[0] as never, task('limited', more)];
    await expect(run.apply(limited)).rejects.toMatchObject({ kind: 'unexpected' });
    expect(await live()).toHaveLength(1);
    const fitting = task('limited', { expectSize: { from: 3, to: 3 }, maxCredits: 3 });
    await run.apply([items[0] as never, fitting]);
    expect(await live()).toHaveLength(2);
    await isSettled([...items, fitting]);
  });

  it('keeps a time that counts from now', async () => {
    const relative = [...items, task('relative', { at: '+2d' })];
    await run.apply(relative);
    await run.sandbox.at(HOUR);
    await isSettled(relative);
    expect((await live()).map((row) => row['scheduledtime'])).toContain(NOW + 48 * HOUR);
  });

  it('whose message nobody has is blocked', async () => {
    for (const message of [{ id: '77' }, { name: 'Nobody' }])
      expect(inWords(await run.plan([task('lost', { message })]))).toContain('blocked task lost reference');
  });

  // Interface: e-mail and SMS messages have ids of their own, so that 1 may be both.
  it('whose message goes by the other channel now is made again', async () => {
    const changed = [text('spring'), items[1] as never];
    expect(inWords(await run.plan(changed))).toEqual(['create message spring', 'replace task spring']);
    await run.apply(changed);
    expect(await live()).toMatchObject([{ channel: 'sms', message_id: 1 }]);
    await isSettled(changed);
  });

  it('whose message has another key now is pointed to it, and nobody has changed it by hand', async () => {
    const renamed = [email('summer'), task('spring', { message: { key: 'summer' } })];
    expect(inWords(await run.plan(renamed))).toEqual([
      'create message summer',
      'replace task spring',
      'orphaned message 1',
    ]);
    await run.apply(renamed);
    expect(await live()).toMatchObject([{ message_id: 2 }]);
    await run.apply(renamed, { prune: true });
    expect(inWords(await run.plan(renamed))).toEqual(['keep message summer', 'keep task spring']);
  });

  it('may name a message of the same file by its id', async () => {
    const named = [...items, task('by-id', { message: { id: '1' }, channel: 'email' })];
    await run.apply(named);
    expect(await live()).toHaveLength(2);
    await isSettled(named);
  });

  // Interface, "States": a message that a task uses is hidden then, and the task is not cancelled.
  it('whose message was deleted by hand is drift, and says so', async () => {
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'drift',
      reason: expect.stringContaining('deleted'),
    });
    await run.apply(items, { overwrite: true });
    expect(await live()).toMatchObject([{ message_id: 2 }]);
    await isSettled(items);
  });

  it('that was sent is kept where the message that it names by id is gone', async () => {
    const named = [task('by-id', { message: { id: '1' }, channel: 'email' })];
    await run.apply(named);
    await advance(run.sandbox, 25 * HOUR);
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    expect(inWords(await run.plan(named))).toContain('keep task by-id');
  });

  it('may use a message that is there already, by id or name', async () => {
    await run.sandbox.put('sms_message', {
      account_id: 1,
      user_id: 1,
      name: 'Theirs',
      fromname: 'Company',
      message: 'Hi',
      cdate: NOW,
      mdate: NOW,
    });
    const named = [
      ...items,
      task('named', { message: { name: 'Theirs' } }),
      task('by-id', { message: { id: '1' }, channel: 'sms' }),
    ];
    await run.apply(named);
    expect((await live()).filter((row) => row['channel'] === 'sms')).toHaveLength(2);
    await isSettled(named);
  });
});

// Two applies at once, one of them killed before it could take its own back, leave two of one key.
describe('a task that is there twice', () => {
  const items = [email('spring'), task('spring')];
  const again = async (more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const [first] = await run.sandbox.rows('task');
    const { name, channel, message_id, list_id, search_id, scheduledtime } = first ?? {};
    const body = { name, channel, message_id, list_id, search_id, scheduledtime, ...more };
    expect((await run.sandbox.send('admin', 'POST', '/v1/task', body)).status).toBe(202);
  };
  beforeEach(async () => {
    await run.apply(items);
    await again();
  });

  it('is cancelled but for the first', async () => {
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({ action: 'change', id: '1', reason: expect.stringContaining('task 2') });
    await run.apply(items);
    expect(await live()).toMatchObject([{ id: 1 }]);
    await isSettled(items);
  });

  it('and of which the file says something else by now is changed once', async () => {
    const changed = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    await run.apply(changed);
    expect(await live()).toMatchObject([{ id: 1, scheduledtime: NOW + 30 * HOUR }]);
    await isSettled(changed);
  });

  // Contract: "A task that somebody cancelled by hand is drift and never made again by itself."
  it('is not made again where the one that stays is cancelled by hand', async () => {
    await run.apply(items);
    await put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    expect(await run.apply(items)).toEqual([]);
    expect(await live()).toEqual([]);
  });

  it('is not sent once more where one of them was sent', async () => {
    await put('/v1/task/2', { scheduledtime: NOW + 30 * HOUR });
    const moved = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    await advance(run.sandbox, 25 * HOUR);
    expect(inWords(await run.plan(moved))).toContain('blocked task spring drift');
    await run.apply(moved, { overwrite: true });
    expect(await live()).toEqual([]);
    expect(inWords(await run.plan(moved))).toContain('keep task spring');
  });

  it('is drift where one of them was changed by hand', async () => {
    await put('/v1/task/2', { scheduledtime: NOW + 30 * HOUR });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    await run.apply(items);
    expect(await live()).toHaveLength(2);
  });
});

describe('a rule', () => {
  const items = [email('spring'), rule('welcome')];
  const rules = () => run.sandbox.rows('subscription_automation');
  beforeEach(async () => {
    await run.apply(items);
  });

  it('is changed', async () => {
    const changed = [
      items[0] as never,
      rule('welcome', { values: { ...rule('welcome').values, actiontimediff: 120 } }),
    ];
    expect(inWords(await run.plan(changed))).toEqual(['keep message spring', 'change automation welcome']);
    await run.apply(changed);
    expect(await rules()).toMatchObject([{ actiontimediff: 120, paused: 0 }]);
    await isSettled(changed);
  });

  it('loses what the file gives no longer', async () => {
    const { actiontype, summary } = rule('welcome').values;
    const hourly = rule('welcome', {
      values: {
        actiontype,
        summary,
        actiontimediff: 1440,
        actionhour: '09:00:00',
        actiononweekend: false,
      } as never,
    });
    await run.apply([items[0] as never, hourly]);
    const plain = rule('welcome', { values: { actiontype, summary } as never });
    await run.apply([items[0] as never, plain]);
    expect(await rules()).toMatchObject([{ actiontimediff: 0, actionhour: null, actiononweekend: 1 }]);
    await isSettled([items[0] as never, plain]);
  });

  // Interface, "Automation rules" 7 and 8: its message is locked, and its target can't be changed.
  it('that answers is replaced with its message; never do both act', async () => {
    const changed = [email('spring', { subject: 'Other' }), rule('welcome')];
    expect(inWords(await run.plan(changed))).toEqual([
      'replace message spring',
      'replace automation welcome',
    ]);
    await run.apply(changed);
    expect((await rules()).map((row) => [row['actiontarget'], row['paused']])).toEqual([
      ['1', 1],
      ['2', 0],
    ]);
    await isSettled(changed);
  });

  it('that was set going by hand, though another has taken its place, is drift', async () => {
    const changed = [email('spring', { subject: 'Other' }), rule('welcome')];
    await run.apply(changed);
    await put('/v1/subscriptionAutomation/1', { paused: false });
    expect(inWords(await run.plan(changed))).toContain('blocked automation welcome drift');
    await run.apply(changed, { overwrite: true });
    expect((await rules()).map((row) => row['paused'])).toEqual([1, 0]);
    await isSettled(changed);
  });

  it('that was paused by hand before another took its place is drift, and the other is not set going', async () => {
    // A run that was killed between making the new one and setting the old one aside.
    let isCut = false;
    run = await openCampaign((sandbox) => async (request) => {
      if (isCut && request.path === '/v1/subscriptionAutomation/1') throw new Error('killed');
      return sandbox.service.handle(request);
    });
    await run.apply(items);
    const changed = [email('spring', { subject: 'Other' }), rule('welcome')];
    isCut = true;
    await expect(run.apply(changed)).rejects.toThrow('killed');
    isCut = false;
    expect((await rules()).map((row) => row['paused'])).toEqual([0, 1]);
    await put('/v1/subscriptionAutomation/1', { paused: true });
    expect(inWords(await run.plan(changed))).toContain('blocked automation welcome drift');
    await run.apply(changed);
    expect((await rules()).map((row) => row['paused'])).toEqual([1, 1]);
  });

  // Wire, "unique": the keyword of a rule for inbound SMS.
  it('for inbound SMS that was of another kind for a while has its keyword again', async () => {
    const inbound = rule('welcome', {
      rule: 'sms',
      values: { keyword: 'JOIN', summary: null },
      references: { list_id: { id: '1' } },
    });
    const date = rule('welcome', {
      rule: 'date',
      values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
      references: {},
    });
    for (const one of [inbound, date, inbound]) {
      await run.apply([items[0] as never, one]);
      await isSettled([items[0] as never, one]);
    }
    expect(await run.sandbox.rows('sms_automation')).toMatchObject([
      { keyword: null, paused: 1 },
      { keyword: 'JOIN', paused: 0 },
    ]);
  });

  it('that was paused by hand is drift', async () => {
    await put('/v1/subscriptionAutomation/1', { paused: true });
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'drift',
      reason: expect.stringContaining('paused by hand'),
    });
    await run.apply(items, { overwrite: true });
    expect(await rules()).toMatchObject([{ paused: 0 }]);
  });

  it('is paused and set going by the file', async () => {
    const paused = [items[0] as never, rule('welcome', { paused: true })];
    await run.apply(paused);
    expect(await rules()).toMatchObject([{ paused: 1 }]);
    await isSettled(paused);
    await run.apply(items);
    expect(await rules()).toMatchObject([{ paused: 0 }]);
  });

  it('whose message was deleted by hand is drift, and says so', async () => {
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({ blockedBy: 'drift', reason: expect.stringContaining('deleted by hand') });
    await run.apply(items, { overwrite: true });
    expect((await rules()).map((row) => [row['actiontarget'], row['paused']])).toEqual([
      ['1', 1],
      ['2', 0],
    ]);
    await isSettled(items);
  });

  it('of another kind takes the place of the one before', async () => {
    const open = rule('welcome', {
      rule: 'open',
      values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
      references: { message_id: { key: 'spring' } },
    });
    await run.apply([items[0] as never, open]);
    expect(await rules()).toMatchObject([{ paused: 1 }]);
    expect(await run.sandbox.rows('open_automation')).toMatchObject([{ paused: 0, message_id: 1 }]);
    await isSettled([items[0] as never, open]);
  });
});

describe('meanwhile', () => {
  const items = [email('spring'), task('spring')];
  const other = email('spring', { subject: 'Other' });
  const dated = {
    rule: 'date' as const,
    values: {
      actiontype: 'notify',
      actiontarget: 'office@example.com',
      actiontimediff: 1440,
      actiononweekend: true,
      summary: null,
    },
    references: {},
    paused: true,
  };
  const noticed = {
    values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
    references: { list_id: { id: '1' } },
    paused: true,
  };

  // Contract, "Campaigns as files": somebody's change by hand is never silently written over.
  it('somebody moves the task that is to be replaced', async () => {
    run = await interrupted('GET /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }),
    );
    await run.apply(items);
    const changed = [email('spring', { subject: 'Other' }), task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({ kind: 'drift' });
    expect(await live()).toMatchObject([{ id: 1, scheduledtime: NOW + 30 * HOUR }]);
  });

  // Contract: "Marks in names … are its only state". What has lost its mark is nobody's, and not apply's to write to.
  it.each([
    ['task', 'that is to be replaced', [email('spring', { subject: 'Other' }), task('spring')]],
    ['task', 'that is to be changed', [email('spring'), task('spring', { at: String(NOW + 30 * HOUR) })]],
    ['emailMessage', 'that is to be changed', [email('spring', { subject: 'Other' })]],
    [
      'subscriptionAutomation',
      'that is to be changed',
      [email('spring'), rule('spring', { ...noticed, name: 'Other' })],
    ],
  ])('somebody takes the mark away from the %s %s', async (resource, _, changed) => {
    const before = changed.map(({ kind }) =>
      kind === 'message' ? email('spring') : kind === 'task' ? task('spring') : rule('spring', noticed),
    );
    const name = before.at(-1)?.name;
    run = await interrupted(`GET /v1/${resource}/1`, ({ send }) =>
      send('admin', 'PUT', `/v1/${resource}/1`, { name }),
    );
    await run.apply(before);
    await expect(run.apply(changed)).rejects.toMatchObject({ kind: 'drift' });
    const { data } = await run.sandbox.send('admin', 'GET', `/v1/${resource}/1`);
    expect(data).toMatchObject({ name });
    expect(data).not.toMatchObject({ cancelled: true });
  });

  // There is no compare-and-set: a change between the last look and the write is told where the answer shows it.
  it.each([
    [
      'the list of a task',
      '/v1/task/1',
      { list_id: 2 },
      [email('spring'), task('spring')],
      [email('spring'), task('spring', { at: String(NOW + 30 * HOUR) })],
    ],
    ['an attribute of a message', '/v1/emailMessage/1', { friendlink: true }, [email('spring')], [other]],
    [
      'the hour of a rule',
      '/v1/dateAutomation/1',
      { actionhour: '09:00:00' },
      [rule('spring', dated)],
      [rule('spring', { ...dated, name: 'Other' })],
    ],
  ])(
    'somebody changes %s between the look and the write, which is told',
    async (_, path, body, before, after) => {
      run = await interrupted(`PUT ${path}`, ({ send }) => send('admin', 'PUT', path, body));
      await run.apply(before);
      await expect(run.apply(after)).rejects.toMatchObject({
        kind: 'drift',
        message: expect.stringContaining('while it was being changed'),
      });
      expect((await run.sandbox.send('admin', 'GET', path)).data).toMatchObject(body);
      expect(inWords(await run.plan(after)).join()).toContain('drift');
      await run.apply(after, { overwrite: true });
      await isSettled(after);
    },
  );

  it('somebody changes the rule before it is set going, which is told', async () => {
    const welcome = [email('spring'), rule('welcome')];
    run = await interrupted('PUT /v1/subscriptionAutomation/1', ({ send }) =>
      send('admin', 'PUT', '/v1/subscriptionAutomation/1', { summary: 'By hand' }),
    );
    await expect(run.apply(welcome)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('while it was being set going'),
    });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ summary: 'By hand' }]);
    expect(inWords(await run.plan(welcome))).toContain('blocked automation welcome drift');
  });

  it.each([
    ['renames', 'PUT', { name: 'By hand' }],
    ['deletes', 'DELETE', undefined],
  ] as const)('somebody %s the rule that was made, before it is set going', async (_, method, body) => {
    run = await interrupted('GET /v1/subscriptionAutomation/1', ({ send }) =>
      send('admin', method, '/v1/subscriptionAutomation/1', body),
    );
    await expect(run.apply([email('spring'), rule('welcome')])).rejects.toMatchObject({ kind: 'drift' });
    const left = method === 'PUT' ? [{ name: 'By hand', paused: 1 }] : [];
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject(left);
  });

  it('somebody moves the task between the look and the cancelling, which is told', async () => {
    run = await interrupted('PUT /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }),
    );
    await run.apply(items);
    const changed = [other, task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('is cancelled'),
    });
    expect(await live()).toEqual([]);
    await run.apply(changed);
    expect(await live()).toMatchObject([{ id: 2, scheduledtime: NOW + 24 * HOUR }]);
    await isSettled(changed);
  });

  it('another run makes the task, and somebody takes its mark away at once', async () => {
    run = await interrupted('POST /v1/emailMessage', async () => {
      await run.apply(items);
      await put('/v1/task/1', { name: 'Task spring' });
    });
    await expect(run.apply(items)).rejects.toMatchObject({ kind: 'drift' });
    expect(await live()).toMatchObject([{ id: 1 }]);
  });

  it('somebody sets the rule going that is to give way to this one, and never do both act', async () => {
    const welcome = [email('spring'), rule('welcome')];
    // Two that two runs have made, the second set going by hand before the first is.
    let isDone = false;
    run = await openCampaign((opened) => async (request) => {
      const answer = await opened.service.handle(request);
      if (!isDone && `${request.method} ${request.path}` === 'POST /v1/subscriptionAutomation') {
        isDone = true;
        const [made] = await opened.rows('subscription_automation');
        const { list_id, actiontarget, actiontype, actiontimediff, name } = made ?? {};
        const body = { list_id, actiontarget, actiontype, actiontimediff, name, actiononweekend: true };
        await opened.send('admin', 'POST', '/v1/subscriptionAutomation', {
          ...body,
          summary: null,
          paused: false,
        });
      }
      return answer;
    });
    await expect(run.apply(welcome)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([
      { id: 1, paused: 1 },
      { id: 2, paused: 0 },
    ]);
    expect(inWords(await run.plan(welcome))).toContain('blocked automation welcome drift');
    await run.apply(welcome, { overwrite: true });
    await isSettled(welcome);
  });

  it('somebody changes the rule that gives way to that of another run', async () => {
    const welcome = [email('spring'), rule('welcome')];
    let looks = 0;
    run = await openCampaign((sandbox) => async (request) => {
      const before = `${request.method} ${request.path}`;
      if (before === 'POST /v1/subscriptionAutomation' && looks === 0) {
        looks = -1;
        await run.apply(welcome);
        looks = 1;
      }
      // What the other run has made is looked at after what this one has made is there.
      if (before === 'GET /v1/subscriptionAutomation/1' && looks === 1) {
        looks += 1;
        await sandbox.send('admin', 'PUT', '/v1/subscriptionAutomation/2', { summary: 'By hand' });
      }
      return sandbox.service.handle(request);
    });
    await expect(run.apply(welcome)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([
      { id: 1, paused: 0 },
      { id: 2, paused: 1, summary: 'By hand' },
    ]);
    expect(inWords(await run.plan(welcome))).toContain('blocked automation welcome drift');
  });

  it('somebody renames the folder that gives way to that of another run', async () => {
    const folder = [{ kind: 'folder', key: 'news', name: 'News' } as const];
    let looks = 0;
    run = await openCampaign((sandbox) => async (request) => {
      if (request.path === '/v1/folder' && request.method === 'GET' && request.query.includes('name='))
        looks += 1;
      if (looks === 2) {
        looks += 1;
        const [own] = await sandbox.rows('folder');
        const { name } = own ?? {};
        await sandbox.send('admin', 'POST', '/v1/folder', { name });
        await sandbox.send('admin', 'PUT', '/v1/folder/1', { name: String(name).replace('News', 'By hand') });
      }
      return sandbox.service.handle(request);
    });
    await run.apply(folder);
    expect(await run.sandbox.rows('folder')).toMatchObject([
      { id: 1, name: expect.stringContaining('By hand') },
      { id: 2, name: expect.stringContaining('News') },
    ]);
  });

  it('somebody changes the message before a task locks it: nothing is scheduled with it', async () => {
    run = await interrupted('POST /v1/task', ({ send }) =>
      send('admin', 'PUT', '/v1/emailMessage/1', {
        html: '<p>Hello <a href="https://example.com/else">there</a> <a href="mailto:office@example.com">us</a></p>',
      }),
    );
    await expect(run.apply(items)).rejects.toMatchObject({ kind: 'drift' });
    expect(await live()).toEqual([]);
    expect(inWords(await run.plan(items))).toEqual([
      'blocked message spring drift',
      'blocked task spring reference',
    ]);
    await run.apply(items, { overwrite: true });
    expect(await live()).toMatchObject([{ message_id: 2 }]);
    await isSettled(items);
  });

  // Contract: "A task that somebody cancelled by hand is drift and never made again by itself."
  it('somebody cancels the task that is being replaced', async () => {
    run = await interrupted('PUT /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { cancelled: true }),
    );
    await run.apply(items);
    const changed = [email('spring', { subject: 'Other' }), task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({ kind: 'drift' });
    expect(await live()).toEqual([]);
    expect(inWords(await run.plan(changed))).toContain('blocked task spring drift');
  });

  it.each([
    ['of the same kind', rule('welcome', { name: 'Other' })],
    [
      'of another kind',
      rule('welcome', {
        rule: 'date',
        values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
        references: {},
      }),
    ],
  ])('another version of the file makes the rule %s, and never do both act', async (_, other) => {
    const welcome = [email('spring'), rule('welcome')];
    run = await interrupted('POST /v1/subscriptionAutomation', async () => {
      await run.apply([email('spring'), other]);
    });
    await expect(run.apply(welcome)).rejects.toMatchObject({ kind: 'beaten' });
    const acting = async () => {
      const all = [
        ...(await run.sandbox.rows('subscription_automation')),
        ...(await run.sandbox.rows('date_automation')),
      ];
      return all.filter((row) => row['paused'] === 0);
    };
    expect(await acting()).toMatchObject([{ name: expect.stringContaining(other.name) }]);
    await run.apply(welcome);
    expect(await acting()).toMatchObject([{ actiontype: 'email_autoresponder' }]);
    await isSettled(welcome);
  });

  it.each(['POST /v1/task', 'POST /v1/emailMessage'])(
    'another version of the file is applied, right before %s',
    async (before) => {
      const other = task('spring', { at: String(NOW + 30 * HOUR) });
      run = await interrupted(before, async () => {
        await run.apply([email('spring'), other]);
      });
      await expect(run.apply(items)).rejects.toMatchObject({ kind: 'beaten' });
      expect(await live()).toMatchObject([{ scheduledtime: NOW + 30 * HOUR }]);
      await run.apply(items);
      expect(await live()).toMatchObject([{ scheduledtime: NOW + 24 * HOUR }]);
      await isSettled(items);
    },
  );
});

describe('what the file names no longer', () => {
  const paused = rule('welcome', { paused: true });
  const items = [
    { kind: 'folder', key: 'news', name: 'News' } as const,
    email('spring'),
    task('spring'),
    rule('welcome'),
  ];

  it('is left, and taken away where that is asked for', async () => {
    await run.apply(items);
    expect(inWords(await run.plan([]))).toEqual([
      'orphaned automation subscription:1',
      'orphaned task 1',
      'orphaned message 1',
      'orphaned folder 1',
    ]);
    expect(await run.apply([])).toEqual([]);
    await run.apply([], { prune: true });
    expect(await live()).toEqual([]);
    for (const table of ['folder', 'subscription_automation'] as const)
      expect(await run.sandbox.rows(table)).toEqual([]);
    expect(inWords(await run.plan([]))).toEqual([]);
  });

  it.each([
    ['folder', '/v1/folder/1', { name: 'By hand' }, items.slice(0, 1)],
    ['message', '/v1/emailMessage/1', { subject: 'By hand' }, items.slice(1, 2)],
    ['task', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }, items.slice(1, 3)],
    ['rule', '/v1/subscriptionAutomation/1', { summary: 'By hand' }, [email('spring'), paused]],
  ])('and somebody changes meanwhile is left: a %s', async (_, path, body, made) => {
    run = await interrupted(`GET ${path}`, ({ send }) => send('admin', 'PUT', path, body));
    await run.apply(made);
    await expect(run.apply([], { prune: true })).rejects.toMatchObject({ kind: 'drift' });
    const { status, data } = await run.sandbox.send('admin', 'GET', path);
    expect([status, data]).toMatchObject([200, body]);
    expect(data).not.toMatchObject({ cancelled: true });
  });

  it('and somebody changed before is taken away after the plan has said so', async () => {
    await run.apply(items);
    await put('/v1/subscriptionAutomation/1', { summary: 'By hand' });
    const [step, ...others] = await run.plan([], { prune: true });
    expect(step).toMatchObject({ action: 'cancel', reason: expect.stringContaining('changed by hand') });
    expect(others.map(({ reason }) => reason).join()).not.toContain('changed by hand');
  });

  // Interface, folder: "Deleting a folder removes its lists as if each list had been deleted."
  it('and has lists is never deleted', async () => {
    await run.apply(items.slice(0, 1));
    await putList(run.sandbox, { folder_id: 1 });
    expect(inWords(await run.plan([], { prune: true }))).toEqual(['blocked folder 1 state']);
    await run.apply([], { prune: true });
    expect(await run.sandbox.rows('folder')).toHaveLength(1);
  });

  // Interface, "States": PUT and DELETE of a message that a task uses "give 423 subcode 10".
  it('and can not be deleted is left, and the rest is taken away', async () => {
    run = await openCampaign((sandbox) => async (request) => {
      if (request.method !== 'DELETE' || !request.path.startsWith('/v1/emailMessage'))
        return sandbox.service.handle(request);
      const response = {
        code: 423,
        subcode: 10,
        message: 'Message 1 is locked',
        additional_information: null,
      };
      return { status: 423, headers: {}, body: JSON.stringify({ status: 'error', response }) };
    });
    await run.apply(items);
    const done = await run.apply([], { prune: true });
    expect(done).toContain('message 1 is in use and stays');
    expect(done).toContain('cancel folder 1');
    expect(await live()).toEqual([]);
    expect(inWords(await run.plan([]))).toEqual(['orphaned message 1']);
  });

  it('of another campaign is nobody else’s', async () => {
    await run.sandbox.put('folder', {
      account_id: 1,
      name: 'News [svc-aaaaaa-bbbbbccc]',
      cdate: NOW,
      mdate: NOW,
    });
    expect(inWords(await run.plan([]))).toEqual([]);
  });
});
