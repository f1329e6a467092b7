import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { assignments } from '../../../src/sandbox/store/rows.ts';
import { advance } from '../../support/engine.ts';
import { putEmail, putList, putSms, putSubscriber, restrictSub, setAccount } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let list: number;
let email: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  email = await putEmail(sandbox);
});

const body = (more: object = {}) => ({
  channel: 'email',
  message_id: email,
  name: 'Campaign',
  scheduledtime: NOW + 600,
  list_id: list,
  search_id: null,
  ...more,
});
const post = (more: object = {}) => sandbox.send('admin', 'POST', '/v1/task', body(more));
const put = (id: unknown, change: object) => sandbox.send('admin', 'PUT', `/v1/task/${id}`, change);

/** Adds a field, three subscribers of whom two have Paris in it, and a search that finds these two. */
async function putSearch(): Promise<number> {
  const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
  for (const [index, value] of ['Paris', 'Rome', 'Paris'].entries()) {
    const id = await putSubscriber(sandbox, [], { email: `s${index}@example.net` });
    await sandbox.put('profile_data', { account_id: IDS.company, field_id: field, subscriber_id: id, value });
  }
  const search = { account_id: IDS.company, name: 'Parisians', field_id: field, equals: 'Paris', cdate: NOW };
  return sandbox.put('search', search);
}

