/**
 * An item that names its record by id (src/features/campaign/README.md). Contract, "Campaigns as files": "svc never adopts
 * records of the same name that others created". Changes by hand are reported and never silently overwritten. Two
 * versions of a task are never live.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { withStages } from '../../src/client/requests/write.ts';
import { applyCampaign } from '../../src/features/campaign/apply/apply.ts';
import type { Adopted, WantedItem } from '../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { computePossibleRecordHashes } from '../../src/features/campaign/plan/adoption.ts';
import { planCampaign } from '../../src/features/campaign/plan/plan.ts';
import { appendCampaignMark } from '../../src/service/resources/campaign-mark.ts';
import { NOW } from '../support/sandbox.ts';
import {
  type CampaignRun,
  email,
  HOUR,
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

const put = (target: string, body: unknown) => run.sandbox.send('admin', 'PUT', target, body);
const post = async (target: string, body: unknown) => {
  const { status } = await run.sandbox.send('admin', 'POST', target, body);
  expect(status).toBe(202);
};
const adopt = <T extends WantedItem>(item: T, id: string, hash: string | null = null): T => ({
  ...item,
  adopted: { id, hash } satisfies Adopted,
});
const spring = email('spring');
const keepOnly = async (items: readonly WantedItem[]): Promise<void> => {
  expect(inWords(await run.plan(items))).toEqual(items.map(({ kind, key }) => `keep ${kind} ${key}`));
  expect(await run.apply(items)).toEqual([]);
};

/** Creates records by hand, as another program would: a message, a task with it, and a rule that answers with it. */
async function makeByHand(): Promise<void> {
  await post('/v1/emailMessage', { fromemail: null, ...spring.values, name: 'Message spring' });
  await post('/v1/task', {
    channel: 'email',
    message_id: 1,
    name: 'Task spring',
    scheduledtime: NOW + 24 * HOUR,
    list_id: 1,
    search_id: null,
  });
  await post('/v1/subscriptionAutomation', {
    list_id: 1,
    actiontype: 'email_autoresponder',
    actiontarget: '1',
    actiontimediff: 60,
    actiononweekend: true,
    name: 'Rule welcome',
    summary: null,
  });
}

