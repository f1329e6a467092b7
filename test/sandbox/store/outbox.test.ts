/** Compares the outbox with all deliveries, sorted by a plain query: whole, in pages, and filtered. */

import { beforeAll, describe, expect, it } from 'vitest';
import { listOutbox } from '../../../src/sandbox/engine/mail/outbox.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import type { OutboxFilter } from '../../../src/sandbox/store/outbox-entry.ts';
import { insertRow } from '../../../src/sandbox/store/rows.ts';
import { advance } from '../../support/engine.ts';
import { putEmail, putList, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let everything: readonly Plain[];

/** Adds tasks at several rates that overlap, one that is still being sent, and single SMS in between. */
beforeAll(async () => {
  sandbox = await createTestSandbox();
  const { db } = sandbox.service.store;
  const { send } = sandbox;
  await putEmail(sandbox);
  const lists = [await putList(sandbox), await putList(sandbox)];
  for (let person = 0; person < 40; person += 1)
    await putSubscriber(sandbox, person % 3 === 0 ? lists : lists.slice(0, 1), {
      email: `p${person}@example.com`,
    });
  const tasks = [
    { at: 0, rate: 60, list: 0 },
    { at: 30, rate: null, list: 1 },
    { at: 60, rate: 120, list: 0 },
    { at: 600, rate: null, list: 1 },
    { at: 900, rate: 30, list: 0 },
    { at: 7200, rate: null, list: 0 },
  ];
  for (const [index, { at, rate, list }] of tasks.entries()) {
    const task = {
      channel: 'email',
      message_id: 1,
      name: `T${index}`,
      list_id: lists[list],
      search_id: null,
    };
    const more = { scheduledtime: NOW + at, ...(rate === null ? {} : { rate }) };
    expect((await send('admin', 'POST', '/v1/task', { ...task, ...more })).status).toBe(202);
  }
  for (const at of [0, 30, 30, 60, 61, 600, 1200, 1200])
    await send('admin', 'POST', '/v1/sms', {
      msisdn: at === 30 ? '447700900123' : '447700900124',
      fromaddress: 'Example',
      message: 'Hi',
      senddate: NOW + at,
    });
  await advance(sandbox, 3600);
  await db.run(sql`update task_recipient set bounced = ${NOW} where subscriber_id % 7 = 3 and task_id <> 4`);
  for (const [at, body] of [
    'GET https://a.example/',
    'GET https://a.example/\n204',
    'GET https://a.example/\n500',
  ].entries())
    await insertRow(db, 'delivery', {
      ...{ account_id: IDS.company, channel: 'notification', recipient: 'https://a.example/', sender: '' },
      ...{ subject: null, body, message_id: null, subscriber_id: null, time: NOW + 40 + at },
      ...{ cause: 'rule', cause_id: 1, rule_kind: 'click' },
    });
  everything = await readEverything();
});

interface Plain {
  readonly id: string;
  readonly address: string;
  readonly channel: string;
  readonly task: number | null;
  readonly time: number;
  readonly bounced: number | null;
  readonly body: string | null;
}

async function readEverything(): Promise<readonly Plain[]> {
  const query = sql<Plain>`select id, address, channel, task, time, bounced, body from (
    select 't' || task_id || '-' || subscriber_id as id, address, 'email' as channel, task_id as task, bounced, null as body,
      senttime as time, 0 as rank, task_id as a, subscriber_id as b from task_recipient
    union all select 'd' || id, recipient, channel, null, null, body, time, 1, id, 0 from delivery) e
    order by time, rank, a, b`;
  return await sandbox.service.store.db.all(query);
}

async function walked(limit: number, filter: OutboxFilter): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const after = ids.at(-1) ?? '';
    const page = await listOutbox(sandbox.service.store.db, { accountId: IDS.company, after, limit, filter });
    ids.push(...page.map(({ id }) => id));
    if (page.length < limit) return ids;
  }
}