describe('task POST', () => {
  it('schedules, with the statistics of its channel at 0 and the others null', async () => {
    await putSubscriber(sandbox, [list], { email: 'a@example.com' });
    const made = await post();
    expect([made.status, made.data]).toEqual([
      202,
      {
        id: 1,
        ...body(),
        cancelled: false,
        completed: false,
        emailuniquebounces: 0,
        emailuniqueclicks: 0,
        emailuniqueopens: 0,
        emailuniqueunsubscriptions: 0,
        emailuniquecomplaints: 0,
        smsuniquebounces: null,
        endtime: null,
        rate: null,
        size: 1,
        splittest_id: null,
        cdate: NOW,
      },
    ]);
  });

  it('schedules an SMS with the opposite statistics', async () => {
    const message_id = await putSms(sandbox);
    const made = await post({ channel: 'sms', message_id, rate: 100 });
    expect(made.data).toMatchObject({
      channel: 'sms',
      rate: 100,
      emailuniquebounces: null,
      emailuniqueclicks: null,
      emailuniqueopens: null,
      emailuniqueunsubscriptions: null,
      emailuniquecomplaints: null,
      smsuniquebounces: 0,
    });
  });

  it('"A scheduledtime earlier than the current Unix time is set to the current time"', async () => {
    expect((await post({ scheduledtime: NOW - 1 })).data).toMatchObject({ scheduledtime: NOW });
    expect(await sandbox.rows('task')).toMatchObject([{ due: NOW }]);
  });

  it('counts subscriptions with an address of the channel, including those that are left out later', async () => {
    const sms = await putSms(sandbox);
    await putSubscriber(sandbox, [list], { email: 'a@example.com' });
    await putSubscriber(sandbox, [list], { email: 'b@example.com', msisdn: '447700900001' });
    await putSubscriber(sandbox, [list], { email: 'c@example.com' }, { emailsuspended: 1 });
    await putSubscriber(sandbox, [], { email: 'd@example.com' });
    expect((await post()).data['size']).toBe(3);
    expect((await post({ channel: 'sms', message_id: sms })).data['size']).toBe(1);
  });

  it('counts subscribers whom a search finds', async () => {
    const search_id = await putSearch();
    expect((await post({ list_id: null, search_id })).data).toMatchObject({
      list_id: null,
      search_id,
      size: 2,
    });
  });

  it('makes the message used and not editable, and its links name the task', async () => {
    const html = '<a href="http://b.example">b</a>';
    await sandbox.send('admin', 'PUT', `/v1/emailMessage/${email}`, { html });
    const made = await post();
    expect((await sandbox.send('admin', 'GET', `/v1/emailMessage/${email}`)).data).toMatchObject({
      used: true,
      editable: false,
    });
    const links = await sandbox.send('admin', 'GET', `/v1/emailMessageLink?task_id=${made.data['id']}`);
    expect(links.list).toMatchObject([{ message_id: email, target: 'http://b.example' }]);
  });

  it.each([
    ['no channel', () => ({ channel: undefined }), ['channel']],
    ['no message_id', () => ({ message_id: undefined }), ['message_id']],
    ['no name', () => ({ name: undefined }), ['name']],
    ['no scheduledtime', () => ({ scheduledtime: undefined }), ['scheduledtime']],
    ['no list_id key', () => ({ list_id: undefined, search_id: 1 }), ['list_id']],
    ['no search_id key', () => ({ search_id: undefined }), ['search_id']],
    ['neither list nor search', () => ({ list_id: null }), ['search_id']],
    ['both list and search', () => ({ search_id: 1 }), ['search_id']],
    ['another channel', () => ({ channel: 'fax' }), ['channel']],
    ['an unknown message', () => ({ message_id: 99 }), ['message_id']],
    ['a message of the other channel', () => ({ channel: 'sms' }), ['message_id']],
    ['an unknown list', () => ({ list_id: 99 }), ['list_id']],
    ['an unknown search', () => ({ list_id: null, search_id: 99 }), ['search_id']],
    [
      'an unknown message and an unknown list: both faults at once',
      () => ({ message_id: 99, list_id: 99 }),
      ['message_id', 'list_id'],
    ],
    ['a rate of 0', () => ({ rate: 0 }), ['rate']],
    ['milliseconds', () => ({ scheduledtime: NOW * 1000 }), ['scheduledtime']],
    ['a read-only attribute', () => ({ size: 5 }), ['size']],
    ['cancelled', () => ({ cancelled: true }), ['cancelled']],
  ])('rejects %s with 400, and schedules nothing', async (_, more, attributes) => {
    const refused = await post(more());
    expect(refused.status).toBe(400);
    const faults = refused.response['additional_information'] as { attribute: string }[];
    expect(faults.map(({ attribute }) => attribute)).toEqual(attributes);
    expect(await sandbox.rows('task')).toEqual([]);
    expect(await sandbox.rows('email_message')).toMatchObject([{ used: 0, editable: 1 }]);
  });

  it('400 for a deleted message and for those of another company', async () => {
    const deleted = await putEmail(sandbox, { deleted: 1 });
    const foreign = await putEmail(sandbox, { account_id: IDS.other });
    const foreignList = await putList(sandbox, { account_id: IDS.other });
    for (const more of [{ message_id: deleted }, { message_id: foreign }, { list_id: foreignList }])
      expect((await post(more)).status).toBe(400);
    expect(await sandbox.rows('task')).toEqual([]);
  });

  it.each([
    ['enableemail', 'email'],
    ['enablesendbulkemail', 'email'],
    ['enablesms', 'sms'],
    ['enablesendbulksms', 'sms'],
  ])(
    '403 with the name %s while it is false, and the other channel still sends',
    async (feature, channel) => {
      const ids: Readonly<Record<string, number>> = { email, sms: await putSms(sandbox) };
      await setAccount(sandbox, { [feature]: 0 });
      const refused = await post({ channel, message_id: ids[channel] });
      expect([refused.status, refused.response['message']]).toEqual([403, expect.stringContaining(feature)]);
      expect(await sandbox.rows('task')).toEqual([]);
      const other = channel === 'email' ? 'sms' : 'email';
      expect((await post({ channel: other, message_id: ids[other] })).status).toBe(202);
    },
  );

  it('403 for a user who may not view the message, or not the list', async () => {
    const folder = await restrictSub(sandbox);
    const ownMessage = await putEmail(sandbox, { user_id: IDS.sub });
    const ownList = await putList(sandbox, { folder_id: folder });
    const as = (more: object) => sandbox.send('sub', 'POST', '/v1/task', body(more));
    expect((await as({ message_id: email, list_id: ownList })).status).toBe(403);
    expect((await as({ message_id: ownMessage, list_id: list })).status).toBe(403);
    expect(await sandbox.rows('task')).toEqual([]);
    expect((await as({ message_id: ownMessage, list_id: ownList })).status).toBe(202);
  });
});

