/** Contract, "Sandbox": due work is performed in the order of its due times. The list shows the same order beforehand. */
import { beforeEach, describe, expect, it } from 'vitest';
import { listUpcomingDueWork } from '../../../src/sandbox/engine/due.ts';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import { createEngineWorld, type EngineWorld } from '../../support/automation-engine.ts';
import { IDS, NOW } from '../../support/sandbox.ts';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const list = (page: Partial<Parameters<typeof listUpcomingDueWork>[2]> = {}) =>
  listUpcomingDueWork(world.db, IDS.company, { limit: 100, ...page });
const brief = async (page: Partial<Parameters<typeof listUpcomingDueWork>[2]> = {}) =>
  (await list(page)).map(({ at, kind, id }) => [at - NOW, kind, id]);

const sms = (msisdn: string, seconds: number, more: object = {}) =>
  world.sandbox.put('sms', {
    account_id: IDS.company,
    user_id: IDS.admin,
    msisdn,
    fromaddress: 'Company',
    message: 'Hi',
    senddate: NOW + seconds,
    due: NOW + seconds,
    cdate: NOW,
    mdate: NOW,
    ...more,
  });
const task = (seconds: number, more: object = {}) =>
  world.sandbox.put('task', {
    account_id: IDS.company,
    user_id: IDS.admin,
    name: 'Spring',
    channel: 'email',
    message_id: world.things.email,
    list_id: world.things.list,
    scheduledtime: NOW + seconds,
    due: NOW + seconds,
    size: 3,
    cdate: NOW,
    ...more,
  });

/** Adds work of all kinds at the same second, the last kind first, and one of each kind earlier and later. */
async function mixed(): Promise<void> {
  const subscriber = await world.subscriber();
  const rule = await world.rule('click', { actiontimediff: 60 });
  await world.fire({ kind: 'click', linkId: world.things.link, messageId: world.things.email }, subscriber);
  await world.rule('open', { actiontimediff: 30, paused: 0 });
  await world.fire({ kind: 'open', messageId: world.things.email }, subscriber);
  expect(rule).toBe(1);
  await sms('447700900002', 60);
  await sms('447700900001', 60);
  await task(60);
  await task(60);
  await task(10);
  await task(60, { cancelled: 1, due: null });
  await sms('447700900001', 61, { account_id: IDS.other });
}

const ORDER = [
  [10, 'task', 3],
  [30, 'rule', 2],
  [60, 'task', 1],
  [60, 'task', 2],
  [60, 'sms', 1],
  [60, 'sms', 2],
  [60, 'rule', 1],
];

describe('due work', () => {
  it('is in the order in which the engine performs it: by time, tasks before SMS before rules, by id', async () => {
    await mixed();
    expect(await brief()).toEqual(ORDER);
    // The engine, one step at a time, removes the first entry and no other.
    for (let left = await brief(); left.length > 0; left = left.slice(1)) {
      await oneStep(NOW + Number(left[0]?.[0]));
      expect(await brief()).toEqual(left.slice(1));
    }
  });

  it('ends at a time, inclusive, and continues after an entry', async () => {
    await mixed();
    expect(await brief({ until: NOW + 30 })).toEqual(ORDER.slice(0, 2));
    expect(await brief({ until: NOW + 29 })).toEqual(ORDER.slice(0, 1));
    for (const limit of [1, 2, 3]) {
      const paged: unknown[] = [];
      for (let after: Parameters<typeof listUpcomingDueWork>[2]['after']; ; ) {
        const page = await list({ after, limit });
        const last = page.at(-1);
        if (!last) break;
        paged.push(...page.map(({ at, kind, id }) => [at - NOW, kind, id]));
        after = { due: last.at, kind: last.kind, id: last.id };
      }
      expect(paged).toEqual(ORDER);
    }
  });

  it('describes each action and its recipient', async () => {
    await mixed();
    const [first, open, second, , single, , click] = await list();
    expect(first).toEqual({
      ...{ at: NOW + 10, kind: 'task', id: 3, rule: null, name: 'Spring', action: 'start' },
      ...{ target: `list ${world.things.list}`, subscriber: null, size: 3 },
    });
    expect(second).toMatchObject({ action: 'start' });
    expect(single).toEqual({
      ...{ at: NOW + 60, kind: 'sms', id: 1, rule: null, name: null, action: 'send' },
      ...{ target: '447700900002', subscriber: null, size: null },
    });
    const does = { name: 'Rule', action: 'notify', target: 'office@example.com', subscriber: 1, size: null };
    expect(open).toEqual({ at: NOW + 30, kind: 'rule', id: 2, rule: 'open:1', ...does });
    expect(click).toEqual({ at: NOW + 60, kind: 'rule', id: 1, rule: 'click:1', ...does });
  });

  it('describes a task in progress, one of a search, and an SMS that cannot be delivered', async () => {
    await task(10, { started: 1, list_id: null, search_id: 4 });
    await sms('12025550190', 20);
    await world.advance(20);
    expect(await list()).toMatchObject([
      { kind: 'sms', action: 'expire', target: '12025550190', at: NOW + 20 + 14 * 86_400 },
    ]);
    await task(30, { started: 1, list_id: null, search_id: 4 });
    expect(await list()).toMatchObject([{ action: 'continue', target: 'search 4' }, {}]);
  });
});

/** Advances by one step: the signal stops it while it moves the clock for its first step. */
async function oneStep(until: number): Promise<void> {
  const stopping = new AbortController();
  let asked = 0;
  const machineNow = (): number => {
    asked += 1;
    // The first check asks whether the clock may be moved at all.
    if (asked > 1) stopping.abort();
    return NOW * 1000;
  };
  const { store } = world.sandbox.service;
  await expect(advanceClockTo(store, until, { machineNow, signal: stopping.signal })).rejects.toThrow(
    'stopping',
  );
}
