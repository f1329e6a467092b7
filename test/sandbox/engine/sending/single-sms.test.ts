import { beforeEach, describe, expect, it } from 'vitest';
import { advance, outbox, settle } from '../../../support/engine.ts';
import { setAccount } from '../../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const SMS = { msisdn: '447700900123', fromaddress: 'Company', message: 'x'.repeat(200) } as const;
const send = (more: object = {}) => sandbox.send('admin', 'POST', '/v1/sms', { ...SMS, ...more });
const sms = async () => (await sandbox.send('admin', 'GET', '/v1/sms/1')).data;
const balance = async () =>
  (await sandbox.send('admin', 'GET', `/v1/account/${IDS.company}`)).data['smscreditbalance'];

describe('sms: awaiting dispatch → dispatched, or failed', () => {
  it('goes at once without a senddate, and is charged per part', async () => {
    await send();
    expect(await sms()).toMatchObject({ dispatched: false, failed: false });
    await settle(sandbox);
    expect([await sms(), await balance()]).toMatchObject([{ dispatched: true, failed: false }, 998]);
    expect(await outbox(sandbox)).toEqual([
      {
        id: 'd1',
        time: NOW,
        channel: 'sms',
        to: SMS.msisdn,
        state: 'delivered',
        from: 'Company',
        subject: null,
        text: SMS.message,
        cause: { kind: 'sms', id: 1, rule_kind: null },
      },
    ]);
    expect(await sandbox.rows('task_recipient')).toEqual([]);
  });

  it('goes at its senddate and once', async () => {
    await send({ senddate: NOW + 600 });
    await advance(sandbox, 599);
    expect([await sms(), await outbox(sandbox), await balance()]).toMatchObject([
      { dispatched: false },
      [],
      1000,
    ]);
    await advance(sandbox, 90_000);
    expect(await outbox(sandbox)).toMatchObject([{ time: NOW + 600 }]);
  });

  it.each([
    ['too little credit', () => setAccount(sandbox, { smscreditbalance: 1 }), 1],
    [
      'a number on Do Not Contact',
      () => sandbox.put('do_not_contact', { account_id: IDS.company, contactdata: SMS.msisdn, cdate: NOW }),
      1000,
    ],
  ])('fails for %s: nothing sent, nothing charged, not tried again', async (_, prepare, left) => {
    await prepare();
    await send();
    await settle(sandbox);
    expect([await sms(), await balance()]).toMatchObject([{ dispatched: false, failed: true }, left]);
    await setAccount(sandbox, { smscreditbalance: 50 });
    await advance(sandbox, 90_000);
    expect([await outbox(sandbox), await sms()]).toMatchObject([[], { dispatched: false, failed: true }]);
    expect(await sandbox.rows('log')).toMatchObject([{ kind: 'sms' }]);
  });
});

describe('sms: awaiting dispatch → failed, two weeks after', () => {
  // src/protocol/README.md, "Single SMS": 12025550190 to 12025550199 are numbers that no network knows.
  it('an undeliverable number awaits dispatch for 14 days: charged once, never in the outbox', async () => {
    await send({ msisdn: '12025550190', senddate: NOW + 60 });
    const states = [];
    for (const seconds of [59, 60, 60 + 14 * 86_400 - 1, 60 + 14 * 86_400, 60 + 40 * 86_400]) {
      await advance(sandbox, seconds);
      const { dispatched, failed, mdate } = await sms();
      states.push([dispatched, failed, Number(mdate) - NOW, await balance()]);
    }
    const end = 60 + 14 * 86_400;
    expect(states).toEqual([
      [false, false, 0, 1000],
      [false, false, 0, 998],
      [false, false, 0, 998],
      [false, true, end, 998],
      [false, true, end, 998],
    ]);
    expect([await outbox(sandbox), await sandbox.rows('task_recipient')]).toEqual([[], []]);
    expect(await sandbox.rows('log')).toMatchObject([
      { time: NOW + end, kind: 'sms', text: 'SMS 1 failed: no network took it within two weeks' },
    ]);
  });

  it.each(['12025550189', '12025550200', '120255501901'])('%s is delivered', async (msisdn) => {
    await send({ msisdn });
    await settle(sandbox);
    expect(await sms()).toMatchObject({ dispatched: true, failed: false });
  });
});