// Protocol, "Restricted users": a task of such a user reaches only people whom the user sees.
describe('a task to a search by a user who is restricted to a folder', () => {
  let search: number;
  let message: number;
  let names: Readonly<Record<number, string>>;
  beforeEach(async () => {
    const folder = await restrictSub(sandbox);
    const [seen, hidden] = [await putList(sandbox, { folder_id: folder }), await putList(sandbox)];
    message = await putEmail(sandbox, { user_id: IDS.sub });
    const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
    names = {};
    for (const [name, lists] of Object.entries({
      hidden: [hidden],
      both: [hidden, seen],
      seen: [seen],
      none: [],
    })) {
      const id = await putSubscriber(sandbox, lists, { email: `${name}@example.com` });
      await sandbox.put('profile_data', {
        account_id: 1,
        field_id: field,
        subscriber_id: id,
        value: 'Paris',
      });
      names = { ...names, [id]: name };
    }
    search = await sandbox.put('search', {
      ...{ account_id: IDS.company, name: 'Parisians', field_id: field, equals: 'Paris', cdate: NOW },
    });
  });
  const toSearch = () => ({ message_id: message, list_id: null, search_id: search });
  const sentTo = async () => {
    await advance(sandbox, 3600);
    return (await sandbox.rows('task_recipient')).map((row) => names[Number(row['subscriber_id'])]);
  };

  it('counts them and sends to them', async () => {
    const made = await sandbox.send('sub', 'POST', '/v1/task', body(toSearch()));
    expect([made.status, made.data['size']]).toEqual([202, 3]);
    expect(await sentTo()).toEqual(['both', 'seen', 'none']);
    expect((await sandbox.send('sub', 'GET', '/v1/task/1')).data['completed']).toBe(true);
  });

  it('also if the user was restricted after the task was made, or the admin changes it', async () => {
    await sandbox.service.store.db.run(sql`delete from folder_access`);
    const made = await sandbox.send('sub', 'POST', '/v1/task', body(toSearch()));
    expect(made.data['size']).toBe(4);
    await restrictSub(sandbox);
    await put(made.data['id'], { name: 'Renamed' });
    expect(await sentTo()).toEqual(['none']);
  });

  it('the task of an unrestricted user reaches all', async () => {
    expect((await post(toSearch())).data['size']).toBe(4);
    expect(await sentTo()).toEqual(['hidden', 'both', 'seen', 'none']);
  });

  it('403 for another search in a task of another user, which would reach all', async () => {
    const made = await post({ message_id: message });
    const change = { list_id: null, search_id: search };
    const refused = await sandbox.send('sub', 'PUT', `/v1/task/${made.data['id']}`, change);
    expect([refused.status, refused.response['message']]).toEqual([
      403,
      'Task 1 was made by another user, who may reach other people',
    ]);
    expect((await sandbox.send('sub', 'PUT', `/v1/task/${made.data['id']}`, { name: 'X' })).status).toBe(200);
    expect(await sandbox.rows('task')).toMatchObject([{ list_id: list, search_id: null, name: 'X' }]);
  });
});

