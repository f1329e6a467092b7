import { describe, expect, it } from 'vitest';
import type { RequestWait } from '../../../src/client/requests/connection.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { CreateOptions } from '../../../src/client/requests/write.ts';
import type { Values } from '../../../src/kit/schema/resource.ts';
import { account } from '../../../src/service/resources/account.ts';
import { doNotContact } from '../../../src/service/resources/do-not-contact.ts';
import { folder } from '../../../src/service/resources/folder.ts';
import { sms } from '../../../src/service/resources/sms.ts';
import { subscriberProfileData } from '../../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../../src/service/resources/task.ts';
import { openAutomation } from '../../../src/service/resources/timed-automations.ts';
import { answer, BEGIN, clientOn, lost, no, notSent, ok, type Reply, timedOut } from '../fakes.ts';

const NOW = BEGIN / 1000;
const at = (offset = 0) => ({ date: new Date(BEGIN + offset).toUTCString() });
const dated = (reply: ReturnType<typeof ok>) => ({ ...reply, headers: at() });
const none = dated(no(404));

const TASK = {
  name: 'Spring sale',
  channel: 'email',
  message_id: 4,
  list_id: 7,
  search_id: null,
  scheduledtime: NOW + 3600,
};
const SMS = { msisdn: '447700900123', fromaddress: 'Example', message: 'Doors open' };
const made = (body: object, id: number, more = {}) => ({ ...body, id, cdate: NOW, ...more });

const lines = (sent: readonly { readonly method: string; readonly path: string; readonly query: string }[]) =>
  sent.map(({ method, path, query }) => `${method} ${path}${query === '' ? '' : `?${query}`}`);
const posts = (sent: readonly { readonly method: string }[]) =>
  sent.filter(({ method }) => method === 'POST').length;

function creating(
  resource: Parameters<ReturnType<typeof clientOn>['client']['create']>[0],
  body: Parameters<ReturnType<typeof clientOn>['client']['create']>[1],
  replies: readonly Reply[],
  options: Parameters<typeof clientOn>[1] = {},
  create: CreateOptions = {},
) {
  const setting = clientOn(replies, options);
  const recovered: unknown[] = [];
  const result = setting.client.send({ method: 'POST', resource, body, options: create }).then((written) => {
    if (written.recovered) recovered.push(written.record);
    return written.record;
  });
  return { ...setting, result, recovered };
}

// Contract, "Safety": the client waits, then looks for the record that the POST would have made, and adopts it if found.
describe('a processed POST without a response', () => {
  it.each<readonly [string, Reply]>([
    ['cut', lost],
    ['timed out', timedOut],
    ['500', no(500)],
    ['503', answer(503, '<h1>')],
    ['a successful response cut short', answer(202, '{"status":"ok","resp')],
  ])('%s finds the task, which is sent once', async (_name, reply) => {
    const row = made(TASK, 31);
    const { result, sent, clock, recovered } = creating(task, TASK, [none, reply, dated(ok([row]))]);
    expect(await result).toEqual(row);
    expect(recovered).toEqual([row]);
    const filters = 'name=Spring+sale&channel=email&message_id=4&list_id=7';
    expect(lines(sent)).toEqual([
      `GET /v1/task?${filters}&sort=id&reverse=true&count=1`,
      'POST /v1/task',
      `GET /v1/task?${filters}&sort=id&reverse=true&count=50`,
    ]);
    expect(clock.slept).toEqual([2000]);
  });

  it('is found after the first look-up at the end of settle, 2 s more than the time-out of a call', async () => {
    const row = made(SMS, 31);
    const { result, clock } = creating(sms, SMS, [none, lost, none, dated(ok([row]))], { timeout: 30_000 });
    expect(await result).toEqual(row);
    expect(clock.slept).toEqual([2000, 30_000]);
  });

  it('is looked up after the settle time of the caller', async () => {
    const { result, clock } = creating(sms, SMS, [none, lost, none], { settle: 500 });
    await expect(result).rejects.toMatchObject({ kind: 'unknown' });
    expect(clock.slept).toEqual([500]);
  });

  it('is found by the last look-up, even if an earlier one failed', async () => {
    const row = made(SMS, 31);
    const first = creating(sms, SMS, [none, lost, answer(200, '<h1>'), dated(ok([row]))]);
    expect(await first.result).toEqual(row);
    const { result, sent } = creating(sms, SMS, [none, lost, answer(200, '<h1>')]);
    await expect(result).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(
        /; the lookup failed \(.*not.*JSON.*\)\. Check whether the record exists before you repeat the request$/,
      ),
    });
    expect(posts(sent)).toBe(1);
  });

  it('is reported while the client waits until the end of settle, and when that is over', async () => {
    const events: unknown[] = [];
    const onWait = (wait: RequestWait) => {
      if (wait.kind === 'settle') events.push(wait);
      return () => wait.kind === 'settle' && events.push('over');
    };
    const { result } = creating(sms, SMS, [none, lost, none], { onWait, settle: 500 });
    await expect(result).rejects.toMatchObject({ kind: 'unknown' });
    const about = { method: 'POST', path: '/v1/sms', hasUncertainAttempt: true };
    expect(events).toEqual([{ ...about, kind: 'settle', until: BEGIN + 500 }, 'over']);
  });

  it('is found without a listener for reports', async () => {
    const row = made(SMS, 31);
    const { client } = clientOn([none, lost, dated(ok([row]))]);
    expect(await client.create(sms, SMS)).toEqual(row);
  });

  it('is not looked up if a response arrived', async () => {
    const { result, sent, recovered } = creating(sms, SMS, [none, notSent, ok(made(SMS, 5), null, 202)]);
    expect(await result).toMatchObject({ id: 5 });
    expect([posts(sent), sent.length, recovered]).toEqual([2, 3, []]);
  });
});

