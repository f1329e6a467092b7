/**
 * Contract, "Campaigns as files", "Series": a weekly job keeps a series filled, and sends each time once. The clock of these tests begins on
 * Tue 2026-12-01 09:00 in London.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { WantedItem, WantedTask } from '../../src/features/campaign/model.ts';
import type { Repeat } from '../../src/features/campaign/series.ts';
import { advance } from '../support/engine.ts';
import { type CampaignRun, email, HOUR, inWords, openCampaign, task } from './support.ts';

const DAY = 24 * HOUR;
const FIRST = '2026-12-01 12:00';
const series = (repeat: Partial<Repeat> = {}, more: Partial<WantedTask> = {}): WantedTask =>
  task('news', {
    at: FIRST,
    repeat: { every: 'day', until: null, times: 10, ahead: 3, records: [], ...repeat },
    ...more,
  });
const fileOf = (...tasks: readonly WantedTask[]): readonly WantedItem[] => [email('spring'), ...tasks];

let run: CampaignRun;
const tasksIn = async (steps: ReturnType<CampaignRun['plan']>): Promise<readonly string[]> =>
  inWords(await steps).filter((line) => / task /.test(line));
const daysOf = async (): Promise<readonly string[]> =>
  (await run.sandbox.rows('task'))
    .filter(({ cancelled }) => cancelled !== 1)
    .map(({ scheduledtime }) => new Date(Number(scheduledtime) * 1000).toISOString().slice(5, 16));

describe('a series', () => {
  beforeEach(async () => {
    run = await openCampaign(undefined, fileOf(series()));
  });

  it('has its next three times, and nothing to do when it is applied again', async () => {
    expect(await daysOf()).toEqual(['12-01T12:00', '12-02T12:00', '12-03T12:00']);
    await run.isSettled(fileOf(series()));
    expect(await run.apply(fileOf(series()))).toEqual([]);
  });

  it('is filled by a later run: sent times count as sent, and are never made again', async () => {
    await advance(run.sandbox, 2 * DAY);
    expect(await tasksIn(run.plan(fileOf(series())))).toEqual([
      'keep task news@2026-12-03',
      'create task news@2026-12-04',
      'create task news@2026-12-05',
    ]);
    await run.apply(fileOf(series()));
    await run.isSettled(fileOf(series()));
    expect(await daysOf()).toEqual([
      '12-01T12:00',
      '12-02T12:00',
      '12-03T12:00',
      '12-04T12:00',
      '12-05T12:00',
    ]);
  });

  it('skips times that passed before it made them', async () => {
    await advance(run.sandbox, 6 * DAY);
    await run.apply(fileOf(series()));
    expect((await daysOf()).slice(3)).toEqual(['12-07T12:00', '12-08T12:00', '12-09T12:00']);
  });

  it('ends', async () => {
    await advance(run.sandbox, 8 * DAY);
    expect(await tasksIn(run.plan(fileOf(series())))).toEqual([
      'create task news@2026-12-09',
      'create task news@2026-12-10',
    ]);
    await advance(run.sandbox, 20 * DAY);
    expect(await tasksIn(run.plan(fileOf(series())))).toEqual([]);
  });

  it('leaves a time cancelled that a person cancelled, without an error', async () => {
    await run.put('/v1/task/2', { cancelled: true });
    await run.isSettled(fileOf(series()));
    expect(await run.apply(fileOf(series({}, { name: 'Other' })))).not.toContain(
      'create task news@2026-12-02',
    );
    await advance(run.sandbox, DAY / 2);
    await run.apply(fileOf(series()));
    expect(await daysOf()).toEqual(['12-01T12:00', '12-03T12:00', '12-04T12:00']);
  });

  it('makes it again with --overwrite', async () => {
    await run.put('/v1/task/2', { cancelled: true });
    expect(await run.apply(fileOf(series()), { overwrite: true })).toEqual(['create task news@2026-12-02']);
  });

  it.each([
    ['another hour', { at: '2026-12-01 15:00' }, 'change'],
    ['another list', { list: '2' }, 'change'],
    ['another rate', { rate: 500 }, 'replace'],
  ])('changes only the times to come: %s', async (_, more, action) => {
    await advance(run.sandbox, DAY / 2);
    const changed = fileOf(series({}, more));
    expect(await tasksIn(run.plan(changed))).toEqual([
      `${action} task news@2026-12-02`,
      `${action} task news@2026-12-03`,
      'create task news@2026-12-04',
    ]);
    await run.apply(changed);
    await run.isSettled(changed);
    expect((await run.sandbox.rows('task'))[0]).toMatchObject({ id: 1, list_id: 1, rate: null });
  });

  it('keeps a time that is sent, if its hour is still ahead in the changed file', async () => {
    await advance(run.sandbox, DAY / 4);
    const changed = fileOf(series({}, { at: '2026-12-01 20:00' }));
    expect(await tasksIn(run.plan(changed))).toEqual([
      'keep task news@2026-12-01',
      'change task news@2026-12-02',
      'change task news@2026-12-03',
    ]);
  });

  it('keeps a time that is being sent', async () => {
    await run.sandbox.at(3 * HOUR + 1);
    const changed = fileOf(series({}, { list: '2' }));
    expect((await tasksIn(run.plan(changed)))[0]).toBe('keep task news@2026-12-01');
  });

  it('orphans times after a nearer end, and says to whom they go', async () => {
    const shorter = fileOf(series({ times: 2 }));
    const [orphan] = (await run.plan(shorter)).filter(({ action }) => action === 'orphaned');
    expect(orphan).toMatchObject({ kind: 'task', id: '3' });
    expect(orphan?.reason).toBe(
      'the file no longer contains this task; it goes to list 1 (3 subscriptions) on Thu 2026-12-03 12:00 Europe/London',
    );
    expect(await run.apply(shorter)).toEqual([]);
    expect(await run.apply(shorter, { prune: true })).toEqual(['cancel task 3']);
    await run.isSettled(shorter);
  });

  it('orphans all times of a removed task', async () => {
    const steps = await run.plan(fileOf());
    expect(inWords(steps).slice(1)).toEqual(['orphaned task 1', 'orphaned task 2', 'orphaned task 3']);
  });

  it('blocks the times of other days while those of the earlier days would be sent too', async () => {
    const moved = fileOf(series({ every: 'week' }, { at: '2026-12-02 12:00' }));
    expect(await tasksIn(run.plan(moved))).toEqual([
      'keep task news@2026-12-02',
      'blocked task news@2026-12-09 state',
      'create task news@2026-12-16',
      'orphaned task 1',
      'orphaned task 3',
    ]);
    expect((await run.plan(moved)).find(({ action }) => action === 'blocked')?.reason).toMatch(
      /^task 3 is of an earlier day of this series, and would be sent too; it goes to list 1 \(3 subscriptions\) on Thu 2026-12-03/,
    );
    expect(await run.apply(moved, { prune: true })).toEqual([
      'cancel task 1',
      'cancel task 3',
      'create task news@2026-12-09',
      'create task news@2026-12-16',
    ]);
    await run.isSettled(moved);
  });
});

// Contract, "Series": "a task of an earlier day that is nearer to a new time than two times of the series blocks the new one".
describe('a message that was sent shortly before', () => {
  const weekly = (at: string) => series({ every: 'week' }, { at });
  const reason =
    /^task 1, which the file no longer names, has sent the same message to 3 subscriptions of list 1 at Tue 2026-12-01 12:00 .* nearer than two times of this series \(every week\)/;

  it.each([
    ['on an earlier day of the series', weekly(FIRST), '2026-12-02 12:00'],
    ['as a single task, before it had repeat', task('news', { at: FIRST }), '2026-12-01 19:00'],
  ])('blocks the next time: %s', async (_, before, at) => {
    run = await openCampaign(undefined, fileOf(before));
    await advance(run.sandbox, DAY / 4);
    const key = `news@${at.slice(0, 10)}`;
    const plan = await run.plan(fileOf(weekly(at)), { prune: true });
    expect(inWords(plan).filter((line) => line.startsWith('blocked'))).toEqual([`blocked task ${key} state`]);
    expect(plan.find(({ action }) => action === 'blocked')?.reason).toMatch(reason);
    expect(await tasksIn(run.plan(fileOf(weekly(at)), { both: true }))).toContain(`create task ${key}`);
    const other = [email('spring', { subject: 'Other' }), weekly(at)];
    expect(await tasksIn(run.plan(other, { prune: true }))).toContain(`create task ${key}`);
    await run.apply(fileOf(weekly(at)), { prune: true });
    await advance(run.sandbox, 2 * DAY);
    expect(inWords(await run.plan(fileOf(weekly(at)))).join()).not.toContain('blocked');
    expect(await daysOf()).not.toContain(at.slice(5).replace(' ', 'T'));
  });

  // Interface, "States": a deleted message is hidden, so nobody can tell whether its text is the same.
  it('blocks the next time if it was deleted since', async () => {
    run = await openCampaign(undefined, [email('other', { subject: 'Other' }), ...fileOf(weekly(FIRST))]);
    await advance(run.sandbox, DAY / 4);
    const at = '2026-12-02 12:00';
    const other = (): readonly WantedItem[] => [
      email('other', { subject: 'Other' }),
      { ...weekly(at), message: { key: 'other' } },
    ];
    expect(await tasksIn(run.plan(other(), { prune: true }))).toContain('create task news@2026-12-02');
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/2');
    const blocked = (await run.plan(other(), { prune: true })).find(({ action }) => action === 'blocked');
    expect(blocked).toMatchObject({ key: 'news@2026-12-02', blockedBy: 'state' });
    expect(blocked?.reason).toMatch(
      /^task 1, .* has sent a message that was deleted since to 3 subscriptions/,
    );
  });
});

describe('the same send', () => {
  beforeEach(async () => {
    run = await openCampaign(undefined, fileOf(series()));
  });

  it('is blocked in a second series and in a single task', async () => {
    const second = { ...series(), key: 'more', name: 'More' };
    const single = task('single', { at: FIRST });
    expect(await tasksIn(run.plan(fileOf(series(), second, single)))).toEqual([
      ...['keep task news@2026-12-01', 'keep task news@2026-12-02', 'keep task news@2026-12-03'],
      ...['blocked task more@2026-12-01 state', 'blocked task more@2026-12-02 state'],
      ...['blocked task more@2026-12-03 state', 'blocked task single state'],
    ]);
  });

  it('is blocked under a new key of the series', async () => {
    const renamed = { ...series(), key: 'letters' };
    const steps = await run.plan(fileOf(renamed));
    expect(inWords(steps)).toContain('blocked task letters@2026-12-02 state');
    expect(steps.find(({ key }) => key === 'letters@2026-12-02')?.reason).toContain(
      '--adopt letters@2026-12-02=2',
    );
    const adopt = Object.fromEntries([1, 2, 3].map((id) => [`task letters@2026-12-0${id}`, String(id)]));
    await run.apply(fileOf(renamed), { adopt });
    await run.isSettled(fileOf(renamed));
    expect(await daysOf()).toHaveLength(3);
  });

  // Contract, "renamed-from": "The item owns every record whose mark has one of these keys and names".
  it('is not made again under a new key with renamed-from: sent times count, the others are renamed', async () => {
    const renamed = fileOf({ ...series(), key: 'letters', renamedFrom: ['mailings', 'news'] });
    await advance(run.sandbox, DAY);
    expect(await tasksIn(run.plan(renamed))).toEqual([
      ...['rename task letters@2026-12-02', 'rename task letters@2026-12-03'],
      'create task letters@2026-12-04',
    ]);
    await run.apply(renamed);
    await run.isSettled(renamed);
    expect(await daysOf()).toEqual(['12-01T12:00', '12-02T12:00', '12-03T12:00', '12-04T12:00']);
    const moved = fileOf({
      ...series({ every: 'week' }, { at: '2026-12-09 12:00' }),
      ...{ key: 'letters', renamedFrom: ['news'] },
    });
    expect((await run.plan(moved)).find(({ action }) => action === 'blocked')?.reason).toMatch(
      /^task 3 is of an earlier day of this series/,
    );
  });

  // Contract, "Series": "a task without a mark counts for the time of the series nearest to it".
  describe('of a task that lost its mark', () => {
    it('blocks its own time alone', async () => {
      await run.put('/v1/task/2', { name: 'Task news' });
      await advance(run.sandbox, DAY / 2);
      const steps = await run.plan(fileOf(series()));
      expect(inWords(steps).slice(1)).toEqual([
        'blocked task news@2026-12-02 drift',
        'keep task news@2026-12-03',
        'create task news@2026-12-04',
      ]);
      expect(steps[1]?.reason).toContain('--adopt news@2026-12-02=2 adopts it');
    });

    it('blocks its own time if a person has moved it by some hours, too', async () => {
      await run.put('/v1/task/2', { name: 'Task news', scheduledtime: 1_796_115_600 + 35 * HOUR });
      expect(await tasksIn(run.plan(fileOf(series())))).toContain('blocked task news@2026-12-02 drift');
    });

    it('blocks each new time if a person has moved it beside another one', async () => {
      await run.put('/v1/task/2', { name: 'Task news', scheduledtime: 1_796_115_600 + 50 * HOUR });
      await advance(run.sandbox, DAY / 2);
      expect(await tasksIn(run.plan(fileOf(series())))).toEqual([
        'blocked task news@2026-12-02 drift',
        'keep task news@2026-12-03',
        'blocked task news@2026-12-04 drift',
      ]);
    });

    it('blocks no later time once it is sent', async () => {
      await run.put('/v1/task/2', { name: 'Task news' });
      await advance(run.sandbox, 2 * DAY);
      expect(await tasksIn(run.plan(fileOf(series())))).toEqual([
        ...['keep task news@2026-12-03', 'create task news@2026-12-04', 'create task news@2026-12-05'],
      ]);
    });
  });
});

// Contract, "A key that vanished": the reason says how to keep the task. The key of the file did not change here, so `renamed-from` cannot.
describe('a task that gets repeat, or loses it', () => {
  const single = fileOf(task('news', { at: FIRST }));
  const FILE = fileOf(series());
  beforeEach(async () => {
    run = await openCampaign();
  });

  it('is kept by --adopt, which the reason names', async () => {
    await run.apply(single);
    const [, first] = await run.plan(FILE);
    expect(first).toMatchObject({ action: 'blocked', blockedBy: 'state' });
    expect(first?.reason).toContain(
      `same time: it is of this item before it had repeat, and --adopt ${first?.key}=1 keeps it; --prune`,
    );
    const adopt = { [`task ${first?.key}`]: '1' };
    await run.apply(FILE, { adopt });
    await run.isSettled(FILE);
    expect(await run.live()).toHaveLength(3);
  });

  it('stays cancelled if a person cancelled it, and the reason names --adopt, too', async () => {
    await run.apply(FILE);
    await run.put('/v1/task/1', { cancelled: true });
    const step = (await run.plan(single, { prune: true })).find(({ key }) => key === 'news');
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'drift' });
    expect(step?.reason).toContain('it is of this item while it had repeat, and --adopt news=1 keeps it');
  });

  it('is kept by --adopt if it is a time of a series that becomes one task', async () => {
    await run.apply(FILE);
    const [, step] = await run.plan(single);
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
    expect(step?.reason).toContain('it is of this item while it had repeat, and --adopt news=1 keeps it');
    const adopt = { 'task news': '1' };
    await run.apply(single, { adopt, prune: true });
    await run.isSettled(single);
    expect(await run.live()).toHaveLength(1);
  });
});

describe('two runs at once', () => {
  it('fill a series once', async () => {
    run = await openCampaign();
    const runs = await Promise.allSettled([run.apply(fileOf(series())), run.apply(fileOf(series()))]);
    expect(runs.some(({ status }) => status === 'fulfilled')).toBe(true);
    await run.apply(fileOf(series()));
    await run.isSettled(fileOf(series()));
    expect(await daysOf()).toEqual(['12-01T12:00', '12-02T12:00', '12-03T12:00']);
  });
});
