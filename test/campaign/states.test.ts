/**
 * Contract, "Campaigns as files": the outcome for folders and messages in each state of the interface ("States and transitions",
 * "Errors"). Every row is applied, and then no step is left.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { advance } from '../support/engine.ts';
import { putList } from '../support/messages.ts';
import { NOW } from '../support/sandbox.ts';
import {
  type CampaignRun,
  email,
  HOUR,
  interrupted,
  inWords,
  openCampaign,
  rule,
  task,
  text,
} from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
});

describe('a file that was never applied', () => {
  const items = [
    { kind: 'folder', key: 'news', name: 'News' } as const,
    email('spring'),
    text('sms'),
    task('spring'),
    task('sms', { message: { key: 'sms' } }),
    rule('welcome'),
  ];

  it('is made once, and applying it again does nothing', async () => {
    expect(inWords(await run.plan(items))).toEqual([
      'create folder news',
      'create message spring',
      'create message sms',
      'create task spring',
      'create task sms',
      'create automation welcome',
    ]);
    await run.apply(items);
    await run.isSettled(items);
    expect(await run.apply(items)).toEqual([]);
    for (const table of ['folder', 'email_message', 'sms_message', 'subscription_automation'] as const)
      expect([table, (await run.sandbox.rows(table)).length]).toEqual([table, 1]);
    expect(await run.live()).toHaveLength(2);
    const [made] = await run.sandbox.rows('subscription_automation');
    expect(made).toMatchObject({ paused: 0, actiontarget: '1', list_id: 1 });
    expect(String((await run.live())[0]?.['name'])).toMatch(
      /^Task spring \[svc-[0-9a-z]{6}-[0-9a-z]{5}-[0-9a-z]{7}\]$/,
    );
  });

  it('is made once from two machines at once', async () => {
    await Promise.all([run.apply(items), run.apply(items)]);
    expect(await run.live()).toHaveLength(2);
    const rules = await run.sandbox.rows('subscription_automation');
    expect(rules.filter((row) => row['paused'] === 0)).toHaveLength(1);
    await run.isSettled(items);
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
    await run.isSettled([folder('Spring')]);
  });

  it('is drift if it was renamed by hand, and is overwritten only with --overwrite', async () => {
    const [row] = await run.sandbox.rows('folder');
    await run.put('/v1/folder/1', { name: String(row?.['name']).replace('News', 'By hand') });
    for (const items of [[folder('News')], [folder('Spring')]]) {
      expect(inWords(await run.plan(items))).toEqual(['blocked folder news drift']);
      expect(await run.apply(items)).toEqual([]);
    }
    expect(await run.apply([folder('News')], { overwrite: true })).toEqual(['change folder news']);
    await run.isSettled([folder('News')]);
  });

  // Interface, folder: a name has 1 to 40 octets.
  it('has room for its mark', async () => {
    const items = [folder('ä'.repeat(9))];
    await run.apply(items);
    const [row] = await run.sandbox.rows('folder');
    expect(Buffer.byteLength(String(row?.['name']))).toBe(40);
    await run.isSettled(items);
  });
});

describe('a message', () => {
  it('is changed if nothing uses it', async () => {
    await run.apply([email('spring')]);
    const items = [email('spring', { subject: 'Other', html: '<p>Other</p>' })];
    expect(inWords(await run.plan(items))).toEqual(['change message spring']);
    await run.apply(items);
    expect(await run.sandbox.rows('email_message')).toMatchObject([
      { subject: 'Other', html: '<p>Other</p>' },
    ]);
    await run.isSettled(items);
  });

  // Contract: "A locked message is replaced by a new version. The file's own tasks that are not sent yet then use the
  // new version"; at no moment are two of them live.
  it('is replaced if a task uses it, and the task is moved to the new version', async () => {
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
    await run.isSettled(items);
  });

  it('is drift if it was changed by hand, and is overwritten only with --overwrite', async () => {
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
      await run.put('/v1/emailMessage/1', { [String(attribute)]: value });
      expect(inWords(await run.plan(items))).toEqual(['blocked message spring drift']);
      expect(await run.apply(items)).toEqual([]);
      expect(await run.apply(items, { overwrite: true })).toEqual(['change message spring']);
      await run.isSettled(items);
    }
  });

  // Interface, emailMessage: a PUT leaves attributes unchanged that it does not name.
  it('loses attributes that the file no longer sets', async () => {
    await run.apply([email('spring', { friendlink: true, galinkdata: true, tracktextlinks: true } as never)]);
    const items = [email('spring')];
    expect(await run.apply(items)).toEqual(['change message spring']);
    expect(await run.sandbox.rows('email_message')).toMatchObject([
      { friendlink: 0, galinkdata: 0, tracktextlinks: 0, text: items[0]?.values['text'] },
    ]);
    await run.isSettled(items);
  });

  it('is made again if it was deleted by hand', async () => {
    const items = [email('spring')];
    await run.apply(items);
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    expect(await run.apply(items)).toEqual(['create message spring']);
  });
});

describe('a record that the file no longer names', () => {
  const paused = rule('welcome', { paused: true });
  const items = [
    { kind: 'folder', key: 'news', name: 'News' } as const,
    email('spring'),
    task('spring'),
    rule('welcome'),
  ];

  it('is kept, and removed only with --prune', async () => {
    await run.apply(items);
    expect(inWords(await run.plan([]))).toEqual([
      'orphaned automation subscription:1',
      'orphaned task 1',
      'orphaned message 1',
      'orphaned folder 1',
    ]);
    expect(await run.apply([])).toEqual([]);
    await run.apply([], { prune: true });
    expect(await run.live()).toEqual([]);
    for (const table of ['folder', 'subscription_automation'] as const)
      expect(await run.sandbox.rows(table)).toEqual([]);
    expect(inWords(await run.plan([]))).toEqual([]);
  });

  it.each([
    ['folder', '/v1/folder/1', { name: 'By hand' }, items.slice(0, 1)],
    ['message', '/v1/emailMessage/1', { subject: 'By hand' }, items.slice(1, 2)],
    ['task', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }, items.slice(1, 3)],
    ['rule', '/v1/subscriptionAutomation/1', { summary: 'By hand' }, [email('spring'), paused]],
  ])('is kept if it changes meanwhile: a %s', async (_, path, body, made) => {
    run = await interrupted(`GET ${path}`, ({ send }) => send('admin', 'PUT', path, body));
    await run.apply(made);
    await expect(run.apply([], { prune: true })).rejects.toMatchObject({ kind: 'drift' });
    const { status, data } = await run.sandbox.send('admin', 'GET', path);
    expect([status, data]).toMatchObject([200, body]);
    expect(data).not.toMatchObject({ cancelled: true });
  });

  it('is removed after a change by hand if the plan shows the change', async () => {
    await run.apply(items);
    await run.put('/v1/subscriptionAutomation/1', { summary: 'By hand' });
    const [step, ...others] = await run.plan([], { prune: true });
    expect(step).toMatchObject({ action: 'cancel', reason: expect.stringContaining('changed it by hand') });
    expect(others.map(({ reason }) => reason).join()).not.toContain('by hand');
  });

  // Interface, folder: "Deleting a folder removes its lists as if each list had been deleted."
  it('is never deleted if it has lists', async () => {
    await run.apply(items.slice(0, 1));
    await putList(run.sandbox, { folder_id: 1 });
    expect(inWords(await run.plan([], { prune: true }))).toEqual(['blocked folder 1 state']);
    await run.apply([], { prune: true });
    expect(await run.sandbox.rows('folder')).toHaveLength(1);
  });

  // Interface, "States": a message that is deleted while a task uses it is hidden, and the task still sends it.
  it('is a message that a blocked task still sends, and is kept until that task is replaced', async () => {
    const [before, after] = [
      [email('spring'), task('spring')],
      [email('summer'), task('spring', { message: { key: 'summer' } })],
    ];
    await run.apply(before);
    await run.put('/v1/task/1', { scheduledtime: NOW + 30 * HOUR });
    const [, , step] = await run.plan(after, { prune: true });
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'state',
      reason: 'task 1 still uses the message',
    });
    await run.apply(after, { prune: true });
    expect(await run.sandbox.rows('email_message')).toMatchObject([{ deleted: 0 }, { deleted: 0 }]);
    const done = await run.apply(after, { prune: true, overwrite: true });
    expect(done).toEqual(expect.arrayContaining(['replace task spring', 'cancel message 1']));
    await run.isSettled(after);
  });

  // Contract, "Campaigns as files": `--prune` never deletes a message that is still used; its new user names it by its id.
  it.each([
    ['task', task('spring', { channel: 'email', message: { id: '1' } })],
    ['automation', rule('spring', { references: { list_id: { id: '1' }, actiontarget: { id: '1' } } })],
  ])('is a message that a new %s names by its id, and is kept', async (kind, item) => {
    await run.apply([email('before')]);
    const steps = await run.plan([item], { prune: true });
    expect(inWords(steps)).toEqual([`create ${kind} spring`, 'blocked message 1 state']);
    expect(steps[1]?.reason).toBe(`${kind} spring of the file still uses the message`);
    await run.apply([item], { prune: true });
    expect(await run.sandbox.rows('email_message')).toMatchObject([{ deleted: 0 }]);
  });

  it('is a message of a task that was sent, and is removed although the task names it by its id', async () => {
    await run.apply([email('before'), task('spring', { message: { key: 'before' } })]);
    await advance(run.sandbox, 25 * HOUR);
    const items = [task('spring', { channel: 'email', message: { id: '1' } })];
    expect(inWords(await run.plan(items, { prune: true }))).toEqual(['keep task spring', 'cancel message 1']);
  });

  it('is kept if it is a message of a rule that lost its mark', async () => {
    await run.apply([email('spring'), rule('welcome')]);
    await run.put('/v1/subscriptionAutomation/1', { name: 'Renamed' });
    const renamed = [
      email('summer'),
      rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { key: 'summer' } } }),
    ];
    await run.apply(renamed, { prune: true, overwrite: true });
    expect(inWords(await run.plan(renamed, { prune: true }))).toEqual([
      'keep message summer',
      'blocked automation welcome drift',
      'blocked message 1 state',
    ]);
  });

  // Interface, "States": PUT and DELETE of a message that a task uses "give 423 subcode 10".
  it('is kept if it cannot be deleted, and the others are removed', async () => {
    run = await openCampaign((sandbox) => async (request) => {
      if (request.method !== 'DELETE' || !request.path.startsWith('/v1/emailMessage'))
        return sandbox.service.handle(request);
      const response = {
        code: 423,
        subcode: 10,
        message: 'Message 1 is locked',
      };
      return { status: 423, headers: {}, body: JSON.stringify({ status: 'error', response }) };
    });
    await run.apply(items);
    const done = await run.apply([], { prune: true });
    expect(done).toContain('message 1 is still in use, so svc does not delete it');
    expect(done).toContain('cancel folder 1');
    expect(await run.live()).toEqual([]);
    expect(inWords(await run.plan([]))).toEqual(['orphaned message 1']);
  });

  it('belongs only to its own campaign', async () => {
    await run.sandbox.put('folder', {
      account_id: 1,
      name: 'News [svc-aaaaaa-bbbbbccc]',
      cdate: NOW,
      mdate: NOW,
    });
    expect(inWords(await run.plan([]))).toEqual([]);
  });
});
