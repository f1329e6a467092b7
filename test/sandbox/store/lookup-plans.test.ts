/**
 * The engine, the control plane, the tracking pages and the checks of a request find their rows in an index, however
 * many rows there are (docs/design.md, "The store"). The test reads the statements that ran.
 */

import { randomBytes } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { operations } from '../../../src/sandbox/control/all.ts';
import { runOperationInContext } from '../../../src/sandbox/control/operation.ts';
import { receiveSms } from '../../../src/sandbox/engine/automations/inbound-sms.ts';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import { addTrackingRoutes } from '../../../src/sandbox/http/tracking.ts';
import {
  accountById,
  countAllRecords,
  firstCompanyId,
  firstPartner,
  listCompanies,
} from '../../../src/sandbox/store/accounts.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { listLogLines } from '../../../src/sandbox/store/logs.ts';
import { initialiseRelayProgress, listUnrelayedDeliveries } from '../../../src/sandbox/store/outbox.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { withEverything } from '../../support/everything.ts';
import { EMAIL, restrictSub } from '../../support/messages.ts';
import { faultsOf, openWatchedStore, type WatchedStore } from '../../support/query-plans.ts';
import { type As, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let watched: WatchedStore;
let sandbox: TestSandbox;
const machineNow = () => NOW * 1000;

beforeAll(async () => {
  watched = await openWatchedStore();
  sandbox = await withEverything(watched.store);
  await restrictSub(sandbox);
});

/** The statements that read a whole table on purpose, as their plans name it. */
const WHOLE: readonly RegExp[] = [
  // A list of all companies, and the counts that svc sandbox status shows.
  /^SCAN a: select a\.\*/,
  /^SCAN \w+( USING COVERING INDEX \w+)?: select \(select count\(\*\) from account\) as companies/,
  // The first start with --smtp records the progress of each task.
  /^SCAN task: insert into relayed/,
];

async function faultsIn(work: () => Promise<unknown>): Promise<readonly string[]> {
  const plans = await watched.plansOf(work);
  expect(plans.length).toBeGreaterThan(0);
  return plans.flatMap(faultsOf).filter((fault) => !WHOLE.some((pattern) => pattern.test(fault)));
}

describe('requests', () => {
  const rule = { actiontype: 'notify', actiontarget: 'office@example.com', name: 'Rule', summary: null };
  const adding = {
    ...rule,
    actiontype: 'addtolist',
    actiontarget: '1',
    actiontimediff: 60,
    actiononweekend: true,
  };
  const send = (as: As, method: Method, target: string, body?: unknown) => ({ as, method, target, body });
  it.each([
    send('admin', 'GET', 'account'),
    send('sub', 'GET', 'account'),
    send('admin', 'HEAD', 'doNotContact?contactdata=old@example.com'),
    send('admin', 'POST', 'doNotContact', { contactdata: 'new@example.com' }),
    send('admin', 'POST', 'doNotContact', { contactdata: 'example.org' }),
    send('admin', 'POST', 'doNotContact', { contactdata: '447700900555' }),
    send('admin', 'DELETE', 'doNotContact?contactdata=new@example.com'),
    send('admin', 'POST', 'folder', { name: 'Old' }),
    send('sub', 'POST', 'folder', { name: 'Of the sub-user' }),
    send('admin', 'PUT', 'folder/1', { name: 'Newer' }),
    send('admin', 'POST', 'emailMessage', { ...EMAIL, html: '<a href="https://example.com/">Here</a>' }),
    send('admin', 'PUT', 'emailMessage/1', { html: '<a href="https://example.com/a">Here</a>' }),
    send('admin', 'POST', 'smsMessage', { fromname: 'Office', message: 'Hi', name: 'Text' }),
    send('admin', 'PUT', 'smsMessage/1', { message: 'Hello' }),
    send('admin', 'POST', 'task', {
      channel: 'email',
      message_id: 2,
      name: 'Now',
      list_id: 1,
      search_id: null,
      scheduledtime: NOW,
    }),
    send('admin', 'PUT', 'task/1', { name: 'Later' }),
    send('admin', 'POST', 'sms', { msisdn: '447700900123', fromaddress: 'Example', message: 'Hi' }),
    send('admin', 'POST', 'user', {
      email: 'new@example.com',
      firstname: 'New',
      lastname: 'User',
      username: 'new',
      password: 'secret99',
    }),
    send('admin', 'POST', 'subscriberProfileData', {
      subscriber_id: 1,
      subscriberprofilefield_id: 2,
      value: 'L',
    }),
    send('admin', 'PUT', 'subscriberProfileData/2_1', { value: 'M' }),
    send('admin', 'DELETE', 'subscriberProfileData/2_1'),
    send('admin', 'PUT', 'smsDestination/1', { keyword: 'HARBOUR' }),
    send('admin', 'POST', 'clickAutomation', { ...adding, link_id: 1, message_id: null }),
    send('sub', 'GET', 'clickAutomation'),
    send('admin', 'PUT', 'openAutomation/1', { name: 'Newer' }),
    send('admin', 'POST', 'smsAutomation', { keyword: 'TASTE', list_id: 1, name: 'Taste', summary: null }),
    send('partner', 'GET', 'user'),
  ])('$as: $method $target', async ({ as, method, target, body }) => {
    const faults = await faultsIn(async () => {
      const { status, text } = await sandbox.send(as, method, `/v1/${target}`, body);
      expect([status < 300, text]).toEqual([true, text]);
    });
    expect([faults, sandbox.reports]).toEqual([[], []]);
  });
});

describe('the engine', () => {
  it('sends, and performs actions of rules', async () => {
    expect(await faultsIn(() => advanceClockTo(watched.store, NOW + 60, { machineNow, batch: 1 }))).toEqual(
      [],
    );
    const [recipient] = await sandbox.rows('task_recipient');
    expect(recipient).toMatchObject({ task_id: 2, subscriber_id: 1 });
  });

  it('looks up recipients who react, and the people of queued actions', async () => {
    const own = await openWatchedStore();
    await withEverything(own.store);
    const shares = { open: 1, click: 1, unsubscribe: 1, complaint: 0, bounce: 0 };
    const plans = await own.plansOf(() =>
      advanceClockTo(own.store, NOW + 3 * 86_400, { machineNow, simulatedRecipients: { shares, seed: 1 } }),
    );
    expect(plans.flatMap(faultsOf)).toEqual([]);
    const texts = plans.map(({ sql: text }) => text).join('\n');
    expect(texts).toMatch(/update task_recipient set "opened"/);
    expect(texts).toMatch(/ as emailblocked, /);
    await own.store.close();
  });

  it('processes an inbound SMS, with and without a keyword', async () => {
    for (const text of ['HARBOUR TASTE', 'HARBOUR what'])
      expect(
        await faultsIn(() =>
          watched.store.transaction((db) =>
            receiveSms(db, { to: '447700900999', from: '447700900124', text }, undefined, NOW + 60, {
              requestAfterCommit: () => {},
            }),
          ),
        ),
      ).toEqual([]);
  });
});

describe('tracking pages', () => {
  it.each([
    ['GET', '/t/o/t2-1'],
    ['GET', '/t/c/1'],
    ['GET', '/t/c/1/t2-1'],
    ['GET', '/t/u/t2-1'],
    ['GET', '/t/f/d1'],
    ['POST', '/t/i/t2-1'],
  ])('%s %s', async (method, path) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    addTrackingRoutes(app, sandbox.service);
    expect(
      await faultsIn(async () => {
        const { status } = await app.request(path, { method });
        expect([200, 302]).toContain(status);
      }),
    ).toEqual([]);
  });
});

