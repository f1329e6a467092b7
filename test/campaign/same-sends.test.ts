/**
 * Contract, "Sends and campaigns, once more": the same message to the same list at the same time is sent once, under any key, campaign or
 * record, unless `--both` is given. A rule acts once.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { withStages } from '../../src/client/requests/write.ts';
import { applyCampaign } from '../../src/features/campaign/apply/apply.ts';
import type { Campaign, WantedItem } from '../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { assignRecordsToTakeOver } from '../../src/features/campaign/plan/adoption.ts';
import { planCampaign } from '../../src/features/campaign/plan/plan.ts';
import { advance } from '../support/engine.ts';
import { NOW } from '../support/sandbox.ts';
import {
  type CampaignRun,
  email,
  HOUR,
  interrupted,
  inWords,
  openCampaign,
  rule,
  sendPortsOf,
  task,
  text,
} from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
});

const spring = email('spring');
const options = { overwrite: false, prune: false, zone: 'Europe/London' };
const summer = (items: readonly WantedItem[]): Campaign => ({ campaign: 'Summer', company: null, items });
const reasonOf = async (items: readonly WantedItem[], more = {}): Promise<string> =>
  (await run.plan(items, more)).at(-1)?.reason ?? '';

describe('a task whose key was renamed', () => {
  const renamed = [spring, task('renamed')];
  beforeEach(async () => {
    run = await openCampaign(undefined, [spring, task('spring')]);
  });

  it('is blocked, and the flag that the reason names keeps the task', async () => {
    const steps = await run.plan(renamed);
    expect(inWords(steps)).toEqual(['keep message spring', 'blocked task renamed state', 'orphaned task 1']);
    // Contract, "A key that vanished": `renamed-from` first, `--adopt` second, the flags "only with what they would do to people".
    expect(steps[1]?.reason).toMatch(
      /^task 1, which the file no longer names, .*write renamed-from .*--adopt renamed=1; --prune cancels task 1 to 3 subscriptions of list 1 at Wed .*; --both sends both to the same people$/,
    );
    await run.apply(renamed);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
    const { items } = assignRecordsToTakeOver(summer(renamed), { 'task renamed': '1' });
    await run.apply(items);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
    await run.isSettled(renamed);
  });

  it('is kept for good by --adopt, also if its name is the same', async () => {
    const named = [spring, task('renamed', { name: 'Task spring' })];
    const adopt = { 'task renamed': '1' };
    expect(inWords(await run.plan(named, { adopt }))).toContain('change task renamed');
    await run.apply(named, { adopt });
    await run.isSettled(named);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  it('is made with --prune after the previous one is cancelled, and two are never live', async () => {
    let most = 0;
    run = await openCampaign((sandbox) => async (request) => {
      const answer = await sandbox.service.handle(request);
      most = Math.max(most, (await run.live()).length);
      return answer;
    });
    await run.apply([spring, task('spring')]);
    expect(await run.apply(renamed, { prune: true })).toEqual(['cancel task 1', 'create task renamed']);
    expect(await run.live()).toMatchObject([{ id: 2 }]);
    expect(most).toBe(1);
    await run.isSettled(renamed);
  });

  it('is made with --both', async () => {
    await run.apply(renamed, { both: true });
    expect(await run.live()).toHaveLength(2);
    await run.isSettled([...renamed, task('spring')]);
  });

  it.each([
    ['another list', { list: '2' }],
    ['another message at another time', { message: { key: 'other' }, at: String(NOW + 24 * HOUR + 60) }],
  ])('is another send with %s', async (_, more) => {
    const items = [spring, email('other', { subject: 'Other' }), task('renamed', more)];
    expect(inWords(await run.plan(items))).toContain('create task renamed');
  });

  // Contract, "A key that vanished": the content or the time may have changed together with the key.
  it.each([
    [
      'another time',
      { at: String(NOW + 30 * HOUR) },
      /sends the same message to the same recipients at another time/,
    ],
    [
      'another message',
      { message: { key: 'other' } },
      /sends another message to the same recipients at the same time/,
    ],
  ])('is blocked with %s, too', async (_, more, reason) => {
    const items = [spring, email('other', { subject: 'Other' }), task('renamed', more)];
    const step = (await run.plan(items)).find(({ key }) => key === 'renamed');
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'state',
      reason: expect.stringMatching(reason),
    });
    // The item of the earlier key is still in the file, so the key is not a new one of that item.
    expect(inWords(await run.plan([...items, task('spring')]))).toContain('create task renamed');
  });

  it('is blocked if its previous task was cancelled by hand, and made with --overwrite', async () => {
    await run.put('/v1/task/1', { cancelled: true });
    expect((await run.plan(renamed)).find(({ key }) => key === 'renamed')).toMatchObject({
      ...{ action: 'blocked', blockedBy: 'drift' },
      reason: expect.stringMatching(/was cancelled by hand .*renamed-from .*--overwrite creates it again/),
    });
    await run.apply(renamed);
    expect(await run.live()).toEqual([]);
    expect(inWords(await run.plan(renamed, { overwrite: true }))).toContain('create task renamed');
  });

  it('is blocked if its previous task was sent at the same relative time', async () => {
    const soon = [spring, task('soon', { list: '2', at: '+2d' })];
    await run.apply(soon);
    await advance(run.sandbox, 49 * HOUR);
    const later = (at: string) => [spring, task('later', { list: '2', at })];
    expect((await run.plan(later('+2d'))).find(({ key }) => key === 'later')).toMatchObject({
      ...{ action: 'blocked', blockedBy: 'state' },
      reason: expect.stringMatching(/was sent \(to 1 subscription of list 2 .*--both sends it again/),
    });
    // Contract: a new key sends a message again. Another time shows that somebody means that.
    expect(inWords(await run.plan(later('+3d')))).toContain('create task later');
    expect(inWords(await run.plan(later('+2d'), { both: true }))).toContain('create task later');
  });

  it('is the same send with the same message under another key', async () => {
    const items = [email('other'), task('renamed', { message: { key: 'other' } })];
    expect(inWords(await run.plan(items))).toContain('blocked task renamed state');
  });

  it('is the same send if the message differs only by its addresses', async () => {
    const html = String(spring.values['html']).replace('https://example.com/a', 'https://example.com/b');
    const items = [email('other', { html }), task('renamed', { message: { key: 'other' } })];
    expect(inWords(await run.plan(items))).toContain('blocked task renamed state');
  });

  // Contract, "A key that vanished": a scheduled task with the same message blocks. Nothing can cancel it while it is being sent.
  it('is blocked also with --prune while the first one is being sent', async () => {
    run = await openCampaign(undefined, [spring, task('spring', { rate: 1 })]);
    await advance(run.sandbox, 24 * HOUR + 60);
    const later = [spring, task('renamed', { at: String(NOW + 26 * HOUR) })];
    for (const prune of [false, true]) {
      const [, step] = await run.plan(later, { prune });
      expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
      expect(step?.reason).toMatch(
        /^task 1, .*; task 1 is being sent; --both sends both to the same people$/,
      );
    }
    await run.apply(later, { prune: true });
    expect(await run.live()).toHaveLength(1);
  });
});

describe('a task that was created twice, and once more by hand', () => {
  // Contract, "Campaigns as files": svc cancels its own duplicates, and a person decides about the task made by hand.
  it('loses its duplicate, although the task made by hand then blocks the item', async () => {
    const items = [spring, task('spring')];
    run = await openCampaign(undefined, items);
    const [row] = await run.live();
    const body = {
      ...{ channel: 'email', message_id: row?.['message_id'], list_id: 1, search_id: null },
      scheduledtime: row?.['scheduledtime'],
    };
    await run.sandbox.send('admin', 'POST', '/v1/task', { ...body, name: row?.['name'] });
    await run.sandbox.send('admin', 'POST', '/v1/task', { ...body, name: 'By hand' });
    expect(inWords(await run.plan(items))).toEqual(['keep message spring', 'change task spring']);
    expect(await reasonOf(items)).toMatch(
      /svc cancels task 2; task 3, which belongs to no campaign, and task 1/,
    );
    await expect(run.apply(items)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringMatching(/task 3 and task 1 send the same message/),
    });
    expect(await run.live()).toMatchObject([{ id: 1 }, { id: 3 }]);
    expect(inWords(await run.plan(items))).toEqual(['keep message spring', 'blocked task spring state']);
  });
});

describe('a rule that was created twice, and once more by hand', () => {
  it('loses its duplicate, and the rule made by hand is reported', async () => {
    const items = [spring, rule('welcome')];
    run = await openCampaign(undefined, items);
    const rules = () => run.sandbox.rows('subscription_automation');
    const [row] = await rules();
    const { list_id, actiontype, actiontarget, actiontimediff, name } = row ?? {};
    const body = { list_id, actiontype, actiontarget, actiontimediff, actiononweekend: true, summary: null };
    await run.sandbox.send('admin', 'POST', '/v1/subscriptionAutomation', { ...body, name });
    await run.sandbox.send('admin', 'POST', '/v1/subscriptionAutomation', { ...body, name: 'By hand' });
    expect(inWords(await run.plan(items))).toEqual(['keep message spring', 'change automation welcome']);
    await expect(run.apply(items)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringMatching(/rule subscription:3 and rule subscription:1 have the same trigger/),
    });
    expect(await rules()).toMatchObject([
      { id: 1, paused: 0 },
      { id: 2, paused: 1 },
      { id: 3, paused: 0 },
    ]);
    expect(inWords(await run.plan(items))).toEqual([
      'keep message spring',
      'blocked automation welcome state',
    ]);
  });
});

// Contract, "Sends and campaigns, once more": "under another key", "so is a rule with the same trigger, action and target".
describe('two rules of one file', () => {
  const delayed = (minutes: number) => ({ values: { ...rule('a').values, actiontimediff: minutes } });
  const items = [spring, email('same'), rule('first'), rule('second')];
  const active = async (): Promise<number> =>
    (await run.sandbox.rows('subscription_automation')).filter(({ paused }) => paused === 0).length;

  it.each([
    ['under another key', rule('second')],
    [
      'with another message of the same content',
      rule('second', { references: { list_id: { id: '1' }, actiontarget: { key: 'same' } } }),
    ],
  ])('are blocked except the first if they do the same: %s', async (_, second) => {
    const same = [spring, email('same'), rule('first'), second];
    expect(inWords(await run.plan(same)).slice(-2)).toEqual([
      'create automation first',
      'blocked automation second state',
    ]);
    expect(await reasonOf(same)).toMatch(/^automation first has the same trigger, .*same delay: .*--both/);
    await run.apply(same);
    expect(await active()).toBe(1);
  });

  it.each([
    ['with another delay', rule('second', delayed(90))],
    [
      'for another list',
      rule('second', { references: { list_id: { id: '2' }, actiontarget: { key: 'spring' } } }),
    ],
    ['paused', rule('second', { paused: true })],
  ])('are made %s', async (_, second) => {
    expect(inWords(await run.plan([spring, rule('first'), second])).slice(-2)).toEqual([
      'create automation first',
      'create automation second',
    ]);
  });

  it('are kept if both already exist, and may be renamed', async () => {
    await run.apply(items, { both: true });
    expect(await active()).toBe(2);
    await run.isSettled(items);
    const changed = [spring, email('same'), rule('first'), rule('second', { name: 'Other' })];
    expect(await run.apply(changed)).toEqual(['change automation second']);
  });

  it('are blocked if the message of one gets the content of the message of the other', async () => {
    const sending = (key: string) => ({ references: { list_id: { id: '1' }, actiontarget: { key } } });
    const withSubject = (subject: string) => [
      ...[spring, email('other', { subject })],
      ...[rule('first'), rule('second', sending('other'))],
    ];
    await run.apply(withSubject('Other'));
    const same = withSubject('Hello');
    expect(inWords(await run.plan(same)).slice(-2)).toEqual([
      'keep automation first',
      'blocked automation second state',
    ]);
    expect(await reasonOf(same)).toMatch(/^automation first has the same trigger, .*same delay: .*--both/);
    expect(inWords(await run.plan(same, { both: true }))).toContain('replace automation second');
    // Interface, "States": a deleted message is hidden, so its text is unknown.
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/2');
    const options = { overwrite: true };
    expect(inWords(await run.plan(same, options))).toContain('blocked automation second state');
    expect(inWords(await run.plan(withSubject('Other'), options))).toContain('replace automation second');
  });

  it.each([false, true])(
    'are not both made while a person has paused one: reversed %j',
    async (isReversed) => {
      await run.apply([spring, rule('first'), rule('second', delayed(90))]);
      await run.put('/v1/subscriptionAutomation/1', { paused: true });
      const pair = [rule('first'), rule('second')];
      const same = [spring, ...(isReversed ? pair.toReversed() : pair)];
      const step = (await run.plan(same)).find(({ key }) => key === 'second');
      expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
      expect(step?.reason).toMatch(/^rule subscription:1 of automation first is paused, but not in the file/);
      // The file gives the paused rule another delay, so that the two differ once it is applied.
      const apart = [spring, rule('first', delayed(120)), rule('second')];
      expect(inWords(await run.plan(apart))).toContain('change automation second');
    },
  );

  it('are replaced together if both send one message already', async () => {
    await run.apply(items, { both: true });
    const changed = [email('spring', { subject: 'Other' }), ...items.slice(1)];
    expect(inWords(await run.plan(changed)).slice(-2)).toEqual([
      'replace automation first',
      'replace automation second',
    ]);
  });

  it('are never both active if one gets the delay of the other', async () => {
    const apart = [spring, rule('first'), rule('second', delayed(90))];
    await run.apply(apart);
    expect(inWords(await run.plan([spring, rule('first'), rule('second')]))).toContain(
      'blocked automation second state',
    );
    const moved = [spring, rule('first', delayed(90)), rule('second', delayed(120))];
    expect((await run.plan(moved))[1]?.reason).toMatch(
      /^rule subscription:2 of automation second still .* first/,
    );
    expect(await run.apply(moved)).toEqual(['change automation second']);
    expect(await run.apply(moved)).toEqual(['change automation first']);
    await run.isSettled(moved);
  });

  it('of two files are blocked if they are planned together', async () => {
    const first: Campaign = { campaign: 'Spring', company: null, items: [spring, rule('first')] };
    const second = summer([
      email('news'),
      rule('news', { references: { list_id: { id: '1' }, actiontarget: { key: 'news' } } }),
    ]);
    const observed = await readAllRecordsForCampaign(run.client, first);
    const earlierPlans = [planCampaign(first, observed, options)];
    const { steps } = planCampaign(second, observed, options, { earlierPlans });
    expect(inWords(steps)).toEqual(['create message news', 'blocked automation news state']);
    expect(steps[1]?.reason).toMatch(/^automation first of campaign Spring has the same trigger/);
  });
});

describe('another campaign', () => {
  it('is blocked if it sends the same, and continues with --both', async () => {
    await run.apply([spring, task('spring')]);
    const campaign = summer([email('news'), task('news', { message: { key: 'news' } })]);
    const observed = await readAllRecordsForCampaign(run.client, campaign);
    const [, step] = planCampaign(campaign, observed, options).steps;
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
    expect(step?.reason).toMatch(/^task 1 of another campaign .*--both/);
    expect(planCampaign(campaign, observed, { ...options, both: true }).steps[1]).toMatchObject({
      action: 'create',
    });
  });

  it('is blocked if it sends the same SMS', async () => {
    await run.apply([text('sms'), task('sms', { message: { key: 'sms' } })]);
    const campaign = summer([text('news'), task('news', { message: { key: 'news' } })]);
    const { steps } = planCampaign(campaign, await readAllRecordsForCampaign(run.client, campaign), options);
    expect(inWords(steps)).toEqual(['create message news', 'blocked task news state']);
  });

  it('is blocked if it is planned together with the first', async () => {
    const first: Campaign = { campaign: 'Spring', company: null, items: [spring, task('spring')] };
    const second = summer([email('news'), task('news', { message: { key: 'news' } })]);
    const observed = await readAllRecordsForCampaign(run.client, first);
    const earlierPlans = [planCampaign(first, observed, options)];
    expect(inWords(planCampaign(second, observed, options, { earlierPlans }).steps)).toContain(
      'blocked task news state',
    );
  });

  it('is found before the task is made if it makes the same task during apply', async () => {
    const items = [spring, task('spring')];
    run = await interrupted('POST /v1/task', async (sandbox) => {
      await sandbox.send('admin', 'POST', '/v1/task', {
        channel: 'email',
        message_id: 1,
        name: 'Mine [svc-aaaaaa-bbbbb-ccccccc]',
        scheduledtime: NOW + 24 * HOUR,
        list_id: 1,
        search_id: null,
      });
    });
    await expect(run.apply(items)).rejects.toMatchObject({ kind: 'beaten' });
    expect(await run.live()).toMatchObject([{ id: 1, name: expect.stringMatching(/^Mine/) }]);
  });
});

describe('two files of one campaign', () => {
  it('name the items of both, so that neither is orphaned', async () => {
    const [first, second] = [[spring, task('spring')], [email('other', { subject: 'Other' })]];
    await run.apply([...first, ...second]);
    const of = (items: readonly WantedItem[]): Campaign => ({ campaign: 'Spring', company: null, items });
    const observed = await readAllRecordsForCampaign(run.client, of(first));
    const planned = planCampaign(of(first), observed, options, { siblings: second });
    expect(inWords(planned.steps)).toEqual(['keep message spring', 'keep task spring']);
    const others = { earlierPlans: [planned], siblings: first };
    expect(inWords(planCampaign(of(second), observed, options, others).steps)).toEqual([
      'keep message other',
    ]);
  });

  it('block the second file if both send the same', async () => {
    const of = (items: readonly WantedItem[]): Campaign => ({ campaign: 'Spring', company: null, items });
    const [first, second] = [
      [spring, task('spring')],
      [email('other'), task('other', { message: { key: 'other' } })],
    ];
    const observed = await readAllRecordsForCampaign(run.client, of(first));
    const planned = planCampaign(of(first), observed, options, { siblings: second });
    const { steps } = planCampaign(of(second), observed, options, {
      earlierPlans: [planned],
      siblings: first,
    });
    expect(inWords(steps)).toEqual(['create message other', 'blocked task other state']);
  });
});

describe('two items of one file', () => {
  const items = [spring, task('first'), task('second')];

  it('are blocked except the first if they send the same', async () => {
    expect(inWords(await run.plan(items))).toEqual([
      'create message spring',
      'create task first',
      'blocked task second state',
    ]);
    expect(await reasonOf(items)).toContain('task first sends the same message');
  });

  it('are kept if both already exist, and may be renamed', async () => {
    await run.apply(items, { both: true });
    await run.isSettled(items);
    const changed = [spring, task('first'), task('second', { name: 'Other' })];
    expect(await run.apply(changed)).toEqual(['change task second']);
  });

  it('are blocked if one is moved to the time of the other', async () => {
    const apart = [spring, task('first'), task('second', { at: String(NOW + 30 * HOUR) })];
    await run.apply(apart);
    expect(inWords(await run.plan(items))).toContain('blocked task second state');
    const later = [spring, task('first', { at: String(NOW + 30 * HOUR) }), task('second')];
    // Otherwise two tasks would be live in between, and a run may be killed at that moment.
    expect(inWords(await run.plan(later))).toContain('blocked task first state');
  });

  it('say how to go on if they exchange their times, because none of the two can be first', async () => {
    const at = (hours: number) => ({ at: String(NOW + hours * HOUR) });
    await run.apply([spring, task('first', at(24)), task('second', at(30))]);
    const [, first, second] = await run.plan([spring, task('first', at(30)), task('second', at(24))]);
    expect(first?.reason).toMatch(/^task 2 .*, and task second waits .*: exchange the two keys in the file/);
    expect(second?.reason).toMatch(/^task 1 .*, and task first waits .*: exchange the two keys in the file/);
  });
});

describe('a task that lost its mark', () => {
  const items = [spring, task('spring')];
  beforeEach(async () => {
    run = await openCampaign(undefined, items);
    await run.put('/v1/task/1', { name: 'Renamed' });
  });

  it('blocks the item, and --adopt names it', async () => {
    expect(await reasonOf(items)).toContain('--adopt spring=1');
    const adopt = { 'task spring': '1' };
    expect(inWords(await run.plan(items, { adopt }))).toEqual(['keep message spring', 'change task spring']);
    await run.apply(items, { adopt });
    expect(await run.live()).toMatchObject([{ id: 1, name: expect.stringMatching(/^Task spring \[svc-/) }]);
    await run.isSettled(items);
  });

  it('also gets its mark back if its name is the one in the file', async () => {
    await run.put('/v1/task/1', { name: 'Task spring' });
    await run.apply(items, { adopt: { 'task spring': '1' } });
    await run.isSettled(items);
  });

  // Contract, "Campaigns as files": apply needs 5 minutes before the send to change a task.
  it.each([
    ['starts in less than 5 minutes', 24 * HOUR - 299],
    ['is being sent', 24 * HOUR + 1],
  ])('is left unchanged if it %s', async (_, at) => {
    await run.put('/v1/task/1', { name: 'Task spring' });
    await run.sandbox.at(at);
    const adopt = { 'task spring': '1' };
    expect(inWords(await run.plan(items, { adopt }))).toEqual(['keep message spring', 'keep task spring']);
    expect(await run.apply(items, { adopt })).toEqual([]);
    expect((await run.live()).map(({ name }) => name)).toEqual(['Task spring']);
  });

  it('keeps its original time if the file has a relative time', async () => {
    const relative = [spring, task('soon', { at: '+2d', list: '2' })];
    await run.apply(relative);
    await run.put('/v1/task/2', { name: 'Renamed' });
    await run.sandbox.at(HOUR);
    await run.apply(relative, { adopt: { 'task soon': '2' } });
    expect((await run.live()).map((row) => row['scheduledtime'])).toContain(NOW + 48 * HOUR);
    await run.isSettled(relative);
  });

  const later = { at: String(NOW + 30 * HOUR) };

  it('also blocks the item if its message has another key and its time has moved', async () => {
    const renamed = [email('other'), task('spring', { ...later, message: { key: 'other' } })];
    expect(inWords(await run.plan(renamed))).toContain('blocked task spring drift');
    await run.apply(renamed);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  describe('if the item has another task now', () => {
    const other = email('other', { subject: 'Other' });

    it.each([
      ['list', { list: '2' }],
      ['message', { message: { key: 'other' } }],
    ])('blocks a change of its %s to that of the first task', async (_, more) => {
      await run.apply([spring, other, task('spring', { ...later, ...more })]);
      expect(await run.live()).toHaveLength(2);
      const back = [spring, other, task('spring', later)];
      const step = (await run.plan(back)).at(-1);
      expect(step).toMatchObject({ action: 'blocked', blockedBy: 'drift', id: '1' });
      expect(step?.reason).toContain('--both');
      const before = await run.live();
      await run.apply(back);
      expect(await run.live()).toEqual(before);
    });

    it('does not block changes if both send the same already', async () => {
      await run.apply([spring, task('spring', later)], { both: true });
      const changed = [email('spring', { subject: 'Changed' }), task('spring', later)];
      expect(inWords(await run.plan(changed))).toContain('replace task spring');
    });
  });

  // The message may have lost its mark as well, so only its content identifies it.
  it('blocks the item if its message lost its mark, too', async () => {
    run = await openCampaign();
    await run.apply([spring]);
    await run.put('/v1/emailMessage/1', { name: 'Renamed' });
    await run.sandbox.send('admin', 'POST', '/v1/task', {
      channel: 'email',
      message_id: 1,
      name: 'Theirs',
      scheduledtime: NOW + 24 * HOUR,
      list_id: 1,
      search_id: null,
    });
    expect(inWords(await run.plan(items))).toEqual(['create message spring', 'blocked task spring drift']);
  });
});

describe('a rule that lost its mark', () => {
  const items = [spring, rule('welcome')];
  const rules = () => run.sandbox.rows('subscription_automation');
  beforeEach(async () => {
    run = await openCampaign(undefined, items);
    await run.put('/v1/subscriptionAutomation/1', { name: 'Renamed' });
  });

  it('blocks the item, and --adopt names it', async () => {
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'drift', id: 'subscription:1' });
    expect(step?.reason).toContain('--adopt welcome=subscription:1');
    expect(await run.apply(items)).toEqual([]);
    await run.apply(items, { adopt: { 'automation welcome': 'subscription:1' } });
    expect(await rules()).toMatchObject([
      { id: 1, paused: 0, name: expect.stringMatching(/^Rule welcome \[svc-/) },
    ]);
    await run.isSettled(items);
  });

  it('also blocks the item while it is paused, with another delay or with --overwrite', async () => {
    await run.put('/v1/subscriptionAutomation/1', { paused: true });
    const later = rule('welcome', { values: { ...rule('welcome').values, actiontimediff: 90 } });
    for (const overwrite of [false, true])
      expect(inWords(await run.plan([spring, later], { overwrite }))).toContain(
        'blocked automation welcome drift',
      );
  });

  // Interface, "States": a deleted message is hidden and may still be sent, so it is unknown what the rule sends.
  it('also blocks the item if its message was deleted', async () => {
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    for (const overwrite of [false, true]) {
      await run.apply(items, { overwrite });
      expect((await run.plan(items, { overwrite })).at(-1)).toMatchObject({
        action: 'blocked',
        blockedBy: 'drift',
        id: 'subscription:1',
      });
    }
    expect((await rules()).filter((row) => row['paused'] === 0)).toHaveLength(1);
  });

  it('does not block an item with another trigger if its message was deleted', async () => {
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    const other = rule('welcome', { references: { list_id: { id: '2' }, actiontarget: { key: 'spring' } } });
    expect(inWords(await run.plan([spring, other]))).toContain('create automation welcome');
  });

  it('does not block an item with another target', async () => {
    const other = [
      spring,
      email('other', { subject: 'Other' }),
      rule('welcome', {
        references: { list_id: { id: '1' }, actiontarget: { key: 'other' } },
      }),
    ];
    expect(inWords(await run.plan(other))).toContain('create automation welcome');
  });

  it('blocks a new record for the active rule that does the same', async () => {
    run = await openCampaign();
    const file = [spring, email('same'), rule('welcome')];
    await run.apply([...file, rule('second')], { both: true });
    await run.put('/v1/subscriptionAutomation/2', { name: 'By hand' });
    const moved = { list_id: { id: '1' }, actiontarget: { key: 'same' } };
    const [, , step] = await run.plan([...file.slice(0, 2), rule('welcome', { references: moved })]);
    // The new record would have the higher id, and would give way in the next run.
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
    expect(step?.reason).toMatch(/^rule subscription:2 and rule subscription:1 have the same trigger/);
  });

  it('is not duplicated if it loses its mark while its replacement is made', async () => {
    run = await interrupted('POST /v1/subscriptionAutomation', async () => undefined);
    await run.apply(items);
    let isDone = false;
    const changed = [email('spring', { subject: 'Other' }), rule('welcome')];
    const client = withStages(run.client, [
      (next) => async (write) => {
        const written = await next(write);
        if (!isDone && write.request === undefined && write.method === 'POST')
          if (write.resource.variant === 'subscription') {
            isDone = true;
            await run.put('/v1/subscriptionAutomation/1', { name: 'Renamed' });
          }
        return written;
      },
    ]);
    const campaign: Campaign = { campaign: 'Spring', company: null, items: changed };
    const observed = await readAllRecordsForCampaign(run.client, campaign);
    const applying = applyCampaign(planCampaign(campaign, observed, options), {
      client,
      sends: sendPortsOf(client),
      note: async () => undefined,
      begin: async () => undefined,
      end: async () => undefined,
    });
    await expect(applying).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('no longer ends with the mark'),
    });
    expect((await rules()).filter((row) => row['paused'] === 0)).toHaveLength(1);
    expect(inWords(await run.plan(changed))).toContain('blocked automation welcome drift');
  });
});

describe('a rule whose key was renamed', () => {
  const renamed = [spring, rule('renamed')];
  beforeEach(async () => {
    await run.apply([spring, rule('welcome')]);
  });

  it('is kept for good by --adopt, also if its name is the same', async () => {
    const named = [spring, rule('renamed', { name: 'Rule welcome' })];
    await run.apply(named, { adopt: { 'automation renamed': 'subscription:1' } });
    await run.isSettled(named);
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ id: 1, paused: 0 }]);
  });

  it('is blocked while the previous one is active, and is made with --prune or --both', async () => {
    expect(inWords(await run.plan(renamed))).toEqual([
      'keep message spring',
      'blocked automation renamed state',
      'orphaned automation subscription:1',
    ]);
    expect(inWords(await run.plan(renamed, { both: true }))).toContain('create automation renamed');
    await run.apply(renamed, { prune: true });
    const left = await run.sandbox.rows('subscription_automation');
    expect(left.filter((row) => row['paused'] === 0 && row['deleted'] !== 1)).toHaveLength(1);
    await run.isSettled(renamed);
  });
});
