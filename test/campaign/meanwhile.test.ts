/** Contract, "Campaigns as files": apply notices changes that others make meanwhile, and never overwrites them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../support/sandbox.ts';
import { type CampaignRun, email, HOUR, interrupted, inWords, openCampaign, rule, task } from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
});

/** Opens a campaign in which someone else acts right before the last GET that precedes the resume of a new subscription rule. */
async function interruptedBeforeResume(
  act: (sandbox: CampaignRun['sandbox']) => Promise<unknown>,
): Promise<CampaignRun> {
  let looks = -1;
  return openCampaign((sandbox) => async (request) => {
    const isRule = request.path === '/v1/subscriptionAutomation';
    if (isRule && request.method === 'POST') looks = 0;
    if (isRule && request.method === 'GET' && looks >= 0) looks += 1;
    // The first GET after the POST looks for rules of other runs.
    if (looks === 2) {
      looks = -1;
      await act(sandbox);
    }
    return sandbox.service.handle(request);
  });
}

describe('svc apply and a change by others meanwhile', () => {
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

  // Contract, "Campaigns as files": a change by hand is never silently overwritten.
  it('ends with a drift error if the task to replace was moved', async () => {
    run = await interrupted('GET /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }),
    );
    await run.apply(items);
    const changed = [email('spring', { subject: 'Other' }), task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.live()).toMatchObject([{ id: 1, scheduledtime: NOW + 30 * HOUR }]);
  });

  // Contract: "Marks in names … are its only state". A record without its mark belongs to no item, and apply must not
  // write to it.
  it.each([
    ['task', 'that is to be replaced', [email('spring', { subject: 'Other' }), task('spring')]],
    ['task', 'that is to be changed', [email('spring'), task('spring', { at: String(NOW + 30 * HOUR) })]],
    ['emailMessage', 'that is to be changed', [email('spring', { subject: 'Other' })]],
    [
      'subscriptionAutomation',
      'that is to be changed',
      [email('spring'), rule('spring', { ...noticed, name: 'Other' })],
    ],
  ])('ends with a drift error if the %s %s lost its mark', async (resource, _, changed) => {
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

  // There is no compare-and-set: a change between the last read and the write is reported if the response shows it.
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
  ])('reports a change of %s between the read and the write', async (_, path, body, before, after) => {
    run = await interrupted(`PUT ${path}`, ({ send }) => send('admin', 'PUT', path, body));
    await run.apply(before);
    await expect(run.apply(after)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('while svc was updating the record'),
    });
    expect((await run.sandbox.send('admin', 'GET', path)).data).toMatchObject(body);
    expect(inWords(await run.plan(after)).join()).toContain('drift');
    await run.apply(after, { overwrite: true });
    await run.isSettled(after);
  });

  // Contract, "Campaigns as files": --overwrite replaces what someone changed by hand, also after the plan.
  it('puts the list of the file back with --overwrite if someone moves a rule that is to be changed', async () => {
    const path = '/v1/subscriptionAutomation/1';
    let isMade = false;
    run = await openCampaign((sandbox) => async (request) => {
      if (isMade && `${request.method} ${request.path}` === `GET ${path}`) {
        isMade = false;
        await sandbox.send('admin', 'PUT', path, { list_id: 2 });
      }
      return sandbox.service.handle(request);
    });
    await run.apply([email('spring'), rule('welcome')]);
    isMade = true;
    const renamed = [email('spring'), rule('welcome', { name: 'Other' })];
    await run.apply(renamed, { overwrite: true });
    expect(isMade).toBe(false);
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ list_id: 1 }]);
    await run.isSettled(renamed);
  });

  it('reports a change of the rule before it resumes it', async () => {
    const welcome = [email('spring'), rule('welcome')];
    run = await interrupted('PUT /v1/subscriptionAutomation/1', ({ send }) =>
      send('admin', 'PUT', '/v1/subscriptionAutomation/1', { summary: 'By hand' }),
    );
    await expect(run.apply(welcome)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('while svc was resuming the rule'),
    });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ summary: 'By hand' }]);
    expect(inWords(await run.plan(welcome))).toContain('blocked automation welcome drift');
  });

  it.each([
    ['renames', 'PUT', { name: 'By hand' }],
    ['deletes', 'DELETE', undefined],
  ] as const)('does not resume the new rule if someone else %s it', async (_, method, body) => {
    run = await interruptedBeforeResume(({ send }) =>
      send('admin', method, '/v1/subscriptionAutomation/1', body),
    );
    await expect(run.apply([email('spring'), rule('welcome')])).rejects.toMatchObject({ kind: 'drift' });
    const left = method === 'PUT' ? [{ name: 'By hand', paused: 1 }] : [];
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject(left);
  });

  it('reports that the task was moved between the read and the cancellation', async () => {
    run = await interrupted('PUT /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { scheduledtime: NOW + 30 * HOUR }),
    );
    await run.apply(items);
    const changed = [other, task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('has cancelled the old task, but has not created the new one'),
    });
    expect(await run.live()).toEqual([]);
    await run.apply(changed);
    expect(await run.live()).toMatchObject([{ id: 2, scheduledtime: NOW + 24 * HOUR }]);
    await run.isSettled(changed);
  });

  it('makes no task if another run made one that lost its mark immediately', async () => {
    run = await interrupted('POST /v1/emailMessage', async () => {
      await run.apply(items);
      await run.put('/v1/task/1', { name: 'Task spring' });
    });
    await expect(run.apply(items)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  it('never leaves two rules active if someone resumes the rule to replace', async () => {
    const welcome = [email('spring'), rule('welcome')];
    // Two runs have made two rules, and someone resumes the second by hand before the first one is resumed.
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
    await run.isSettled(welcome);
  });

  it('does not pause its rule if someone changes that of the other run', async () => {
    const welcome = [email('spring'), rule('welcome')];
    let looks = 0;
    run = await openCampaign((sandbox) => async (request) => {
      const before = `${request.method} ${request.path}`;
      if (before === 'POST /v1/subscriptionAutomation' && looks === 0) {
        looks = -1;
        await run.apply(welcome);
        looks = 1;
      }
      // This run reads the other run's rule after it has made its own.
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

  it('makes the folder if someone renames that of another run', async () => {
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

  it('schedules no task with a message that changed before the task locked it', async () => {
    run = await interrupted('POST /v1/task', ({ send }) =>
      send('admin', 'PUT', '/v1/emailMessage/1', {
        html: '<p>Hello <a href="https://example.com/else">there</a> <a href="mailto:office@example.com">us</a></p>',
      }),
    );
    await expect(run.apply(items)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.live()).toEqual([]);
    expect(inWords(await run.plan(items))).toEqual([
      'blocked message spring drift',
      'blocked task spring reference',
    ]);
    await run.apply(items, { overwrite: true });
    expect(await run.live()).toMatchObject([{ message_id: 2 }]);
    await run.isSettled(items);
  });

  // Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
  it('does not make a task again that someone cancelled during the replacement', async () => {
    run = await interrupted('PUT /v1/task/1', ({ send }) =>
      send('admin', 'PUT', '/v1/task/1', { cancelled: true }),
    );
    await run.apply(items);
    const changed = [email('spring', { subject: 'Other' }), task('spring')];
    await expect(run.apply(changed)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.live()).toEqual([]);
    expect(inWords(await run.plan(changed))).toContain('blocked task spring drift');
  });

  it('cancels its task if a person cancelled the task that another run had just created', async () => {
    run = await interrupted('POST /v1/task', async ({ send }) => {
      await run.apply(items);
      await send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    });
    await expect(run.apply(items)).rejects.toMatchObject({
      kind: 'drift',
      message: 'task spring: someone cancelled task 1',
    });
    expect(await run.live()).toEqual([]);
    expect(inWords(await run.plan(items))).toContain('blocked task spring drift');
    await run.apply(items, { overwrite: true });
    expect(await run.live()).toMatchObject([{ id: 3 }]);
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
  ])(
    'ends if another version of the file makes the rule %s, and leaves one rule active',
    async (_, other) => {
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
      await run.isSettled(welcome);
    },
  );

  // Contract: never a second active rule of the same item. Found by seed 726602864 of C3.
  it('does not resume its rule if someone resumed that of another run after the last look at other runs', async () => {
    const welcome = [email('spring'), rule('welcome')];
    run = await interruptedBeforeResume(async ({ send }) => {
      const { data } = await send('admin', 'GET', '/v1/subscriptionAutomation/1');
      const { name, list_id, actiontype, actiontarget } = data as Readonly<Record<string, unknown>>;
      const body = { name, list_id, actiontype, actiontarget, summary: null };
      await send('admin', 'POST', '/v1/subscriptionAutomation', body);
    });
    await expect(run.apply(welcome)).rejects.toThrow(
      'someone resumed rule subscription:2, which another run created',
    );
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([{ paused: 1 }, { paused: 0 }]);
  });

  it.each(['POST /v1/task', 'POST /v1/emailMessage'])(
    'ends if another version of the file is applied right before %s',
    async (before) => {
      const other = task('spring', { at: String(NOW + 30 * HOUR) });
      run = await interrupted(before, async () => {
        await run.apply([email('spring'), other]);
      });
      await expect(run.apply(items)).rejects.toMatchObject({ kind: 'beaten' });
      expect(await run.live()).toMatchObject([{ scheduledtime: NOW + 30 * HOUR }]);
      await run.apply(items);
      expect(await run.live()).toMatchObject([{ scheduledtime: NOW + 24 * HOUR }]);
      await run.isSettled(items);
    },
  );
});