const FILTERS: readonly (readonly [OutboxFilter, (entry: Plain) => boolean])[] = [
  [{}, () => true],
  [{ channel: 'email' }, ({ channel }) => channel === 'email'],
  [{ channel: 'sms' }, ({ channel }) => channel === 'sms'],
  [{ taskId: 3 }, ({ task }) => task === 3],
  [{ to: 'P3@Example.com' }, ({ address }) => address === 'p3@example.com'],
  [{ to: '447700900123', channel: 'sms' }, ({ address }) => address === '447700900123'],
  [{ to: 'p3@example.com', channel: 'sms' }, () => false],
  [{ to: 'nobody@example.com' }, () => false],
  // The filters are the beginning of an address or a number; names of tasks; subjects and texts, in any case. No filter is a pattern.
  [{ search: 'p1@' }, ({ address }) => address === 'p1@example.com'],
  [{ search: 'P1' }, ({ address }) => address.startsWith('p1')],
  [{ search: '44770090012' }, ({ channel }) => channel === 'sms'],
  [{ search: 't4' }, ({ task }) => task === 5],
  [{ search: 'T4', channel: 'sms' }, () => false],
  [{ search: 'hi', channel: 'sms' }, ({ channel }) => channel === 'sms'],
  [{ state: 'bounced' }, ({ bounced }) => bounced !== null],
  [{ state: 'bounced', taskId: 3 }, ({ bounced, task }) => bounced !== null && task === 3],
  [
    { state: 'bounced', to: 'p2@example.com' },
    ({ bounced, address }) => bounced !== null && address === 'p2@example.com',
  ],
  [{ state: 'bounced', channel: 'sms' }, () => false],
  [{ state: 'pending' }, ({ body }) => body === 'GET https://a.example/'],
  [{ state: 'failed' }, ({ body }) => body?.endsWith('\n500') === true],
  [
    { state: 'delivered' },
    ({ bounced, body }) => bounced === null && (!body?.startsWith('GET') || body.endsWith('\n204')),
  ],
  [{ until: NOW + 60 }, ({ time }) => time < NOW + 60],
  [{ until: NOW }, () => false],
  [
    { until: NOW + 45, state: 'delivered', taskId: 2 },
    ({ time, task, bounced }) => time < NOW + 45 && task === 2 && bounced === null,
  ],
  [{ subject: 'HELL' }, ({ channel }) => channel === 'email'],
  [{ subject: 'nothing' }, () => false],
  [{ search: '_' }, () => false],
  [{ search: '%' }, () => false],
  [{ search: '\\' }, () => false],
  [{ search: "'" }, () => false],
];

describe.each(FILTERS)('filtered by %o', (filter, isWanted) => {
  it.each([1, 3, 50, 1000])('returns all entries in pages of %i', async (limit) => {
    const wanted = everything.filter(isWanted).map(({ id }) => id);
    expect(await walked(limit, filter)).toEqual(wanted);
  });

  it.each([1, 3, 50, 1000])(
    'returns all entries from the newest backwards, in pages of %i',
    async (limit) => {
      const wanted = everything.filter(isWanted).map(({ id }) => id);
      const ids: string[] = [];
      for (let more = true; more; ) {
        const before = ids[0];
        const asked = { accountId: IDS.company, limit, filter, ...(before === undefined ? {} : { before }) };
        const page = await listOutbox(sandbox.service.store.db, asked);
        ids.unshift(...page.map(({ id }) => id));
        more = page.length === limit;
      }
      expect(ids).toEqual(wanted);
    },
  );

  it.each([1, 7, 60, 1000])('returns the newest %i', async (limit) => {
    const wanted = everything.filter(isWanted).map(({ id }) => id);
    const newest = await listOutbox(sandbox.service.store.db, { accountId: IDS.company, limit, filter });
    expect(newest.map(({ id }) => id)).toEqual(wanted.slice(-limit));
  });
});

it('includes overlapping tasks, one of them still being sent', async () => {
  const tasks = await sandbox.rows('task');
  expect(tasks.map(({ endtime }) => endtime === null)).toEqual([false, false, false, false, true, true]);
  expect(everything.length).toBeGreaterThan(120);
});
