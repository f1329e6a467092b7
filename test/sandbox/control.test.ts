import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { updateRow } from '../../src/sandbox/store/rows.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;
const DAY = 86_400;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  // The machine's own clock must not be ahead of the times below.
  const machineNow = () => (START - DAY) * 1000;
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo', machineNow });
  await done('clock set', { time: START });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function done(operation: string, args: unknown = {}) {
  const { status, json } = await sandbox.control(operation, args);
  expect([operation, status, json.error ?? null]).toEqual([operation, 200, null]);
  return json.data;
}

async function refused(operation: string, args: unknown): Promise<number> {
  const { status, json } = await sandbox.control(operation, args);
  expect(json.error).toEqual({ status, message: expect.any(String) });
  return status;
}

const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

describe('lists', () => {
  it('creates, shows and deletes one', async () => {
    const made = await done('list create', { name: 'Autumn', folder: 1 });
    expect(made).toMatchObject({
      name: 'Autumn',
      folder_id: 1,
      permanent: false,
      subscriptions: 0,
      cdate: START,
    });
    expect(ids(await done('list list'))).toContain(made.id);
    expect(await done('list delete', { id: made.id })).toEqual({ id: made.id });
    expect(ids(await done('list list'))).not.toContain(made.id);
  });

  it('keeps permanent lists, and those of scheduled tasks', async () => {
    expect(await refused('list delete', { id: 2 })).toBe(409);
    const list = await done('list create', { name: 'Targeted' });
    const task = { channel: 'email', message_id: 6, name: 'T', list_id: list.id, search_id: null };
    const made = await sandbox.api('POST', '/v1/task', { ...task, scheduledtime: START + 30 * DAY });
    expect(made.status).toBe(202);
    expect(await refused('list delete', { id: list.id })).toBe(409);
    expect(ids(await done('list list'))).toContain(list.id);
  });

  it('pauses the rules that use a deleted list', async () => {
    const list = await done('list create', { name: 'With a rule' });
    const rule = await sandbox.api('POST', '/v1/subscriptionAutomation', {
      list_id: list.id,
      name: 'R',
      actiontype: 'removefromlist',
      actiontarget: '0',
      actiontimediff: 5,
      actiononweekend: true,
      summary: null,
    });
    expect(rule.status).toBe(202);
    await done('list delete', { id: list.id });
    const after = await sandbox.api('GET', `/v1/subscriptionAutomation/${rule.json.response.data.id}`);
    expect(after.json.response.data.paused).toBe(true);
  });

  it.each([
    [{}, 400],
    [{ name: '' }, 400],
    [{ name: 'N', folder: 999 }, 404],
    [{ name: 'N', company: 999 }, 404],
    [{ name: 'N', permanent: 'yes' }, 400],
  ])('refuses %o with %i and creates none', async (args, status) => {
    const before = await done('list list');
    expect(await refused('list create', args)).toBe(status);
    expect(await done('list list')).toEqual(before);
  });
});

describe('subscribers', () => {
  it('creates one on two lists, without triggering a rule', async () => {
    const made = await done('subscriber create', {
      lists: [1, 3],
      email: 'New.Comer@Example.com',
      msisdn: '+44 7700 900 777',
    });
    expect(made).toMatchObject({
      email: 'new.comer@example.com',
      msisdn: '447700900777',
      lists: [1, 3],
      cdate: START,
    });
    await done('clock advance', { seconds: DAY });
    const after = await done('outbox list');
    expect(after.filter(({ to }: { to: string }) => to === 'new.comer@example.com')).toEqual([]);
  });

  it.each([
    ['on Do Not Contact', { lists: [1], email: 'former.customer@example.com' }, 409],
    ['of a domain on Do Not Contact', { lists: [1], email: 'anybody@RIVALS.example' }, 409],
    ['with a number on Do Not Contact', { lists: [1], msisdn: '447700900999' }, 409],
    ['with an existing address', { lists: [1], email: 'new.comer@example.com' }, 409],
    ['without an address', { lists: [1] }, 400],
    ['without a list', { lists: [], email: 'x@example.com' }, 400],
    ['on an unknown list', { lists: [999], email: 'x@example.com' }, 404],
    ['with an invalid address', { lists: [1], email: 'x@' }, 400],
  ])('refuses one %s', async (_, args, status) => {
    const before = (await done('status')).subscribers;
    expect(await refused('subscriber create', args)).toBe(status);
    expect((await done('status')).subscribers).toBe(before);
  });

  it('imports rows: creates, finds, sets fields, and names rejected rows', async () => {
    const list = await done('list create', { name: 'Imported' });
    const rows = [
      { email: 'one@example.org', fields: { City: 'Bath' } },
      { email: 'ONE@example.org', fields: { City: 'Bristol' } },
      { email: 'former.customer@example.com' },
      { msisdn: '447700900778', fields: {} },
      { email: 'two@example.org', fields: { Shoe: '42' } },
      {},
    ];
    const answer = await done('subscriber import', { lists: [list.id], rows });
    expect(answer).toMatchObject({ made: 2, subscribed: 2 });
    expect(answer.rejected.map(({ row }: { row: number }) => row)).toEqual([2, 4, 5]);
    const on = await done('subscriber list', { list: list.id });
    expect(on.map(({ email }: { email: string }) => email)).toEqual(['one@example.org', null]);
    const data = await sandbox.api('GET', `/v1/subscriberProfileData?subscriber_id=${on[0].id}`);
    expect(data.json.response.data).toEqual([
      expect.objectContaining({ subscriberprofilefield_id: 2, value: 'Bristol' }),
    ]);
  });

  it('returns them in pages by id', async () => {
    const first = await done('subscriber list', { limit: 2 });
    const next = await done('subscriber list', { limit: 2, after: first[1].id });
    expect(ids([...first, ...next])).toEqual([1, 2, 3, 4]);
  });
});

