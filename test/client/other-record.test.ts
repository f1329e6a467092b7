/**
 * Second attack M8: a response about another record, as of a cache or of a faulty gateway, is never taken for the response to the request
 * (contract, "Safety"). Here a proxy lets the sandbox act or not, and puts another record into the response. The rows of the sandbox decide.
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/requests/client.ts';
import type { Method } from '../../src/kit/schema/resource.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { doNotContact } from '../../src/service/resources/do-not-contact.ts';
import { emailMessage } from '../../src/service/resources/email-message.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { sms } from '../../src/service/resources/sms.ts';
import { smsAutomation } from '../../src/service/resources/sms-automation.ts';
import { subscriberProfileData } from '../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../src/service/resources/task.ts';
import { CALLS, type Call, SINGLE } from '../support/client-calls.ts';
import { withEverything } from '../support/everything.ts';
import { IDS, KEYS, NOW, type TestSandbox } from '../support/sandbox.ts';
import { clientOn, no, ok, virtualClock } from './fakes.ts';

const COMPANY = {
  kind: 'company',
  companyId: IDS.company,
  userId: IDS.admin,
  apiKey: KEYS.company,
} as const;
const PARTNER = {
  kind: 'partner',
  partnerId: IDS.partner,
  apiKey: KEYS.partner,
  companyId: IDS.company,
} as const;

/** Another record of the resource: one that no test sandbox has. */
const otherOf = (name: string) => ({ id: name === 'subscriberProfileData' ? '7_4711' : 4711, name: 'Other' });

/** Answers the first request of this method with `data`. `acts`: the service has carried out the request nevertheless. */
function misanswering(sandbox: TestSandbox, method: Method, data: unknown, acts: boolean) {
  const sent: string[] = [];
  const transport: Transport = async (request) => {
    const isFirst = request.method === method && !sent.some((line) => line.startsWith(method));
    sent.push(`${request.method} ${request.path}`);
    if (!isFirst) return sandbox.service.handle(request);
    if (acts) expect((await sandbox.service.handle(request)).status).toBeLessThan(300);
    return ok(data);
  };
  return { transport, countOf: (own: Method) => sent.filter((line) => line.startsWith(own)).length };
}

const run = (call: Call, transport: Transport) =>
  call.run(
    createClient({
      credentials: call.isPartner ? PARTNER : COMPANY,
      transport,
      random: randomBytes,
      clock: virtualClock(NOW * 1000),
    }),
  );

async function rowsOf(sandbox: TestSandbox, { resource: { name }, method }: Call) {
  if (name === 'account' && method === 'POST') return sandbox.rows('account');
  const query = name === 'subscriberProfileData' ? '?subscriber_id=1' : '';
  return (await sandbox.send('admin', 'GET', `/v1/${name}${query}`)).list;
}

const recordOf = async (sandbox: TestSandbox, { resource: { name }, id }: Call) =>
  (await sandbox.send('admin', 'GET', `/v1/${name}${id === undefined ? '' : `/${id}`}`)).data;

const callsOf = (method: Method) =>
  CALLS.filter((call) => call.method === method).map(
    (call) => [`${call.resource.name} ${JSON.stringify(call.body ?? {})}`, call] as const,
  );

/** Returns how messages name a record: `automation click:1`. */
const titleOf = ({ resource: { noun, variant } }: Call, id: unknown) =>
  `${noun} ${variant === undefined ? '' : `${variant}:`}${String(id)}`;

describe('a GET by id, or of the one record of a company, is an error', () => {
  const reads = callsOf('GET').filter(
    ([, { resource, id }]) => id !== undefined || SINGLE.includes(resource.name),
  );

  it('in every resource', () => {
    const names = reads.map(([, { resource }]) => resource.name);
    expect(names.sort()).toEqual(catalogue.map(({ name }) => name).sort());
  });

  it.each(reads)('%s', async (_name, call) => {
    const sandbox = await withEverything();
    const other = otherOf(call.resource.name);
    const { transport, countOf } = misanswering(sandbox, 'GET', other, true);
    await expect(run(call, transport)).rejects.toMatchObject({
      kind: 'not-ours',
      message: expect.stringMatching(
        new RegExp(
          `^GET /v1/.*: the response is about ${titleOf(call, other.id)}( \\(Other\\))?, not ${titleOf(call, call.id ?? IDS.company)}$`,
        ),
      ),
    });
    expect(countOf('GET')).toBe(1);
  });
});

