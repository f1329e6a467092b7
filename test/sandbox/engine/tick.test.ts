import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readClockMode, readServiceTime, setClockMode } from '../../../src/sandbox/engine/clock.ts';
import { advanceClockTo, advanceClockUntilIdle, runDueWork } from '../../../src/sandbox/engine/tick.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { advance, outbox, settle } from '../../support/engine.ts';
import { fillLargeSend } from '../../support/large-send.ts';
import { putEmail, putList, putSubscriber } from '../../support/messages.ts';
import { postgresOfTests } from '../../support/postgres.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { openTestStore } from '../../support/store.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const machineNow = () => NOW * 1000;
const clock = ({ service }: TestSandbox) => readServiceTime(service.store.db, machineNow());
const sms = (sandbox: TestSandbox, msisdn: string, senddate: number | null) =>
  sandbox.send('admin', 'POST', '/v1/sms', { msisdn, fromaddress: 'Company', message: 'Hi', senddate });

// Reliability, load: no client waits for a send.
describe('requests beside a long send', () => {
  const STEPS = 50;
  const withLongSend = async (): Promise<TestSandbox> => {
    const sandbox = await createTestSandbox();
    for (let second = 1; second <= STEPS; second += 1) await sms(sandbox, '447700900001', NOW - second);
    return sandbox;
  };

  // A step on PostgreSQL waits for the database, and requests run meanwhile.
  it.skipIf(postgresOfTests() !== undefined)('go before its next step', async () => {
    const sandbox = await withLongSend();
    const { store, hasRequests } = sandbox.service;
    let begun = 0;
    const counted: Store = {
      ...store,
      transaction: (work, scope) => {
        begun += 1;
        return store.transaction(work, scope);
      },
    };
    const sent = runDueWork(counted, { machineNow, hasRequests });
    for (let request = 0; request < STEPS; request += 1) await sandbox.send('admin', 'GET', '/v1/folder');
    expect(begun).toBeLessThan(STEPS / 2);
    expect(await sent).toBe(STEPS);
  });

  it('do not stop it', async () => {
    const { service } = await withLongSend();
    expect(await runDueWork(service.store, { machineNow, hasRequests: () => true })).toBe(STEPS);
  });
});

describe('the manual clock', () => {
  it('advances through all due work, in the order of its due times', async () => {
    const sandbox = await createTestSandbox();
    await sms(sandbox, '447700900003', NOW + 180);
    await sms(sandbox, '447700900001', NOW + 60);
    await sms(sandbox, '447700900002', NOW + 60);
    expect(await advance(sandbox, 120)).toBe(2);
    expect((await outbox(sandbox)).map(({ to, time }) => [to, time - NOW])).toEqual([
      ['447700900001', 60],
      ['447700900002', 60],
    ]);
    expect(await clock(sandbox)).toBe(NOW + 120);
  });

  it('stops when all work due now is done', async () => {
    const sandbox = await createTestSandbox();
    await sms(sandbox, '447700900001', null);
    await sms(sandbox, '447700900002', NOW + 1);
    expect(await settle(sandbox)).toBe(1);
    expect([await clock(sandbox), (await outbox(sandbox)).length]).toEqual([NOW, 1]);
  });

  it('runs until no work is queued, and shows the time of the last action', async () => {
    const sandbox = await createTestSandbox();
    await sms(sandbox, '447700900001', NOW + 30 * 86_400);
    await advanceClockUntilIdle(sandbox.service.store, { machineNow });
    expect(await clock(sandbox)).toBe(NOW + 30 * 86_400);
  });

  it('does not go back, and a real clock cannot be moved', async () => {
    const sandbox = await createTestSandbox();
    const { store } = sandbox.service;
    await advance(sandbox, 60);
    await sms(sandbox, '447700900001', null);
    await expect(advance(sandbox, 30)).rejects.toThrow(RangeError);
    const later = machineNow() + 60_000;
    await setClockMode(store.db, 'real', later);
    await expect(advance(sandbox, 90)).rejects.toThrow('the clock is real');
    await expect(advanceClockUntilIdle(store, { machineNow })).rejects.toThrow('the clock is real');
    expect(await outbox(sandbox)).toEqual([]);
  });

  it('can become real again once real time has reached it, and not before', async () => {
    const sandbox = await createTestSandbox();
    const { db } = sandbox.service.store;
    await advance(sandbox, 60);
    await expect(setClockMode(db, 'real', machineNow())).rejects.toMatchObject({
      name: 'ClockAheadError',
      message: 'the manual clock shows 2026-12-01T09:01:00Z, ahead of real time (2026-12-01T09:00:00Z)',
    });
    expect(await readClockMode(db)).toBe('manual');
    await setClockMode(db, 'real', machineNow() + 60_000);
    expect(await readClockMode(db)).toBe('real');
    await setClockMode(db, 'manual', machineNow() + 90_000);
    expect(await readServiceTime(db, machineNow())).toBe(NOW + 90);
  });

  it('performs late work at its due time, as a real clock does', async () => {
    const sandbox = await createTestSandbox();
    const { store } = sandbox.service;
    await sms(sandbox, '447700900001', NOW + 60);
    await setClockMode(store.db, 'real', machineNow());
    await runDueWork(store, { machineNow: () => (NOW + 3600) * 1000 });
    expect(await outbox(sandbox)).toMatchObject([{ time: NOW + 60 }]);
  });
});