describe('other records that the interface does not describe', () => {
  it('creates profile fields and saved searches, which tasks can target', async () => {
    const field = await done('field create', { name: 'Shoe' });
    expect(await refused('field create', { name: 'Shoe' })).toBe(409);
    // wire, "text": U+0000 and lone surrogates are 400 in every string; otherwise the store would merge two names (attack L10).
    for (const name of ['Shoe\0', '\0', '\ud800', 'x\udfff', 'a\ud800b'])
      expect(await refused('field create', { name })).toBe(400);
    expect((await done('field create', { name: 'Schuh 👟' })).name).toBe('Schuh 👟');
    expect(ids(await done('field list'))).toContain(field.id);
    const search = await done('search create', { name: 'Large feet', field: field.id, equals: '46' });
    expect(search).toMatchObject({ field_id: field.id, equals: '46' });
    expect(ids(await done('search list'))).toContain(search.id);
    expect(await refused('search create', { name: 'X', field: 999, equals: '1' })).toBe(404);
  });

  it('creates destinations, which the interface then shows', async () => {
    const made = await done('destination create', { destination: '+447700900555' });
    expect(made).toMatchObject({ destination: '447700900555', isshortcode: false, keyword: null });
    const shown = await sandbox.api('GET', `/v1/smsDestination/${made.id}`);
    expect(shown.json.response.data).toMatchObject(made);
    expect(await refused('destination create', { destination: '12' })).toBe(400);
    expect((await done('destination create', { destination: '60111', shortcode: true })).isshortcode).toBe(
      true,
    );
  });

  it('creates forms, by the admin or another user', async () => {
    expect((await done('form create', { name: 'Footer' })).user_id).toBe(1);
    const made = await done('form create', { name: 'Event', user: 2 });
    const shown = await sandbox.api('GET', `/v1/form/${made.id}`);
    expect(shown.json.response.data).toMatchObject({ name: 'Event', user_id: 2 });
    expect(await refused('form create', { name: 'X', user: 99 })).toBe(404);
  });

  it('adds sender addresses', async () => {
    expect(await done('sender add', { email: 'Shop@harbourcoffee.example' })).toEqual({
      email: 'shop@harbourcoffee.example',
    });
    expect(await refused('sender add', { email: 'shop@harbourcoffee.example' })).toBe(409);
    expect(await done('sender list')).toContainEqual({ email: 'shop@harbourcoffee.example' });
  });

  it('shows companies and a key, and sets credits', async () => {
    expect(ids(await done('company list'))).toEqual([1, 2, 3]);
    const { company } = sandbox.ready;
    expect(await done('company key', { id: 1 })).toMatchObject({ apiKey: company.apiKey, adminUserId: 1 });
    expect(await refused('company key', { id: 9 })).toBe(404);
    await done('credits set', { email: 5, company: 2 });
    expect((await done('company list'))[1]).toMatchObject({ emailcreditbalance: 5, smscreditbalance: 200 });
    expect(await refused('credits set', {})).toBe(400);
    expect(await refused('credits set', { email: -1 })).toBe(400);
  });

  // wire.md, "a locked user": by id or username.
  it.each([2, 'tom'])('unlocks user %s, and the count of failed logins starts again', async (user) => {
    const fail = async () => (await done('event failed-login', { username: 'tom' })).locked;
    for (let at = 0; at < 3; at += 1) await fail();
    expect(await done('user unlock', { user })).toEqual({ id: 2, username: 'tom', locked: false });
    expect((await sandbox.api('GET', '/v1/user/2')).json.response.data.locked).toBe(false);
    expect([await fail(), await fail(), await fail()]).toEqual([false, false, true]);
    await done('user unlock', { user });
    for (const nobody of [99, 'nobody']) expect(await refused('user unlock', { user: nobody })).toBe(404);
    expect(await refused('user unlock', { user: 2, company: 2 })).toBe(404);
  });

  it('restricts a user to folders, and removes the restriction', async () => {
    expect(await done('user restrict', { id: 2, folders: [2] })).toMatchObject({ id: 2, folders: [2] });
    expect(await refused('user restrict', { id: 2, folders: [99] })).toBe(404);
    expect(await refused('user restrict', { id: 1, folders: [1] })).toBe(400);
    expect(await done('user restrict', { id: 2 })).toMatchObject({ folders: [] });
  });
});