describe('a POST is looked up', () => {
  it.each(callsOf('POST'))('%s: the response is about an older record', async (_name, call) => {
    const sandbox = await withEverything();
    const [older] = await rowsOf(sandbox, { ...call, method: 'GET' });
    await judge(sandbox, call, older);
    const [same = {}] = (await rowsOf(sandbox, { ...call, method: 'GET' })).slice(0, 1);
    expect(same).toEqual(older);
  });

  // The highest id before the POST shows that the twin is older.
  it.each(callsOf('POST').filter(([, { resource }]) => resource.inDoubt === 'note-first'))(
    '%s: the response is about its older twin',
    async (_name, call) => {
      const sandbox = await withEverything();
      const twin = await sandbox.send('admin', 'POST', `/v1/${call.resource.name}`, call.body);
      await judge(sandbox, call, twin.data);
    },
  );

  async function judge(sandbox: TestSandbox, call: Call, other: unknown): Promise<void> {
    const { resource } = call;
    const before = await rowsOf(sandbox, call);
    // The service does nothing. An entry of Do Not Contact or a value is then sent again, which does no harm.
    const lost = misanswering(sandbox, 'POST', other, false);
    const isRepeatable = resource.inDoubt === 'send-again';
    if (!isRepeatable) {
      await expect(run(call, lost.transport)).rejects.toMatchObject({
        kind: 'unknown',
        message: expect.stringContaining(`the response is about ${titleOf(call, Object(other).id)}`),
      });
      expect([lost.countOf('POST'), await rowsOf(sandbox, call)]).toEqual([1, before]);
    }
    // The service acts. A new account can't be looked up.
    const done = misanswering(sandbox, 'POST', other, true);
    const result = await run(call, done.transport).catch((error: unknown) => error);
    const after = await rowsOf(sandbox, call);
    const made = after.filter(({ id }) => !before.some((row) => row['id'] === id));
    expect([done.countOf('POST'), made.length]).toEqual([1, 1]);
    if (resource.identifiedBy.length === 0) expect(result).toMatchObject({ kind: 'unknown' });
    else expect(result).toEqual(made[0]);
  }

  it.each(callsOf('POST').filter(([, { resource }]) => resource.inDoubt === 'send-again'))(
    '%s: sent again if the look-up finds nothing',
    async (_name, call) => {
      const sandbox = await withEverything();
      const [older] = await rowsOf(sandbox, call);
      const { transport, countOf } = misanswering(sandbox, 'POST', older, false);
      expect(await run(call, transport)).toMatchObject({ id: expect.anything() });
      expect(countOf('POST')).toBe(2);
    },
  );
});

describe('a PUT by id', () => {
  it.each(callsOf('PUT'))('%s: done if the record has the values', async (_name, call) => {
    const sandbox = await withEverything();
    const other = otherOf(call.resource.name);
    const { transport, countOf } = misanswering(sandbox, 'PUT', [other], true);
    expect(await run(call, transport)).toMatchObject({ id: call.id, ...call.body });
    expect([countOf('PUT'), countOf('GET')]).toEqual([1, 1]);
    expect(await recordOf(sandbox, call)).toMatchObject({ ...call.body });
  });

  it.each(callsOf('PUT'))('%s: exit 10 with both ids if it has not', async (_name, call) => {
    const sandbox = await withEverything();
    const before = await recordOf(sandbox, call);
    const other = otherOf(call.resource.name);
    const { transport, countOf } = misanswering(sandbox, 'PUT', [other], false);
    const error = await run(call, transport).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'unknown' });
    expect(String(error)).toMatch(
      new RegExp(`about ${titleOf(call, other.id)}.*, not ${titleOf(call, call.id)}`),
    );
    expect([countOf('PUT'), await recordOf(sandbox, call)]).toEqual([1, before]);
  });
});

