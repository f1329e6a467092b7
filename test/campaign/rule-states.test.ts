/**
 * Contract, "Campaigns as files": the outcome for automation rules in each state of the interface ("States and transitions", "Errors").
 * Every row is applied, and then no step is left.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type CampaignRun, email, inWords, openCampaign, rule } from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
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
    await run.isSettled(changed);
  });

  // Interface, openAutomation: it acts on opens of one message, so a change must not move it from the one that people have.
  it('is changed, and keeps the record of its message if two runs have made two', async () => {
    const { actiontype, actiontimediff, actiononweekend, summary } = rule('welcome').values;
    const opened = (delay = actiontimediff) =>
      rule('opened', {
        rule: 'open',
        values: { actiontype, actiontimediff: delay, actiononweekend, summary } as never,
        references: { message_id: { key: 'read' }, actiontarget: { key: 'spring' } },
      });
    const messages = [...items, email('read', { subject: 'Read' })];
    await run.apply([...messages, opened()]);
    const name = (await run.sandbox.rows('email_message'))[1]?.['name'];
    const body = { ...email('read', { subject: 'Read' }).values, fromemail: null, name };
    expect(await run.sandbox.send('admin', 'POST', '/v1/emailMessage', body)).toMatchObject({ status: 202 });
    await run.put('/v1/openAutomation/1', { message_id: 3 });
    expect(inWords(await run.plan([...messages, opened()]))).toContain('keep automation opened');
    await run.apply([...messages, opened(120)]);
    expect(await run.sandbox.rows('open_automation')).toMatchObject([{ message_id: 3, actiontimediff: 120 }]);
    await run.isSettled([...messages, opened(120)]);
  });

  it('loses attributes that the file no longer sets', async () => {
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
    await run.isSettled([items[0] as never, plain]);
  });

  // Interface, "Automation rules" 7 and 8: its message is locked, and its target can't be changed.
  it('is replaced together with the message that it sends, and the two rules are never both active', async () => {
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
    await run.isSettled(changed);
  });

  it('is drift if it was resumed by hand after its replacement', async () => {
    const changed = [email('spring', { subject: 'Other' }), rule('welcome')];
    await run.apply(changed);
    await run.put('/v1/subscriptionAutomation/1', { paused: false });
    expect(inWords(await run.plan(changed))).toContain('blocked automation welcome drift');
    await run.apply(changed, { overwrite: true });
    expect((await rules()).map((row) => row['paused'])).toEqual([1, 0]);
    await run.isSettled(changed);
  });

  // Contract, "Sends and campaigns, once more": "`--prune` cancels an orphan before its replacement is created".
  it('is an orphan if it was resumed by hand after its replacement, and its key is gone', async () => {
    const changed = email('spring', { subject: 'Changed' });
    await run.apply([changed, rule('welcome')]);
    await run.apply([changed], { prune: true });
    expect(inWords(await run.plan([changed]))).toEqual(['keep message spring']);
    await run.put('/v1/subscriptionAutomation/1', { paused: false });
    expect(inWords(await run.plan([changed]))).toEqual([
      'keep message spring',
      'orphaned automation subscription:1',
    ]);
    expect(await run.apply([changed, rule('other')], { prune: true })).toEqual([
      'cancel automation subscription:1',
      'create automation other',
    ]);
    expect((await rules()).map((row) => row['paused'])).toEqual([0]);
  });

  it('is drift if it was paused by hand before its replacement, and the new rule is not resumed', async () => {
    // A run was killed after it made the new rule and before it withdrew the old one.
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
    await run.put('/v1/subscriptionAutomation/1', { paused: true });
    expect(inWords(await run.plan(changed))).toContain('blocked automation welcome drift');
    await run.apply(changed);
    expect((await rules()).map((row) => row['paused'])).toEqual([1, 1]);
  });

  // Wire, "unique": the keyword of a rule for inbound SMS.
  it('for inbound SMS gets its keyword back after it was of another kind for a while', async () => {
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
      await run.isSettled([items[0] as never, one]);
    }
    expect(await run.sandbox.rows('sms_automation')).toMatchObject([
      { keyword: null, paused: 1 },
      { keyword: 'JOIN', paused: 0 },
    ]);
  });

  // Wire, "unique". A rule that gives up its keyword makes way for another rule of the file, whatever their order.
  it.each([
    ['is made right after the rule that releases it', ['welcome', 'join'], []],
    ['waits for a rule further down that gives it up', ['join', 'welcome'], ['join']],
  ] as const)('for inbound SMS with the keyword of another %s', async (_, order, waiting) => {
    const inbound = (key: string) =>
      rule(key, {
        rule: 'sms',
        values: { keyword: 'JOIN', summary: null },
        references: { list_id: { id: '1' } },
      });
    const date = rule('welcome', {
      rule: 'date',
      values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
      references: {},
    });
    const message = items[0] as never;
    await run.apply([message, inbound('welcome')]);
    const wanted = [message, ...order.map((key) => (key === 'welcome' ? date : inbound('join')))];
    const blocked = (await run.plan(wanted)).filter(({ action }) => action === 'blocked');
    expect(blocked.map(({ key }) => key)).toEqual(waiting);
    for (const { reason } of blocked)
      expect(reason).toBe(
        'rule sms:1 of automation welcome still has the keyword that this item needs: apply automation welcome first to free the keyword',
      );
    await run.apply(wanted);
    await run.apply(wanted);
    await run.isSettled(wanted);
    expect(await run.sandbox.rows('sms_automation')).toMatchObject([
      { keyword: null, paused: 1 },
      { keyword: 'JOIN', paused: 0 },
    ]);
  });

  it('is drift if it was paused by hand', async () => {
    await run.put('/v1/subscriptionAutomation/1', { paused: true });
    const [, step] = await run.plan(items);
    expect(step).toMatchObject({
      action: 'blocked',
      blockedBy: 'drift',
      reason: expect.stringContaining('paused by hand'),
    });
    await run.apply(items, { overwrite: true });
    expect(await rules()).toMatchObject([{ paused: 0 }]);
  });

  it('is paused and resumed as the file says', async () => {
    const paused = [items[0] as never, rule('welcome', { paused: true })];
    // Interface, "States", automation rule, PUT paused=true: "Queued actions complete".
    expect((await run.plan(paused)).at(-1)?.reason).toBe('actions that the rule has queued still run');
    await run.apply(paused);
    expect(await rules()).toMatchObject([{ paused: 1 }]);
    await run.isSettled(paused);
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
    await run.isSettled(items);
  });

  it('of another kind replaces the previous one', async () => {
    const open = rule('welcome', {
      rule: 'open',
      values: { actiontype: 'notify', actiontarget: 'office@example.com', summary: null },
      references: { message_id: { key: 'spring' } },
    });
    await run.apply([items[0] as never, open]);
    expect(await rules()).toMatchObject([{ paused: 1 }]);
    expect(await run.sandbox.rows('open_automation')).toMatchObject([{ paused: 0, message_id: 1 }]);
    await run.isSettled([items[0] as never, open]);
  });
});