describe('task PUT', () => {
  it('changes name and scheduledtime of a scheduled one', async () => {
    const { id } = (await post()).data;
    const changed = await put(id, { name: 'Later', scheduledtime: NOW + 1200 });
    expect([changed.status, changed.data]).toMatchObject([200, { name: 'Later', scheduledtime: NOW + 1200 }]);
    expect(await sandbox.rows('task')).toMatchObject([{ due: NOW + 1200, cancelled: 0 }]);
  });

  it('changes a past scheduledtime to now', async () => {
    const { id } = (await post()).data;
    await sandbox.at(60);
    expect((await put(id, { scheduledtime: NOW })).data).toMatchObject({ scheduledtime: NOW + 60 });
  });

  it('"cancelled=true: endtime is set", and the task is never due again', async () => {
    const { id } = (await post()).data;
    await sandbox.at(60);
    const cancelled = await put(id, { cancelled: true });
    expect(cancelled.data).toMatchObject({ cancelled: true, completed: false, endtime: NOW + 60 });
    expect(await sandbox.rows('task')).toMatchObject([{ due: null }]);
  });

  it.each([[{ cancelled: false }], [{}]])('%j on a scheduled one changes nothing', async (change) => {
    const { id } = (await post()).data;
    const before = await sandbox.rows('task');
    expect((await put(id, change)).status).toBe(200);
    expect(await sandbox.rows('task')).toEqual(before);
  });

  it.each([
    ['completed', { completed: 1, endtime: NOW, due: null }],
    ['cancelled', { cancelled: 1, endtime: NOW, due: null }],
  ])('409 for any PUT once it is %s', async (state, row) => {
    const { id } = (await post()).data;
    await sandbox.service.store.db.run(sql`update task set ${assignments(row)}`);
    const before = await sandbox.rows('task');
    for (const change of [{ cancelled: true }, { name: 'Other' }, {}]) {
      const refused = await put(id, change);
      expect([refused.status, refused.response]).toMatchObject([
        409,
        { subcode: null, message: `Task ${id} is ${state}` },
      ]);
    }
    expect(await sandbox.rows('task')).toEqual(before);
  });

  it('counts `size` again after a new list or search, and only then', async () => {
    const { id } = (await post()).data;
    const other = await putList(sandbox);
    await putSubscriber(sandbox, [list, other], { email: 'a@example.com' });
    expect((await put(id, { name: 'Same' })).data['size']).toBe(0);
    expect((await put(id, { list_id: other })).data).toMatchObject({ list_id: other, size: 1 });
    const search_id = await putSearch();
    expect((await put(id, { list_id: null, search_id })).data).toMatchObject({
      list_id: null,
      search_id,
      size: 2,
    });
  });

  it.each([
    ['a search in addition to the list', { search_id: 1 }, 'search_id'],
    ['a removed list', { list_id: null }, 'search_id'],
    ['an unknown list', { list_id: 99 }, 'list_id'],
    ['an unknown search', { list_id: null, search_id: 99 }, 'search_id'],
    ['another message', { message_id: 99 }, 'message_id'],
    ['a rate', { rate: 10 }, 'rate'],
    ['milliseconds', { scheduledtime: NOW * 1000 }, 'scheduledtime'],
  ])('rejects %s with 400 and changes nothing', async (_, change, attribute) => {
    const { id } = (await post()).data;
    const before = await sandbox.rows('task');
    const refused = await put(id, { name: 'Other', ...change });
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toMatchObject([{ attribute }]);
    expect(await sandbox.rows('task')).toEqual(before);
  });

  it('permits only cancelling during the send, not another list or a later time', async () => {
    const { id } = (await post()).data;
    const other = await putList(sandbox);
    await sandbox.service.store.db.run(sql`update task set started = 1`);
    expect((await put(id, { list_id: other })).status).toBe(409);
    expect((await put(id, { scheduledtime: NOW + 9000 })).status).toBe(409);
    expect((await put(id, { cancelled: true })).data).toMatchObject({ cancelled: true, list_id: list });
  });

  it('404 for a task that the user does not see', async () => {
    await restrictSub(sandbox);
    const { id } = (await post()).data;
    expect((await sandbox.send('sub', 'PUT', `/v1/task/${id}`, { cancelled: true })).status).toBe(404);
    expect((await sandbox.send('other', 'PUT', `/v1/task/${id}`, { cancelled: true })).status).toBe(404);
    expect(await sandbox.rows('task')).toMatchObject([{ cancelled: 0 }]);
  });
});

describe('task GET and HEAD', () => {
  it('filters by cancelled, channel, completed, list_id, message_id and name', async () => {
    const { id } = (await post({ name: 'A' })).data;
    const [otherList, sms] = [await putList(sandbox), await putSms(sandbox, { id: 77 })];
    const other = await post({ name: 'B', channel: 'sms', message_id: sms, list_id: otherList });
    await put(other.data['id'], { cancelled: true });
    for (const query of [
      'cancelled=false',
      'channel=email',
      `list_id=${list}`,
      `message_id=${email}`,
      'name=A',
    ]) {
      expect(
        (await sandbox.send('admin', 'GET', `/v1/task?${query}`)).list.map((task) => task['id']),
      ).toEqual([id]);
      expect((await sandbox.send('admin', 'HEAD', `/v1/task?${query}`)).status).toBe(200);
    }
    expect((await sandbox.send('admin', 'HEAD', '/v1/task?completed=true')).status).toBe(404);
    expect((await sandbox.send('admin', 'GET', '/v1/task?size=0')).status).toBe(400);
  });

  it('"A user who may not view all messages sees only tasks whose message was created by that user"', async () => {
    await restrictSub(sandbox);
    const own = await putEmail(sandbox, { user_id: IDS.sub });
    await post();
    const { id } = (await post({ message_id: own })).data;
    expect((await sandbox.send('sub', 'GET', '/v1/task')).list.map((task) => task['id'])).toEqual([id]);
    expect((await sandbox.send('sub2', 'GET', '/v1/task')).list).toHaveLength(2);
  });
});

it('task DELETE is unsupported', async () => {
  const { id } = (await post()).data;
  const refused = await sandbox.send('admin', 'DELETE', `/v1/task/${id}`);
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, POST, PUT']);
  expect(await sandbox.rows('task')).toHaveLength(1);
});