describe('the control plane', () => {
  it.each([
    ['event open', { message: 2, subscriber: 1 }],
    ['event click', { link: 1, subscriber: 1 }],
    ['event subscribe', { list: 1, subscriber: 1 }],
    ['event bounce', { task: 2, subscriber: 1 }],
    ['event date', { rule: 1, subscriber: 1, at: NOW + 86_400 }],
    ['event failed-login', { username: 'sub2' }],
    ['list create', { name: 'Autumn', folder: 1 }],
    ['list list', {}],
    ['subscriber create', { email: 'one@example.com', lists: [1] }],
    ['subscriber import', { lists: [1], rows: [{ email: 'two@example.com', fields: { Colour: 'red' } }] }],
    ['subscriber list', { after: 0, limit: 10 }],
    ['subscriber list', { after: 1, limit: 10, list: 1 }],
    ['subscriber list', { before: 9, limit: 10 }],
    ['subscriber list', { before: 9, limit: 10, list: 1 }],
    ['field create', { name: 'Shoe' }],
    ['field list', {}],
    ['search create', { name: 'Blue', field: 1, equals: 'blue' }],
    ['search list', {}],
    ['destination create', { destination: '447700900998' }],
    ['form create', { name: 'Form' }],
    ['sender add', { email: 'news@example.com' }],
    ['sender list', {}],
    ['user restrict', { id: IDS.sub2, folders: [1] }],
    ['user unlock', { user: 'sub2' }],
    ['credits set', { email: 10 }],
    ['queue', { limit: 10 }],
    ['queue', { limit: 10, until: NOW + 90 * 86_400, after: `${NOW + 1}-sms-1` }],
    ['queue', { limit: 10, rule: 'click:1' }],
    ['rule done', { rule: 'click:1' }],
    ['task show', { id: 2 }],
    ['task skipped', { id: 2, limit: 10 }],
    ['subscriber history', { subscriber: 1 }],
    ['subscriber history', { subscriber: 1, before: `${NOW}-4-2-1` }],
    ['subscriber history', { subscriber: 'someone@example.com' }],
    ['subscriber history', { subscriber: '447700900123', before: `${NOW}-0-2-0` }],
    ['message list', { channel: 'email', limit: 10 }],
    ['message list', { channel: 'email', limit: 10, after: 1, unsent: true }],
    ['message list', { channel: 'sms', limit: 10, before: 9 }],
    ['message show', { channel: 'email', id: 1, subscriber: 1 }],
    ['message show', { channel: 'sms', id: 1 }],
    ['outbox list', { limit: 10 }],
    ['outbox list', { limit: 10, after: '' }],
    ['outbox list', { limit: 10, after: 't2-1' }],
    ['outbox list', { limit: 10, after: 'd1' }],
    ['outbox list', { limit: 10, to: 'someone@example.com' }],
    ['outbox list', { limit: 10, after: 'd1', to: '447700900123' }],
    ['outbox list', { limit: 10, to: '447700900123', channel: 'sms' }],
    ['outbox list', { limit: 10, channel: 'email' }],
    ['outbox list', { limit: 10, after: '', channel: 'sms' }],
    ['outbox list', { limit: 10, task: 2 }],
    ['outbox clear', {}],
    ['outbox list', { limit: 10, task: 2, state: 'bounced' }],
    ['outbox list', { limit: 10, state: 'bounced' }],
    ['outbox list', { limit: 10, state: 'failed' }],
    ['outbox list', { limit: 10, state: 'delivered', until: NOW + 60 }],
    ['outbox list', { limit: 10, after: '', task: 2, state: 'bounced' }],
    ['outbox list', { limit: 10, rule: 'sms:1' }],
    ['outbox list', { limit: 10, after: 'd1', rule: 'sms:1', channel: 'sms' }],
    ['outbox show', { id: 't2-1' }],
    ['outbox show', { id: 'd1' }],
    ['list delete', { id: 2 }],
    ['event unsubscribe', { task: 2, subscriber: 1 }],
  ] as const)('%s %o', async (name, args) => {
    expect(
      await faultsIn(() =>
        watched.store.transaction(async (db) => {
          const account = await accountById(db, IDS.company);
          if (!account) throw new Error('no company');
          const call = {
            db,
            account,
            now: NOW + 60,
            trackingBaseUrl: 'http://127.0.0.1',
            random: randomBytes,
            naming: DEFAULT_WIRE_NAMING,
          };
          return runOperationInContext(operations, name, call, {
            ...args,
            lists: 'lists' in args ? [...args.lists] : [],
          });
        }),
      ),
    ).toEqual([]);
  });

  it('of the whole sandbox', async () => {
    const { db } = watched.store;
    for (const work of [
      () => listCompanies(db),
      () => firstCompanyId(db),
      () => firstPartner(db),
      () => countAllRecords(db),
      () => listLogLines(db, 10),
      () => initialiseRelayProgress(db),
      () => listUnrelayedDeliveries(db, 10),
    ])
      expect(await faultsIn(work)).toEqual([]);
  });
});

describe('foreign keys', () => {
  it('use an index from the side of the deleted row', async () => {
    const { db } = watched.store;
    const keys = await db.all(sql<{
      readonly child: string;
      readonly column: string;
      readonly parent: string;
    }>`
      select m.name as child, k."from" as column, k."table" as parent
      from sqlite_master m join pragma_foreign_key_list(m.name) k where m.type = 'table'`);
    const first = await db.all(sql<{ readonly child: string; readonly column: string }>`
      select m.name as child, c.name as column from sqlite_master m join pragma_index_list(m.name) i
      join pragma_index_info(i.name) c where m.type = 'table' and c.seqno = 0 and i.partial = 0`);
    const indexed = new Set(first.map(({ child, column }) => `${child}.${column}`));
    // No company, partner, field or task is ever deleted.
    const kept = ['account', 'partner', 'profile_field', 'task'];
    const sought = keys.filter(({ parent }) => !kept.includes(parent));
    expect(sought.length).toBeGreaterThan(4);
    expect(sought.filter(({ child, column }) => !indexed.has(`${child}.${column}`))).toEqual([]);
  });
});