it('gives the same outbox for the same commands', async () => {
  const play = async () => {
    const sandbox = await createTestSandbox();
    const list = await putList(sandbox);
    const message_id = await putEmail(sandbox);
    for (let index = 0; index < 20; index += 1)
      await putSubscriber(sandbox, [list], { email: `s${index}@example.com` });
    const task = {
      channel: 'email',
      message_id,
      name: 'T',
      scheduledtime: NOW,
      list_id: list,
      search_id: null,
    };
    await sandbox.send('admin', 'POST', '/v1/task', { ...task, rate: 100 });
    await sms(sandbox, '447700900001', NOW + 120);
    await advance(sandbox, 9000);
    return JSON.stringify(await outbox(sandbox));
  };
  expect(await play()).toBe(await play());
});

describe('an interrupted send', () => {
  const RECIPIENTS = 50_000;
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  it('continues after a stop: each of 50,000 recipients exactly once', async () => {
    const folder = await makeTemporaryFolder('engine');
    folders.push(folder);
    const path = join(folder, 'sandbox.db');
    let store = await openStore(path);
    await fillLargeSend(store, { recipients: RECIPIENTS, spare: 7, now: NOW });
    // A failed step is rolled back completely. The earlier steps exist when the file is opened again.
    for (const allowed of [0, 1, 4]) {
      await expect(advanceClockTo(cutOffAfter(store, allowed), NOW + 60, { machineNow })).rejects.toThrow(
        'cut off',
      );
      await store.close();
      store = await openStore(path);
    }
    await advanceClockTo(store, NOW + 60, { machineNow });
    const counted = sql<
      Record<string, number>
    >`select count(*) as rows, count(distinct subscriber_id) as people,
      (select sent from task) as sent, (select credits from task) as credits,
      (select completed from task) as completed, (select emailcreditbalance from account) as balance,
      (select count(*) from log) as logged from task_recipient`;
    expect(await store.db.first(counted)).toEqual({
      rows: RECIPIENTS,
      people: RECIPIENTS,
      sent: RECIPIENTS,
      credits: RECIPIENTS,
      completed: 1,
      balance: 7,
      logged: 0,
    });
    await store.close();
  });

  it('stops between two steps on request, and continues there', async () => {
    const store = await openTestStore();
    await fillLargeSend(store, { recipients: 10_000, spare: 3, now: NOW });
    const stop = new AbortController();
    let steps = 0;
    const watched: Store = {
      ...store,
      transaction: async (work) => {
        const result = await store.transaction(work);
        steps += 1;
        if (steps === 3) stop.abort();
        return result;
      },
    };
    const options = { machineNow, batch: 500 };
    await expect(advanceClockTo(watched, NOW + 60, { ...options, signal: stop.signal })).rejects.toThrow(
      'The sandbox is stopping',
    );
    expect(steps).toBe(3);
    const count = sql<{ rows: number }>`select (select count(*) from task_recipient) as rows`;
    const [before] = await store.db.all(count);
    expect(before?.rows).toBeLessThan(10_000);
    await advanceClockTo(store, NOW + 60, options);
    expect(await store.db.all(count)).toEqual([{ rows: 10_000 }]);
    await store.close();
  });

  /** Wraps a store. After this many transactions, the next one is rolled back at its end, as if the process ended. */
  function cutOffAfter(store: Store, allowed: number): Store {
    let left = allowed;
    return {
      ...store,
      transaction: (work) =>
        store.transaction(async (db) => {
          const result = await work(db);
          if (left === 0) throw new Error('cut off');
          left -= 1;
          return result;
        }),
    };
  }
});