describe('the baseline before the POST', () => {
  it('ignores a record with an id that is not above the highest recorded one', async () => {
    const before = dated(ok([made(SMS, 30)]));
    const { result, sent } = creating(sms, SMS, [before, lost, before]);
    await expect(result).rejects.toMatchObject({ kind: 'unknown' });
    expect(posts(sent)).toBe(1);
  });

  it('ignores a folder that is older than the attempt, by the clock of the service', async () => {
    const body = { name: 'News' };
    const old = { name: 'News', id: 9, cdate: NOW - 4 };
    const looks = [2000, 62_000].map((passed) => ({ ...ok([old]), headers: at(passed) }));
    await expect(creating(folder, body, [lost, ...looks]).result).rejects.toMatchObject({ kind: 'unknown' });
    const fresh = { ...old, cdate: NOW };
    expect(await creating(folder, body, [lost, dated(ok([fresh]))]).result).toEqual(fresh);
  });

  it.each([
    ['forwards', 0, 100_000],
    ['back', 100_000, 0],
  ])('uses the earlier time if the clock was moved %s meanwhile', async (_name, before, after) => {
    const row = made({ name: 'News' }, 9);
    const replies = [{ ...none, headers: at(before) }, lost, { ...ok([row]), headers: at(after) }];
    const { client } = clientOn(replies);
    await client.find(folder, {});
    expect(await client.create(folder, { name: 'News' })).toEqual(row);
  });

  it('ignores every folder if the service sends no time', async () => {
    const { result } = creating(folder, { name: 'News' }, [lost, ok([{ name: 'News', id: 9, cdate: NOW }])]);
    await expect(result).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('can come from a journal, instead of the look-up before the POST', async () => {
    const create = { stateBefore: { above: 30, since: NOW - 5 } };
    const { result, sent } = creating(sms, SMS, [lost, ok([made(SMS, 31), made(SMS, 30)])], {}, create);
    expect(await result).toMatchObject({ id: 31 });
    expect(lines(sent)[0]).toBe('POST /v1/sms');
  });
});

// Wire and interface: the ways in which the service may return the sent values.
describe('a row matches', () => {
  it.each<readonly [string, boolean, object, object]>([
    ['as sent', true, {}, {}],
    ['number with a plus', true, { msisdn: '+447700900123' }, {}],
    ['text with other line ends', true, { message: 'a\r\nb ' }, { message: 'a\nb' }],
    ['another text', false, {}, { message: 'Doors opened' }],
    ['another sender', false, {}, { fromaddress: 'Other' }],
    ['at once, null', true, { senddate: null }, { senddate: null }],
    ['at once, with the time of its creation', true, { senddate: null }, { senddate: NOW }],
    ['at once, but the row is for later', false, { senddate: null }, { senddate: NOW + 600 }],
    ['a past time is now', true, { senddate: NOW - 3 }, { senddate: NOW }],
    ['the same time', true, { senddate: NOW + 600 }, { senddate: NOW + 600 }],
    ['the same time as text', true, { senddate: NOW + 600 }, { senddate: String(NOW + 600) }],
    ['another time', false, { senddate: NOW + 600 }, { senddate: NOW + 601 }],
  ])('%s: %s', async (_name, isIt, sent, given) => {
    const body = { ...SMS, ...sent };
    const row = made({ ...SMS, ...given }, 31);
    const { result } = creating(sms, body, [none, lost, dated(ok([row]))]);
    if (isIt) expect(await result).toEqual(row);
    else await expect(result).rejects.toMatchObject({ kind: 'unknown' });
  });
});

// Contract, "Safety": every other case exits 10 and says what to check and how to continue.
describe('a POST without a result', () => {
  it('names the look-up that found nothing, and when it is certain', async () => {
    const { result, sent } = creating(task, TASK, [none, lost, none, none, ok({ id: 4, used: false })]);
    await expect(result).rejects.toMatchObject({
      kind: 'unknown',
      method: 'POST',
      path: '/v1/task',
      lookUp: {
        resource: 'task',
        filters: { name: 'Spring sale', channel: 'email', message_id: 4, list_id: 7 },
        ids: [],
      },
      message:
        'POST /v1/task was sent, but it is not known whether it succeeded (cut); before you repeat it, check ' +
        'GET /v1/task?name=Spring+sale&channel=email&message_id=4&list_id=7; svc found no matching record within 62 s, ' +
        'and message 4 is not in use. The request can still arrive until 15 minutes after it was sent. After 15 minutes, look for the record, and ' +
        'repeat the request only if the record does not exist',
    });
    expect(posts(sent)).toBe(1);
    expect(lines(sent).at(-1)).toBe('GET /v1/emailMessage/4');
  });

  it('names the ids of several matches', async () => {
    const two = dated(ok([made(SMS, 32), made(SMS, 31)]));
    await expect(creating(sms, SMS, [none, lost, two]).result).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(
        /; more than one matching record was created after the request was sent: 32, 31\. Check whether the record exists before you repeat the request$/,
      ),
      lookUp: { ids: [32, 31] },
    });
  });

  it('names the existing ids of several matches, if one of them has no id', async () => {
    const row = made({ name: 'News' }, 9);
    const two = dated(ok([row, { ...row, id: null }]));
    await expect(creating(folder, { name: 'News' }, [lost, two]).result).rejects.toMatchObject({
      lookUp: { ids: [9] },
    });
  });

  // Interface, emailMessage and smsMessage, `used`: a task is scheduled with the message.
  it.each<readonly [string, Values, Reply, string, string | undefined]>([
    ['in use', TASK, ok({ id: 4, used: true }), ', but message 4 is in use', 'emailMessage/4'],
    [
      'of SMS, in use',
      { ...TASK, channel: 'sms' },
      ok({ id: 4, used: true }),
      ', but message 4 is in use',
      'smsMessage/4',
    ],
    [
      'of SMS, not in use',
      { ...TASK, channel: 'sms' },
      ok({ id: 4, used: false }),
      ', and message 4 is not in use',
      'smsMessage/4',
    ],
    ['without this attribute', TASK, ok({ id: 4 }), '', 'emailMessage/4'],
    ['that no longer exists', TASK, none, '', 'emailMessage/4'],
    ['that can not be read', TASK, answer(200, '<h1>'), '', 'emailMessage/4'],
    ['with an invalid id', { ...TASK, message_id: null }, ok({ used: true }), '', undefined],
  ])('a task not found: a message %s', async (_name, body, message, clause, read) => {
    const { result, sent } = creating(task, body, [none, lost, none, none, message]);
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining(`svc found no matching record within 62 s${clause}. The request`),
    });
    expect(lines(sent).slice(4)).toEqual(read === undefined ? [] : [`GET /v1/${read}`]);
  });

  it('does not read the message of a rule, which cannot identify it', async () => {
    const rule = { name: 'Rule', actiontype: 'notify', actiontarget: 'a@example.com', message_id: 4 };
    const { result, sent } = creating(openAutomation, rule, [none, lost, none, none, ok({ used: true })]);
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining('within 62 s. The request'),
    });
    expect(sent).toHaveLength(4);
  });

  it('makes no look-up for an account, because none could help', async () => {
    const { result, sent } = creating(account, { name: 'Example', contactemail: 'a@example.com' }, [lost]);
    await expect(result).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('check with the operator of the service'),
    });
    expect(sent).toHaveLength(1);
  });

  it('stays unknown after Ctrl-C during the wait', async () => {
    const interrupt = new AbortController();
    const cut = (): never => {
      interrupt.abort();
      throw lost;
    };
    const { result, sent } = creating(sms, SMS, [none, cut], { signal: interrupt.signal });
    await expect(result).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('interrupted'),
    });
    expect(sent).toHaveLength(2);
  });

  it('has sent nothing if the look-up before fails', async () => {
    const { result, sent } = creating(sms, SMS, [lost]);
    await expect(result).rejects.toMatchObject({ kind: 'unreachable', method: 'GET' });
    expect(posts(sent)).toBe(0);
  });
});