describe('a record that was made by hand and that the file names by its id', () => {
  beforeEach(makeByHand);
  const items = [adopt(spring, '1'), adopt(task('spring'), '1'), adopt(rule('welcome'), '1')];

  it('is kept unchanged, and gets no mark', async () => {
    await keepOnly(items);
    expect((await run.sandbox.rows('task')).map(({ name }) => name)).toEqual(['Task spring']);
  });

  // Contract, "Sends and campaigns, once more": a record without a mark that does the same blocks the item.
  it('is made again without the id if it is a message; an item that would repeat a send or action is blocked', async () => {
    const given = [spring, task('spring'), rule('welcome')];
    const steps = await run.plan(given);
    expect(inWords(steps)).toEqual([
      'create message spring',
      'blocked task spring drift',
      'blocked automation welcome drift',
    ]);
    expect(steps[1]?.reason).toContain('--adopt spring=1');
    expect(steps[2]?.reason).toContain('--adopt welcome=subscription:1');
    expect(await run.apply(given)).toEqual(['create message spring']);
  });

  // Contract: with "--both", the user confirms that both are intended.
  it('is made again without the id with --both', async () => {
    const given = [spring, task('spring'), rule('welcome')];
    expect(inWords(await run.plan(given, { both: true }))).toEqual([
      'create message spring',
      'create task spring',
      'create automation welcome',
    ]);
  });

  it('gets the mark with the first change, and then no longer needs the id', async () => {
    const changed = [
      items[0] as never,
      adopt(task('spring', { at: String(NOW + 30 * HOUR) }), '1'),
      items[2] as never,
    ];
    expect(await run.apply(changed)).toEqual(['change task spring']);
    const [found, ...others] = await run.sandbox.rows('task');
    expect(others).toEqual([]);
    expect(found?.['name']).toMatch(/^Task spring \[svc-\w{6}-\w{5}-\w{7}\]$/);
    await keepOnly(changed);
    const unnamed = task('spring', { at: String(NOW + 30 * HOUR) });
    await keepOnly([items[0] as never, unnamed, items[2] as never]);
  });

  it('gets a new version if it is a locked message, and its task is moved to it, with one live at a time', async () => {
    const changed = [adopt(email('spring', { subject: 'Other' }), '1'), ...items.slice(1)];
    expect(inWords(await run.plan(changed))).toEqual([
      'replace message spring',
      'replace task spring',
      'replace automation welcome',
    ]);
    await run.apply(changed);
    const tasks = await run.sandbox.rows('task');
    expect(tasks.map((row) => [row['message_id'], row['cancelled']])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(tasks[0]?.['name']).toMatch(/-x\]$/);
    const rules = await run.sandbox.rows('subscription_automation');
    expect(rules.map((row) => [row['actiontarget'], row['paused']])).toEqual([
      ['1', 1],
      ['2', 0],
    ]);
    await keepOnly(changed);
  });

  // The same PUT marks it as withdrawn, so a crash before the new task does not look like a cancellation by hand.
  it('is made again after a crash if apply cancelled it to replace it', async () => {
    const changed = [adopt(email('spring', { subject: 'Other' }), '1'), adopt(task('spring'), '1')];
    const campaign = { campaign: 'Spring', company: null, items: changed };
    const failing = withStages(run.client, [
      (next) => async (write) => {
        if (write.request === undefined && write.method === 'POST' && write.resource.name === 'task')
          throw new Error('crash');
        return next(write);
      },
    ]);
    const options = { overwrite: false, prune: false, zone: 'UTC' };
    const observed = await readAllRecordsForCampaign(run.client, campaign);
    const crashed = applyCampaign(planCampaign(campaign, observed, options), {
      client: failing,
      sends: sendPortsOf(failing, { latestNow: async () => NOW }),
      note: async () => undefined,
      begin: async () => undefined,
      end: async () => undefined,
    });
    await expect(crashed).rejects.toThrow('crash');
    expect(await run.apply(changed)).toEqual(['create task spring']);
    await keepOnly(changed);
  });

  it('is not made again if it is a task that was cancelled by hand', async () => {
    await put('/v1/task/1', { cancelled: true });
    expect(inWords(await run.plan([items[0] as never, items[1] as never]))).toEqual([
      'keep message spring',
      'blocked task spring drift',
    ]);
  });

  it('is drift after a change by hand if it has a hash, whatever the file says; --overwrite overwrites it', async () => {
    const observed = await readAllRecordsForCampaign(run.client, { campaign: 'Spring', items });
    const hashed = async (): Promise<readonly WantedItem[]> => {
      const links = observed.links.get('1') ?? [];
      const [message = '', scheduled = '', welcome = ''] = [
        computePossibleRecordHashes('message', 'email', observed.messages.email[0] ?? {}, links),
        computePossibleRecordHashes('task', null, observed.tasks[0] ?? {}, []),
        computePossibleRecordHashes('automation', 'subscription', observed.rules.subscription[0] ?? {}, []),
      ].map(([first]) => first);
      return [
        adopt(spring, '1', message),
        adopt(task('spring'), '1', scheduled),
        adopt(rule('welcome'), '1', welcome),
      ];
    };
    const exported = await hashed();
    await keepOnly(exported);
    await put('/v1/task/1', { list_id: 2 });
    await put('/v1/subscriptionAutomation/1', { actiontimediff: 120 });
    expect(inWords(await run.plan(exported))).toEqual([
      'keep message spring',
      'blocked task spring drift',
      'blocked automation welcome drift',
    ]);
    expect(await run.apply(exported, { overwrite: true })).toEqual([
      'change task spring',
      'change automation welcome',
    ]);
    await keepOnly(exported);
  });

  it('stays unchanged if the key of its message changes', async () => {
    const [link] = [
      (await readAllRecordsForCampaign(run.client, { campaign: 'Spring', items })).tasks[0] ?? {},
    ];
    const [hash = ''] = computePossibleRecordHashes('task', null, link, []);
    await keepOnly([
      { ...adopt(spring, '1'), key: 'renamed' },
      adopt(task('spring', { message: { key: 'renamed' } }), '1', hash),
    ]);
  });

  it('is blocked if it does not exist, and is not created', async () => {
    const steps = await run.plan([
      adopt(spring, '9'),
      adopt(text('sms'), '1'),
      adopt(task('spring', { message: { id: '1' } }), '7'),
    ]);
    expect(inWords(steps)).toEqual([
      'blocked message spring reference',
      'blocked message sms reference',
      'blocked task spring reference',
    ]);
    expect(steps.map(({ reason }) => reason)).toEqual([
      'e-mail message 9 not found; to create a new record, remove the id of this item from the file',
      'SMS message 1 not found; to create a new record, remove the id of this item from the file',
      'task 7 not found; to create a new record, remove the id of this item from the file',
    ]);
  });
});