describe('limits of the account: creating one more is 409 with the name of the limit', () => {
  it.each([
    ['list_limit', 'list create', { name: 'One more' }],
    ['search_limit', 'search create', { name: 'One more', field: 1, equals: 'x' }],
    ['subscriberprofilefield_limit', 'field create', { name: 'One more' }],
    ['subscriber_limit', 'subscriber create', { lists: [1], email: 'one.more@example.com' }],
  ])('%s', async (limit, operation, args) => {
    const { db } = sandbox.service.store;
    const [before] = await db.all(sql<Row<'account'>>`select * from account where id = 1`);
    await updateRow(db, 'account', 1, { [limit]: 1 });
    const answer = await sandbox.control(operation, args);
    expect([answer.status, answer.json.error.message]).toEqual([409, expect.stringContaining(limit)]);
    await updateRow(db, 'account', 1, { [limit]: before?.[limit as 'list_limit'] ?? null });
  });
});

describe('events of recipients', () => {
  let task: number;
  beforeAll(async () => {
    await done('credits set', { email: 100_000, sms: 1000 });
    const made = await sandbox.api('POST', '/v1/task', {
      channel: 'email',
      message_id: 6,
      name: 'Hampers',
      list_id: 1,
      search_id: null,
      scheduledtime: (await done('clock show')).time,
    });
    task = made.json.response.data.id;
    expect((await done('clock advance', { seconds: 60 })).done).toBeGreaterThan(0);
  });
  const statistics = async () => (await sandbox.api('GET', `/v1/task/${task}`)).json.response.data;

  it('counts opens and clicks once for each recipient', async () => {
    const [link] = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=6')).json.response.data;
    for (let times = 0; times < 2; times += 1) {
      await done('event open', { message: 6, subscriber: 1, task });
      await done('event click', { link: link.id, subscriber: 1 });
    }
    expect(await statistics()).toMatchObject({ emailuniqueopens: 1, emailuniqueclicks: 1 });
  });

  it('counts complaints, bounces and unsubscriptions, and an unsubscription blocks the address', async () => {
    const [someone] = (await done('subscriber list', { list: 1, after: 10, limit: 1 })) as [
      { id: number; email: string },
    ];
    await done('event complaint', { task, subscriber: 2 });
    await done('event bounce', { task, subscriber: 3 });
    await done('event unsubscribe', { task, subscriber: someone.id });
    expect(await statistics()).toMatchObject({
      emailuniquecomplaints: 1,
      emailuniquebounces: 1,
      emailuniqueunsubscriptions: 1,
    });
    expect((await sandbox.api('HEAD', `/v1/doNotContact?contactdata=${someone.email}`)).status).toBe(200);
  });

  it('triggers a rule by a subscription, at its time', async () => {
    const list = await done('list create', { name: 'Elsewhere' });
    const { id, email } = await done('subscriber create', {
      lists: [list.id],
      email: 'late.comer@example.com',
    });
    await done('event subscribe', { list: 1, subscriber: id });
    const to = async () => (await done('outbox list')).filter((entry: { to: string }) => entry.to === email);
    await done('clock advance', { seconds: 599 });
    expect(await to()).toEqual([]);
    await done('clock advance', { seconds: 1 });
    const [welcome] = await to();
    expect(welcome).toMatchObject({
      channel: 'email',
      subject: 'Welcome aboard',
      cause: { kind: 'rule', rule_kind: 'subscription' },
    });
    const shown = await done('outbox show', { id: welcome.id });
    expect(shown.html).toContain('Good to have you');
    expect(await refused('outbox show', { id: 'd999999' })).toBe(404);
  });

  it('triggers a rule by a date, at its hour', async () => {
    const { time } = await done('clock show');
    await done('event date', { rule: 1, subscriber: 5, at: time });
    expect(await refused('event date', { rule: 99, subscriber: 5, at: time })).toBe(404);
    await done('clock advance', { seconds: DAY });
    const sent = (await done('outbox list')).filter(
      ({ cause }: { cause: { rule_kind: string } }) => cause.rule_kind === 'date',
    );
    expect(sent).toHaveLength(1);
  });

  it('answers and reports an inbound SMS, and calls its URL only on this machine', async () => {
    const called: (string | undefined)[] = [];
    const listener = createServer((request, response) => {
      called.push(request.url);
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await sandbox.api('PUT', '/v1/smsAutomation/1', { notifyurl: `http://127.0.0.1:${port}/told` });
    const sms = { to: '447700900990', from: '447700900801', text: 'HARBOUR COFFEE' };
    expect(await done('event sms-in', sms)).toMatchObject({
      event: 'sms-in',
      company: 1,
      rules: [1],
      why: null,
      automations: [
        { rule: 'sms:1', name: 'Save a seat', matched: true, action: 'addtolist', done: true },
        { action: 'sms_autoresponder', done: false, queued: expect.any(Number) },
        { action: 'notifyemail', target: 'shop@harbourcoffee.example', done: true },
        { action: 'notifyurl', target: `http://127.0.0.1:${port}/told` },
      ],
    });
    await sandbox.api('PUT', '/v1/smsAutomation/1', { notifyurl: 'http://192.0.2.1/told' });
    await done('event sms-in', { ...sms, from: '447700900802' });
    await done('clock advance', { seconds: 1 });
    await expect.poll(async () => (await notified()).length).toBe(2);
    expect(called).toEqual([expect.stringMatching(/^\/told\?to=447700900990&from=447700900801&text=/)]);
    expect(await notified()).toEqual([
      expect.stringMatching(new RegExp(`^GET http://127\\.0\\.0\\.1:${port}/told\\?.*: 200$`)),
      expect.stringMatching(/^GET http:\/\/192\.0\.2\.1\/told\?.*: not sent/),
    ]);
    const answers = (await done('outbox list')).filter(
      ({ to, channel }: { to: string; channel: string }) => channel === 'sms' && to.startsWith('44770090080'),
    );
    expect(answers).toHaveLength(2);
    await new Promise((resolve) => listener.close(resolve));
  });
  const notified = async (): Promise<string[]> =>
    (await done('log list'))
      .filter(({ kind }: { kind: string }) => kind === 'notify')
      .map(({ text }: { text: string }) => text)
      .sort();

  it('three consecutive failed logins lock a user (interface, "Limits")', async () => {
    const fail = () => done('event failed-login', { username: 'tom' });
    expect([(await fail()).locked, (await fail()).locked, (await fail()).locked]).toEqual([
      false,
      false,
      true,
    ]);
    const shown = await sandbox.api('GET', '/v1/user/2');
    expect(shown.json.response.data.locked).toBe(true);
    expect(await refused('event failed-login', { username: 'nobody' })).toBe(404);
  });

  it.each([
    ['event open', { message: 999, subscriber: 1 }],
    ['event click', { link: 999, subscriber: 1 }],
    ['event subscribe', { list: 999, subscriber: 1 }],
    ['event unsubscribe', { task: 999, subscriber: 1 }],
  ])('%s is 404 for a missing record', async (operation, args) => {
    expect(await refused(operation, args)).toBe(404);
  });
});

describe('the clock', () => {
  it('stops, moves on request, and never goes back', async () => {
    const { time } = await done('clock show');
    expect(await done('clock show')).toMatchObject({ clock: 'manual', time, zone: 'Europe/London' });
    expect((await done('clock advance', { seconds: 90 })).time).toBe(time + 90);
    expect(await refused('clock set', { time })).toBe(409);
    expect((await done('clock set', { time: time + 100 })).time).toBe(time + 100);
  });

  it('run continues until no work is due', async () => {
    await done('clock run');
    expect((await done('status')).scheduled).toBe(0);
  });
});

describe('the end of time (attack L11)', () => {
  const LAST = 253_402_300_799;

  it('the clock stops at the end of the year 9999, and does not move if a request is refused', async () => {
    const own = await temporaryFolder();
    const other = await runSandbox(own.path, { clock: 'manual' });
    try {
      expect((await other.control('clock set', { time: LAST - 100 })).json.data.time).toBe(LAST - 100);
      for (const seconds of [101, 100 * 366 * DAY]) {
        const { status, json } = await other.control('clock advance', { seconds });
        expect([status, json.error.message]).toEqual([409, expect.stringMatching(/past the year 9999/)]);
        expect((await other.control('clock show')).json.data.time).toBe(LAST - 100);
      }
      expect((await other.control('clock advance', { seconds: 100 })).json.data.time).toBe(LAST);
      expect((await other.control('clock advance', { seconds: 1 })).status).toBe(409);
      expect((await other.control('clock set', { time: LAST + 1 })).status).toBe(400);
    } finally {
      await other.stop();
      await own.remove();
    }
  });
});