// Contract, "Safety": if not found, dnc and subscriber-data rows are sent again (harmless to people).
describe('rows that may be sent again', () => {
  const row = { contactdata: 'x@example.com', id: 8, cdate: NOW - 1e6 };
  const body = { contactdata: 'x@example.com' };

  it('are sent again if they were not found', async () => {
    const { result, sent, clock } = creating(doNotContact, body, [lost, none, none, ok(row, null, 202)]);
    expect(await result).toEqual(row);
    expect(lines(sent)).toEqual([
      'POST /v1/doNotContact',
      'GET /v1/doNotContact?contactdata=x%40example.com&sort=id&reverse=true&count=50',
      'GET /v1/doNotContact?contactdata=x%40example.com&sort=id&reverse=true&count=50',
      'POST /v1/doNotContact',
    ]);
    expect(clock.slept).toEqual([2000, 60_000]);
  });

  it('are sent at most three times in total', async () => {
    const replies = [lost, none, none, lost, none, none, lost, none, none];
    const { result, sent } = creating(doNotContact, body, replies);
    await expect(result).rejects.toMatchObject({ kind: 'unknown' });
    expect([posts(sent), sent.length]).toEqual([3, 9]);
  });

  it.each([
    [1, 2],
    [2, 3],
    [10, 3],
  ])(
    'are sent at most three times, and as often as the retries permit: %i retries, %i POSTs',
    async (retries, expected) => {
      const cut = ({ method }: { readonly method: string }) => {
        if (method === 'POST') throw lost;
        return none;
      };
      const { result, sent } = creating(doNotContact, body, [cut], { retries });
      await expect(result).rejects.toMatchObject({ kind: 'unknown' });
      expect(posts(sent)).toBe(expected);
    },
  );

  it('are found if another client has created one too', async () => {
    const two = dated(ok([row, { ...row, id: 7 }]));
    const { result, sent } = creating(doNotContact, body, [lost, two]);
    expect(await result).toEqual(row);
    expect(posts(sent)).toBe(1);
  });

  it('return the refusal if the service refuses a later POST', async () => {
    const { result } = creating(doNotContact, body, [lost, none, none, no(400, 'not an address')]);
    await expect(result).rejects.toMatchObject({ kind: 'refused', status: 400 });
  });

  it("throw the caller's error if it stops them", async () => {
    const stopped = new Error('the time is over');
    let sends = 0;
    const beforeAttempt = () => {
      sends += 1;
      if (sends > 1) throw stopped;
      return undefined;
    };
    const { result } = creating(doNotContact, body, [lost, none, none], {}, { beforeAttempt });
    await expect(result).rejects.toBe(stopped);
  });

  it('exist if a later POST returns 409, because the earlier attempt created them', async () => {
    const exists = no(409, 'exists', {}, { resource_id: 8 });
    const { result, recovered } = creating(doNotContact, body, [lost, none, none, exists, ok([row])]);
    expect(await result).toEqual(row);
    expect(recovered).toEqual([row]);
  });

  it('are refused if the first POST returns 409', async () => {
    const exists = no(409, 'exists', {}, { resource_id: 8 });
    await expect(creating(doNotContact, body, [exists]).result).rejects.toMatchObject({ kind: 'refused' });
  });

  it('are refused if the 409 names another value', async () => {
    const data = { subscriberprofilefield_id: 1, subscriber_id: 2, value: 'blue' };
    const exists = no(409, 'exists', {}, { resource_id: '1_2' });
    const other = ok([{ ...data, id: '1_2', value: 'red' }]);
    const { result } = creating(subscriberProfileData, data, [lost, none, none, exists, other]);
    await expect(result).rejects.toMatchObject({ kind: 'refused', status: 409 });
  });

  it.each<readonly [string, Reply]>([
    ['nothing sent', notSent],
    ['429', no(429)],
  ])('leave the first outcome unknown after %s', async (_name, reply) => {
    const posted = [lost];
    const script = (request: { readonly method: string }) => {
      const next = request.method === 'POST' ? (posted.pop() ?? reply) : none;
      if (next instanceof TransportError) throw next;
      return typeof next === 'function' ? none : next;
    };
    const { result } = creating(doNotContact, body, [script]);
    await expect(result).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/^an earlier attempt got no response, and the next attempt failed: ./),
      lookUp: { resource: 'doNotContact', filters: {}, ids: [] },
    });
  });
});