describe('a record with a mark of another campaign', () => {
  const marked = (name: string) =>
    appendCampaignMark(name, { campaignHash: 'aaaaaa', keyHash: 'bbbbb', contentHashOrReason: 'ccccccc' });
  beforeEach(async () => {
    await makeByHand();
    await put('/v1/task/1', { name: marked('Task spring') });
  });
  const of = (more: Parameters<typeof task>[1] = {}) => [
    adopt(spring, '1'),
    adopt(task('spring', more), '1'),
  ];

  it('is kept if it matches the file, and is never changed, not even with --overwrite', async () => {
    await keepOnly(of());
    for (const overwrite of [false, true]) {
      const steps = await run.plan(of({ at: String(NOW + 30 * HOUR) }), { overwrite });
      expect(inWords(steps)).toEqual(['keep message spring', 'blocked task spring reference']);
      expect(steps[1]?.reason).toBe("task 1 belongs to another campaign; change it in that campaign's file");
      expect(await run.apply(of({ at: String(NOW + 30 * HOUR) }), { overwrite })).toEqual([]);
    }
  });
});

describe('a record that another item of the same file made', () => {
  it('belongs to that item, even if another item names its id', async () => {
    await run.apply([text('one')]);
    const items = [text('one'), adopt({ ...text('two'), name: 'Text one' }, '1')];
    const steps = await run.plan(items);
    expect(inWords(steps)).toEqual(['keep message one', 'blocked message two reference']);
    expect(steps[1]?.reason).toMatch(/^SMS message 1 belongs to message one; remove --adopt/);
  });

  it('belongs to the other item once the file no longer names the first', async () => {
    await run.apply([text('one')]);
    await keepOnly([adopt({ ...text('two'), name: 'Text one' }, '1')]);
  });
});

// Contract, "Sends and campaigns, once more": `--adopt` names the record of an item. One that sends something else is not its duplicate.
describe('a record that an item adopts although it has one', () => {
  const other = email('other', { subject: 'Other' });
  beforeEach(async () => {
    await run.apply([spring, other, task('spring'), rule('welcome')]);
  });

  it('is not cancelled if it is a task that sends something else', async () => {
    await post('/v1/task', {
      ...{ channel: 'email', message_id: 2, name: 'Black Friday', scheduledtime: NOW + 48 * HOUR },
      ...{ list_id: 2, search_id: null },
    });
    const items = [spring, other, task('spring'), rule('welcome')];
    for (const options of [{}, { overwrite: true, both: true }]) {
      const adopt = { 'task spring': '2' };
      const [, , step] = await run.plan(items, { ...options, adopt });
      expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
      expect(step?.reason).toMatch(
        /^task 1 \(key spring\) is scheduled to .* of list 1 .*, and task 2 \(adopted by spring\) .* list 2 .*: cancel one of them, or remove --adopt/,
      );
      await run.apply(items, { ...options, adopt });
      expect(await run.live()).toHaveLength(2);
    }
  });

  it('is not paused if it is a rule that does something else', async () => {
    await post('/v1/subscriptionAutomation', {
      ...{ list_id: 2, actiontype: 'email_autoresponder', actiontarget: '1', actiontimediff: 0 },
      ...{ actiononweekend: true, name: 'Theirs', summary: null },
    });
    const adopt = { 'automation welcome': 'subscription:2' };
    const items = [spring, other, task('spring'), rule('welcome')];
    expect((await run.plan(items, { adopt })).at(-1)?.reason).toBe(
      'rule subscription:1 (key welcome) and rule subscription:2 (adopted by welcome) do different things: delete one of them, or remove --adopt, or the id of this item from the file',
    );
    await run.apply(items, { adopt });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ paused: 0 }, { paused: 0 }]);
  });

  it('is left alone if it is a message of another version', async () => {
    await post('/v1/emailMessage', {
      ...{ name: 'Theirs', fromname: 'Company', fromemail: null, replyemail: 'office@example.com' },
      ...{ subject: 'Theirs', html: '<p>Hi</p>', text: 'Hi' },
    });
    const items = [spring, other, task('spring'), rule('welcome')];
    const [step] = await run.plan(items, { adopt: { 'message spring': '3' } });
    expect(step).toMatchObject({ action: 'keep', id: '1' });
    expect(step?.reason).toBe('this item has e-mail message 1, so svc does not use e-mail message 3');
  });
});