describe('a DELETE by id', () => {
  it.each(callsOf('DELETE'))('%s: done if the record is gone', async (_name, call) => {
    const sandbox = await withEverything();
    const { transport, countOf } = misanswering(sandbox, 'DELETE', otherOf(call.resource.name), true);
    expect(await run(call, transport)).toEqual([call.id]);
    expect([countOf('DELETE'), countOf('GET')]).toEqual([1, 1]);
  });

  it.each(callsOf('DELETE'))('%s: exit 10 with both ids if it still exists', async (_name, call) => {
    const sandbox = await withEverything();
    const other = otherOf(call.resource.name);
    const { transport, countOf } = misanswering(sandbox, 'DELETE', [other], false);
    const error = await run(call, transport).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'unknown' });
    expect(String(error)).toContain(
      `about ${titleOf(call, other.id)}, not ${titleOf(call, call.id)}, which still exists`,
    );
    expect(countOf('DELETE')).toBe(1);
  });

  // Wire, "Responses": DELETE gives what was removed, `{"id":…}` or an array of such objects. Our own client accepts more.
  it.each([
    ['the id', { id: 5 }, [5]],
    ['the id as text', [{ id: '5' }], ['5']],
    ['the whole record', [{ id: 5, name: 'News' }], [5]],
    ['no record', [], []],
    ['no id', {}, []],
  ])('accepts a response with %s', async (_name, data, ids) => {
    const { client, sent } = clientOn([ok(data)]);
    expect(await client.remove(folder, { id: 5 })).toEqual(ids);
    expect(sent).toHaveLength(1);
  });
});

// Interface, task: "A scheduledtime earlier than the current Unix time is set to the current time."
describe('a cancellation that is answered with another task', () => {
  it.each([
    ['is done if the task is cancelled', true],
    ['is unknown if it is not', false],
  ])('%s', async (_name, acts) => {
    const sandbox = await withEverything();
    const call: Call = {
      resource: task,
      method: 'PUT',
      id: 1,
      run: (client) => client.update(task, 1, { cancelled: true }),
    };
    const cancelled = { ...otherOf('task'), cancelled: true };
    const { transport } = misanswering(sandbox, 'PUT', [cancelled], acts);
    const result = await run(call, transport).catch((caught: unknown) => caught);
    expect(result).toMatchObject(acts ? { id: 1, cancelled: true } : { kind: 'unknown' });
    expect(await recordOf(sandbox, call)).toMatchObject({ cancelled: acts });
  });
});

