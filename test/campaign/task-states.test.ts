/**
 * Contract, "Campaigns as files": the outcome for tasks in each state of the interface ("States and transitions", "Errors"). Every row is
 * applied, and then no step is left.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { task as taskResource } from '../../src/service/resources/task.ts';
import { advance } from '../support/engine.ts';
import { NOW } from '../support/sandbox.ts';
import { type CampaignRun, email, HOUR, inWords, openCampaign, task, text } from './support.ts';

let run: CampaignRun;

describe('a task', () => {
  const items = [email('spring'), task('spring')];
  beforeEach(async () => {
    run = await openCampaign(undefined, items);
  });

  it.each([
    ['another time', { at: String(NOW + 30 * HOUR) }, { scheduledtime: NOW + 30 * HOUR }],
    ['another name', { name: 'Renamed' }, {}],
    ['another list', { list: '2' }, { list_id: 2 }],
  ])('that is scheduled gets %s', async (_, more, expected) => {
    const changed = [items[0] as never, task('spring', more)];
    expect(inWords(await run.plan(changed))).toEqual(['keep message spring', 'change task spring']);
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ id: 1, ...expected }]);
    await run.isSettled(changed);
  });

  // Interface, task: PUT takes no `rate`.
  it('is made again with another rate', async () => {
    const changed = [items[0] as never, task('spring', { rate: 500 })];
    expect(inWords(await run.plan(changed))).toContain('replace task spring');
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ id: 2, rate: 500 }]);
    await run.isSettled(changed);
  });

  it('is blocked if it starts in less than 5 minutes', async () => {
    await run.sandbox.at(24 * HOUR - 299);
    const changed = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    expect(inWords(await run.plan(changed))).toContain('blocked task spring time');
    expect(await run.apply(changed)).toEqual([]);
    expect(await run.live()).toMatchObject([{ scheduledtime: NOW + 24 * HOUR }]);
  });

  it('is blocked while it is being sent, and kept if nothing differs', async () => {
    await run.sandbox.at(24 * HOUR + 1);
    expect(inWords(await run.plan(items))).toContain('keep task spring');
    expect(inWords(await run.plan([items[0] as never, task('spring', { name: 'Other' })]))).toContain(
      'blocked task spring state',
    );
  });

  it('is blocked if it is being sent with an unexpected size, and says so', async () => {
    await run.sandbox.at(24 * HOUR + 1);
    const limited = [items[0] as never, task('spring', { expectSize: { from: 1, to: 2 } })];
    expect(inWords(await run.plan(limited))).toContain('blocked task spring state');
  });

  // Contract: "A sent task that differs from the file is `blocked`", and one whose message has a new version stays `keep`.
  describe('after it was sent', () => {
    beforeEach(() => advance(run.sandbox, 25 * HOUR));

    it('is kept', () => run.isSettled(items));

    it('is kept if its message has a new version, and says which version was sent', async () => {
      const changed = [email('spring', { subject: 'Other' }), items[1] as never];
      const steps = await run.plan(changed);
      expect(inWords(steps)).toEqual(['replace message spring', 'keep task spring']);
      expect(steps[1]?.reason).toContain('with email message 1, an earlier version');
      await run.apply(changed);
      await run.isSettled(changed);
      expect((await run.plan(changed))[1]?.reason).toContain('with email message 1, an earlier version');
    });

    it.each([
      ['scheduledtime', { at: String(NOW + 48 * HOUR) }],
      ['list_id', { list: '2' }],
      ['name', { name: 'Other' }],
      ['rate', { rate: 5 }],
      ['message', { message: { key: 'other' } }],
    ])('is blocked if the file has another %s, and says so', async (attribute, more) => {
      const changed = [...items.slice(0, 1), email('other', { subject: 'Other' }), task('spring', more)];
      for (const overwrite of [false, true]) {
        const step = (await run.plan(changed, { overwrite })).at(-1);
        expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state', id: '1' });
        expect(step?.reason).toContain(`differ from the file: ${attribute};`);
        await run.apply(changed, { overwrite });
        expect(await run.sandbox.rows('task')).toHaveLength(1);
      }
    });
  });

  // Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
  it('is drift if it was cancelled by hand', async () => {
    await run.put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan(items))).toEqual(['keep message spring', 'blocked task spring drift']);
    expect(await run.apply(items)).toEqual([]);
    expect(await run.apply(items, { overwrite: true })).toEqual(['create task spring']);
    expect(await run.live()).toHaveLength(1);
  });

  // A run that was killed between the POST and the check of the size leaves such a task.
  it('is cancelled if it exists with an unexpected size', async () => {
    const limited = [items[0] as never, task('spring', { expectSize: { from: 1, to: 2 } })];
    expect(inWords(await run.plan(limited))).toContain('change task spring');
    await expect(run.apply(limited)).rejects.toMatchObject({ kind: expect.stringMatching(/^unexpected-/) });
    expect(await run.live()).toEqual([]);
    await run.apply(items);
    expect(await run.live()).toHaveLength(1);
  });

  // Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
  it('is drift if it was cancelled by hand, even if another run made and withdrew one at the same time', async () => {
    const [one] = await run.sandbox.rows('task');
    const other = await run.client.create(taskResource, {
      ...{ channel: 'email', message_id: 1, list_id: run.list, search_id: null },
      name: String(one?.['name']).replace(/-[^-\]]+\]$/, '-x]'),
      scheduledtime: NOW + 24 * HOUR,
    });
    await run.put(`/v1/task/${String(other['id'])}`, { cancelled: true });
    await run.sandbox.at(60);
    await run.put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    expect(await run.apply(items)).toEqual([]);
    expect(await run.live()).toEqual([]);
  });

  it('is replaced like any other if it was cancelled by hand and then made again with --overwrite', async () => {
    await run.put('/v1/task/1', { cancelled: true });
    await run.apply(items, { overwrite: true });
    const changed = [email('spring', { subject: 'Other' }), items[1] as never];
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ id: 3, message_id: 2 }]);
    await run.isSettled(changed);
  });

  // Interface, task: `endtime` is the time of the cancellation; it does not say who had received the message by then.
  it('is never made again if it was cancelled when it was due', async () => {
    await run.sandbox.at(24 * HOUR);
    await run.put('/v1/task/1', { cancelled: true });
    const moved = [items[0] as never, task('spring', { at: String(NOW + 48 * HOUR) })];
    for (const overwrite of [false, true]) {
      expect(inWords(await run.plan(moved, { overwrite }))).toContain('blocked task spring state');
      await run.apply(moved, { overwrite });
    }
    expect(await run.live()).toEqual([]);
  });

  // Marks are the only state, so without a mark the task looks like one that others made.
  it('is not made again if it lost its mark by hand, before the send and after it', async () => {
    await run.put('/v1/task/1', { name: 'Task spring' });
    for (const overwrite of [false, true]) {
      expect(inWords(await run.plan(items, { overwrite }))).toContain('blocked task spring drift');
      expect(await run.apply(items, { overwrite })).toEqual([]);
    }
    await advance(run.sandbox, 25 * HOUR);
    const later = [items[0] as never, task('spring', { at: String(NOW + 48 * HOUR) })];
    expect(inWords(await run.plan(later))).toContain('blocked task spring drift');
    expect((await run.plan(later, { overwrite: true })).at(-1)?.reason).toBe(
      'task 1 has sent the same message to the same recipients, and --overwrite sends it again',
    );
    expect(await run.apply(later, { overwrite: true })).toEqual(['create task spring']);
  });

  it('is drift if it was moved by hand', async () => {
    await run.put('/v1/task/1', { scheduledtime: NOW + 26 * HOUR });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    await run.apply(items, { overwrite: true });
    expect(await run.live()).toMatchObject([{ id: 1, scheduledtime: NOW + 24 * HOUR }]);
  });

  it.each([
    ['has passed', { at: String(NOW - 1) }],
    ['is too near', { at: String(NOW + 299) }],
    ['is nearer than its hold', { at: String(NOW + 600), hold: 1200 }],
  ])('with a time that %s is not made', async (_, more) => {
    const late = [items[0] as never, task('late', more)];
    expect(inWords(await run.plan(late))).toContain('blocked task late time');
    await run.apply(late);
    expect(await run.sandbox.rows('task')).toHaveLength(1);
  });

  // Contract: "A task that fails `expect-size` or `max-credits` does not stay live."
  it.each([
    ['size', { expectSize: { from: 1, to: 2 } }],
    ['cost', { maxCredits: 2 }],
  ])('with an unexpected %s is not kept, and is made once it fits', async (_, more) => {
    const at = String(NOW + 20 * HOUR);
    const limited = [...items, task('limited', { at, ...more })];
    await expect(run.apply(limited)).rejects.toMatchObject({ kind: expect.stringMatching(/^unexpected-/) });
    expect(await run.live()).toHaveLength(1);
    const fitting = task('limited', { at, expectSize: { from: 3, to: 3 }, maxCredits: 3 });
    await run.apply([...items, fitting]);
    expect(await run.live()).toHaveLength(2);
    await run.isSettled([...items, fitting]);
  });

  it('keeps a time that is relative to now', async () => {
    const relative = [...items, task('relative', { at: '+2d' })];
    await run.apply(relative);
    await run.sandbox.at(HOUR);
    await run.isSettled(relative);
    expect((await run.live()).map((row) => row['scheduledtime'])).toContain(NOW + 48 * HOUR);
  });

  // Contract: "The text of a relative time in a campaign file belongs to the item: editing it is a change."
  describe('with a relative time', () => {
    const made = [...items, task('soon', { at: 'monday 09:00', list: '2' })];
    const timed = (at: string) => [...items, task('soon', { at, list: '2' })];
    beforeEach(async () => {
      run = await openCampaign(undefined, made);
    });
    const soon = async () => (await run.live()).find((row) => row['list_id'] === 2);

    it.each([
      ['another day', 'tuesday 10:00'],
      ['a span', '+6d'],
      ['an hour of the day with a date', '2026-12-24 10:00'],
    ])('is changed if the file says %s', async (_, at) => {
      const before = await soon();
      await run.sandbox.at(HOUR);
      const [, , step] = await run.plan(timed(at));
      expect(step).toMatchObject({ action: 'change', id: '2' });
      expect(step?.changes?.map(({ attribute }) => attribute)).toEqual(['scheduledtime']);
      await run.apply(timed(at));
      expect((await soon())?.['scheduledtime']).toBe(step?.time);
      expect((await soon())?.['scheduledtime']).not.toBe(before?.['scheduledtime']);
      await run.sandbox.at(2 * HOUR);
      await run.isSettled(timed(at));
      expect(await run.live()).toHaveLength(2);
    });

    it('is changed if other words mean the same moment, so that they count from now on', async () => {
      const { scheduledtime } = (await soon()) ?? {};
      const span = `+${Number(scheduledtime) - NOW}s`;
      const [, , step] = await run.plan(timed(span));
      expect(step).toMatchObject({ action: 'change', time: scheduledtime, changes: [] });
      expect(step?.reason).toContain(span);
      await run.apply(timed(span));
      await run.sandbox.at(HOUR);
      await run.isSettled(timed(span));
    });

    it.each(['Monday 09:00', ' monday  09:00'])('is kept if it is written %j', (at) =>
      run.isSettled(timed(at)),
    );

    it('is kept if the file has the moment instead', async () => {
      await run.isSettled(timed(String((await soon())?.['scheduledtime'])));
    });

    it('keeps its words while it is made again for a new version of its message', async () => {
      const { scheduledtime } = (await soon()) ?? {};
      await run.sandbox.at(HOUR);
      const changed = [email('spring', { subject: 'Other' }), ...made.slice(1)];
      await run.apply(changed);
      expect(await soon()).toMatchObject({ message_id: 2, scheduledtime });
      await run.isSettled(changed);
    });

    // A run that is killed after it cancelled the task leaves a task with the words of its creation.
    it('gets the time of its new words, even if it was interrupted while it was made again', async () => {
      let isCut = false;
      run = await openCampaign((sandbox) => async (request) => {
        if (isCut && request.method === 'POST' && request.path === '/v1/task') throw new Error('killed');
        return sandbox.service.handle(request);
      });
      await run.apply(timed('+2d'));
      await run.sandbox.at(HOUR);
      const changed = [email('spring', { subject: 'Other' }), task('soon', { at: '+3d', list: '2' })];
      isCut = true;
      await expect(run.apply(changed)).rejects.toThrow('killed');
      isCut = false;
      await run.apply(changed);
      expect(await soon()).toMatchObject({ message_id: 2, scheduledtime: NOW + HOUR + 72 * HOUR });
    });

    it('is blocked after the send if its words were edited', async () => {
      await advance(run.sandbox, 9 * 24 * HOUR);
      await run.isSettled(made);
      expect(inWords(await run.plan(timed('tuesday 10:00')))).toContain('blocked task soon state');
    });
  });

  // Contract, "Safety": the bounds of --at.
  it.each([
    ['more than 2 years ahead', '3029-01-01 09:00'],
    ['more than 2 years ahead', String(NOW + 3 * 365 * 24 * HOUR)],
    ['looks like milliseconds', '99999999999999'],
  ])('with a time that is %s is not made', async (why, at) => {
    const items = [email('spring'), task('far', { at })];
    const step = (await run.plan(items))[1];
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'time',
      reason: expect.stringContaining(why),
    });
    await run.apply(items);
    expect(await run.live()).toHaveLength(1);
  });

  it('is blocked if its message does not exist', async () => {
    for (const message of [{ id: '77' }, { name: 'Nobody' }])
      expect(inWords(await run.plan([task('lost', { message })]))).toContain('blocked task lost reference');
  });

  // Interface: e-mail and SMS messages have separate ids, so 1 may be the id of both.
  it('is made again if its message now has another channel', async () => {
    const changed = [text('spring'), items[1] as never];
    expect(inWords(await run.plan(changed))).toEqual(['create message spring', 'replace task spring']);
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ channel: 'sms', message_id: 1 }]);
    await run.isSettled(changed);
  });

  it('is moved to its message under another key, which is not drift', async () => {
    const renamed = [email('summer'), task('spring', { message: { key: 'summer' } })];
    expect(inWords(await run.plan(renamed))).toEqual([
      'create message summer',
      'replace task spring',
      'orphaned message 1',
    ]);
    await run.apply(renamed);
    expect(await run.live()).toMatchObject([{ message_id: 2 }]);
    await run.apply(renamed, { prune: true });
    expect(inWords(await run.plan(renamed))).toEqual(['keep message summer', 'keep task spring']);
  });

  it('may name a message of the same file by its id', async () => {
    const at = String(NOW + 20 * HOUR);
    const named = [...items, task('by-id', { message: { id: '1' }, channel: 'email', at })];
    await run.apply(named);
    expect(await run.live()).toHaveLength(2);
    await run.isSettled(named);
  });

  // Interface, "States": a deleted message that a task uses becomes hidden, and the task is not cancelled.
  it('whose message was deleted by hand is drift, and says so', async () => {
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'drift',
      reason: expect.stringContaining('deleted'),
    });
    await run.apply(items, { overwrite: true });
    expect(await run.live()).toMatchObject([{ message_id: 2 }]);
    await run.isSettled(items);
  });

  it('is kept after the send if the message that it names by id no longer exists', async () => {
    const at = String(NOW + 20 * HOUR);
    const named = [...items, task('by-id', { message: { id: '1' }, channel: 'email', at })];
    await run.apply(named);
    await advance(run.sandbox, 25 * HOUR);
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    expect(inWords(await run.plan(named))).toContain('keep task by-id');
  });

  it('may use an existing message, by id or name', async () => {
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
      task('by-id', { message: { id: '1' }, channel: 'sms', at: String(NOW + 20 * HOUR) }),
    ];
    await run.apply(named);
    expect((await run.live()).filter((row) => row['channel'] === 'sms')).toHaveLength(2);
    await run.isSettled(named);
  });
});

// Two simultaneous applies leave two tasks of one key if one of them is killed before it can cancel its own task.
describe('a task that exists twice', () => {
  const items = [email('spring'), task('spring')];
  const again = async (more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const [first] = await run.sandbox.rows('task');
    const { name, channel, message_id, list_id, search_id, scheduledtime } = first ?? {};
    const body = { name, channel, message_id, list_id, search_id, scheduledtime, ...more };
    expect((await run.sandbox.send('admin', 'POST', '/v1/task', body)).status).toBe(202);
  };
  beforeEach(async () => {
    run = await openCampaign(undefined, items);
    await again();
  });

  it('is cancelled except for the first', async () => {
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({ action: 'change', id: '1', reason: expect.stringContaining('task 2') });
    await run.apply(items);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
    await run.isSettled(items);
  });

  it('is changed once if the file has changed since', async () => {
    const changed = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ id: 1, scheduledtime: NOW + 30 * HOUR }]);
    await run.isSettled(changed);
  });

  // Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
  it('is not made again if the remaining one is cancelled by hand', async () => {
    await run.apply(items);
    await run.put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    expect(await run.apply(items)).toEqual([]);
    expect(await run.live()).toEqual([]);
  });

  it('is not sent again if one of them was sent', async () => {
    await run.put('/v1/task/2', { scheduledtime: NOW + 30 * HOUR });
    const moved = [items[0] as never, task('spring', { at: String(NOW + 30 * HOUR) })];
    await advance(run.sandbox, 25 * HOUR);
    expect(inWords(await run.plan(moved))).toContain('blocked task spring drift');
    await run.apply(moved, { overwrite: true });
    expect(await run.live()).toEqual([]);
    // Task 1 was sent at another time than the file says.
    expect(inWords(await run.plan(moved))).toContain('blocked task spring state');
    await run.isSettled(items);
  });

  it('is drift if one of them was changed by hand', async () => {
    await run.put('/v1/task/2', { scheduledtime: NOW + 30 * HOUR });
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    await run.apply(items);
    expect(await run.live()).toHaveLength(2);
  });
});