// A proxy may deliver a request twice. The service refuses the second copy because of its nonce (wire, "Responses", 401).
describe('a 401 for a POST', () => {
  const denied = (offset: number) => no(401, 'Authentication failed', at(offset));

  it('looks up first if clock differences are below the window, which corrects the clock, and then signs again', async () => {
    const body = { name: 'News' };
    const row = made(body, 9);
    const { result, sent } = creating(folder, body, [
      denied(60_000),
      denied(60_000),
      no(404, 'no', at(60_000)),
      ok(row, null, 202),
    ]);
    expect(await result).toEqual(row);
    expect(sent.map(({ method, headers }) => [method, headers['date']])).toEqual([
      ['POST', at().date],
      ['GET', at().date],
      ['GET', at(60_000).date],
      ['POST', at(60_000).date],
    ]);
  });

  it('after accepted credentials returns the record that it finds', async () => {
    const row = made(SMS, 31);
    const { result, sent } = creating(sms, SMS, [none, denied(0), dated(ok([row]))]);
    expect(await result).toEqual(row);
    expect(posts(sent)).toBe(1);
  });

  it('after accepted credentials is a refusal if it finds none', async () => {
    const { result, sent } = creating(sms, SMS, [none, denied(0), none]);
    await expect(result).rejects.toMatchObject({ kind: 'refused', status: 401 });
    expect(posts(sent)).toBe(1);
  });

  it('means wrong credentials if the look-up also returns 401', async () => {
    const { result } = creating(sms, SMS, [none, denied(0)]);
    await expect(result).rejects.toMatchObject({ kind: 'refused', status: 401, method: 'POST' });
  });

  it.each<readonly [string, Reply, Reply]>([
    ['and a look-up with another failure', denied(0), answer(200, '<h1>')],
    ['of the look-up alone', lost, denied(0)],
  ])('leaves the outcome unknown after %s', async (_name, posted, looked) => {
    const { result } = creating(sms, SMS, [none, posted, looked]);
    await expect(result).rejects.toMatchObject({ kind: 'unknown', method: 'POST' });
  });

  // Interface, "Limits": three failed logins lock a user.
  it('does not repeat a first request with wrong credentials', async () => {
    const { result, sent } = creating(folder, { name: 'News' }, [denied(0)]);
    await expect(result).rejects.toMatchObject({ kind: 'refused', status: 401 });
    expect(sent).toHaveLength(1);
  });
});