// A deployment may write values otherwise than they were sent. That is no other record.
describe('the record of a POST may differ from the body', () => {
  const TASK = {
    name: 'Sale',
    channel: 'email',
    message_id: 1,
    list_id: 7,
    search_id: null,
    scheduledtime: NOW + 7200,
  };
  const KEYWORD_RULE = { name: 'Rule', keyword: 'sale', list_id: 1, summary: null };
  it.each([
    ['numbers as text', task, TASK, { message_id: '1', list_id: '7', scheduledtime: String(NOW + 7200) }],
    ['a decimal', task, TASK, { scheduledtime: `${NOW + 7200}.0` }],
    ['a past time, set to now', task, { ...TASK, scheduledtime: NOW - 600 }, { scheduledtime: NOW }],
    ['white space removed', task, { ...TASK, name: ' Sale ' }, { name: 'Sale' }],
    ['another form of Unicode', task, { ...TASK, name: 'Cafe\u0301' }, { name: 'Caf\u00e9' }],
    [
      'a number without +, line ends, and the time of a send at once',
      sms,
      { msisdn: '+44 7700 900123', fromaddress: '+447700900000', message: 'a\r\nb', senddate: null },
      { msisdn: '447700900123', fromaddress: '447700900000', message: 'a\nb', senddate: NOW },
    ],
    ['a domain in lower case', doNotContact, { contactdata: 'Example.ORG' }, { contactdata: 'example.org' }],
    [
      'an address in lower case',
      emailMessage,
      { name: 'N', subject: 'S', fromname: 'F', replyemail: 'Office@Example.com' },
      { replyemail: 'office@example.com' },
    ],
    ['a keyword in capitals', smsAutomation, KEYWORD_RULE, { keyword: 'SALE' }],
    ['attributes that no table has', task, TASK, { extra: { a: 1 } }],
    ['attributes left out', task, TASK, { name: undefined, channel: undefined }],
  ] as const)('%s', async (_name, resource, body, differing) => {
    const record = { id: 31, cdate: NOW, ...body, ...differing };
    const { client, sent } = clientOn([no(404), ok(record, null, 202)], {
      clock: virtualClock(NOW * 1000),
    });
    const isNoted = resource.inDoubt === 'note-first';
    if (!isNoted) await client.find(resource, {});
    expect(await client.create(resource, body)).toEqual(JSON.parse(JSON.stringify(record)));
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['no id', { id: undefined }],
    ['an older id', { id: 30 }],
    ['an older id, as text', { id: '30' }],
    ['another name', { name: 'Sales' }],
    ['another list', { list_id: 8 }],
    ['a search', { search_id: 3 }],
    ['another message', { message_id: 2 }],
    ['the other channel', { channel: 'sms' }],
    ['another time', { scheduledtime: NOW + 7260 }],
  ])('but not by %s', async (_name, differing) => {
    const record = { id: 31, cdate: NOW, ...TASK };
    const { client } = clientOn(
      [ok([{ ...TASK, id: 30 }]), ok({ ...record, ...differing }), ok([record, { ...TASK, id: 30 }])],
      { clock: virtualClock(NOW * 1000) },
    );
    const written = await client.send({ method: 'POST', resource: task, body: TASK });
    expect(written).toEqual({ record, recovered: true });
  });

  it('and ids beyond 2^53 keep every digit', async () => {
    const [older, newer] = ['9007199254740992', '9007199254740993'];
    const row = (id: string) =>
      `{"status":"ok","response":{"count":1,"next":null,"data":[${JSON.stringify({ ...TASK, cdate: NOW, id: 0 }).replace('"id":0', `"id":${id}`)}]}}`;
    const reply = (id: string) => ({ status: 200, headers: {}, body: row(id) });
    const { client } = clientOn([reply(older), reply(newer)], { clock: virtualClock(NOW * 1000) });
    expect(await client.create(task, TASK)).toMatchObject({ id: 9_007_199_254_740_993n });
    const read = clientOn([reply(older)]);
    await expect(read.client.get(task, 9_007_199_254_740_993n)).rejects.toMatchObject({ kind: 'not-ours' });
  });
});

// The caller of `stateBeforePost` stores what `create` then compares.
it.each(['look', 'give-up'] as const)(
  'compares with the state that the caller gives (%s)',
  async (ifOutcomeUnknown) => {
    const body = { msisdn: '447700900123', fromaddress: 'Shop', message: 'Hi', senddate: null };
    const record = { ...body, id: 30, cdate: NOW };
    const { client, sent } = clientOn([ok(record), no(404)], { clock: virtualClock(NOW * 1000) });
    const made = client.create(sms, body, { ifOutcomeUnknown, stateBefore: { above: 30 } });
    await expect(made).rejects.toMatchObject({ kind: 'unknown' });
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
  },
);

// Interface, subscriberProfileData: the id is made of both ids.
it.each([
  ['another subscriber', '3_18', 'unknown'],
  ['leading zeros', '3_017', undefined],
])('a PUT by its pair of ids is compared by the composite id: %s', async (_name, id, kind) => {
  const body = { subscriberprofilefield_id: 3, subscriber_id: 17, value: 'red' };
  const { client } = clientOn([ok([{ ...body, id }]), no(404)]);
  const result = await client.update(subscriberProfileData, undefined, body).catch((error: unknown) => error);
  expect(result).toMatchObject(kind === undefined ? { id } : { kind });
});

// Wire, "Responses": a GET by id gives an object; our client accepts an array of one.
it.each([
  ['several records', [{ id: 5 }, { id: 6 }]],
  ['no record', []],
  ['a record without an id', { name: 'News' }],
  ['a record with null as its id', { id: null }],
])('a GET by id that gives %s is an error', async (_name, data) => {
  const { client } = clientOn([ok(data)]);
  await expect(client.get(folder, 5)).rejects.toMatchObject({ kind: 'not-ours' });
});