// Acceptance, "What is sent again": GET decides; cancelled is success, completed is too late.
describe('cancelling a task', () => {
  const open = { id: 5, cancelled: false, completed: false };
  const refused = no(409, 'Task 5 is cancelled');
  it.each<readonly [string, readonly Reply[], object]>([
    ['no response', [lost, lost, lost, ok({ ...open, cancelled: true })], {}],
    ['refused after an attempt without a response', [lost, refused, ok({ ...open, cancelled: true })], {}],
    ['5xx', [no(503), no(503), no(503), ok({ ...open, cancelled: true })], {}],
    ['completed first', [lost, refused, ok({ ...open, completed: true })], { kind: 'refused', status: 409 }],
    ['neither state', [lost, lost, lost, ok(open)], { kind: 'unknown' }],
    ['the look-up fails', [lost], { kind: 'unknown' }],
    ['refused at once', [refused, ok({ ...open, cancelled: true })], { kind: 'refused', status: 409 }],
  ])('%s', async (_name, replies, failure) => {
    const { client } = clientOn(replies);
    const result = client.update(task, 5, { cancelled: true });
    if ('kind' in failure) await expect(result).rejects.toMatchObject(failure);
    else expect(await result).toMatchObject({ id: 5, cancelled: true });
  });

  it('leaves any other uncertain change unknown', async () => {
    const { client, sent } = clientOn([lost, lost, lost, ok({ ...open, name: 'x' })]);
    await expect(client.update(task, 5, { name: 'x' })).rejects.toMatchObject({ kind: 'unknown' });
    expect(sent).toHaveLength(3);
  });
});

it('a POST in the journal can be looked up without sending', async () => {
  const { client, sent } = clientOn([dated(ok([made(SMS, 30)])), ok([made(SMS, 31), made(SMS, 30)])]);
  const stateBefore = await client.stateBeforePost(sms, SMS);
  expect(stateBefore).toEqual({ above: 30, since: NOW });
  expect((await client.findCreated(sms, SMS, stateBefore)).map(({ id }) => id)).toEqual([31]);
  expect(posts(sent)).toBe(0);
});
