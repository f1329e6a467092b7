/**
 * Authentication of a request (interface, "Authentication"; wire, "Authentication, where open", and the row of 401).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../../src/sandbox/service.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { insertRow } from '../../../src/sandbox/store/rows.ts';
import type { WireResponse } from '../../../src/service/protocol/wire.ts';
import { depth, SEED, tried } from '../../support/depth.ts';
import { createTestSandbox, IDS, KEYS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
let machine: number;
beforeEach(async () => {
  machine = NOW * 1000;
  sandbox = await createTestSandbox({ machineNow: () => machine });
});

const send = async (parts: Signing) => readAnswer(await sandbox.service.handle(signing(parts)), parts.method);
/** A write, so that a request that passes by mistake leaves a record behind. */
const MAKE = { method: 'POST', target: '/v1/folder', body: '{"name":"News"}' } as const;

describe('accepted requests', () => {
  it.each<readonly [string, Signing]>([
    ['a company with a user', ADMIN],
    ['a sub-user', { ...ADMIN, uid: IDS.sub }],
    ['a partner with a company: "the company\'s admin user is used"', PARTNER],
    ['a partner with a company and a user', { ...PARTNER, uid: IDS.sub }],
    ['a Date 14:59 minutes ago', { ...ADMIN, date: -899 }],
    ['a Date 14:59 minutes ahead', { ...ADMIN, date: 899 }],
    ['a Date 15:00 minutes off, which is not more than 15', { ...ADMIN, date: -900 }],
    ['a nonce of one character', { ...ADMIN, nonce: 'n' }],
    ['a nonce of 40 characters', { ...ADMIN, nonce: 'n'.repeat(40) }],
    // Interface, "Company hash": "random string of up to 40 characters". It does not say which characters.
    ['a nonce with a space', { ...ADMIN, nonce: 'a b' }],
    ['a nonce with a tab', { ...ADMIN, nonce: 'a\tb' }],
    ['a nonce of one letter beyond ASCII', { ...ADMIN, nonce: 'é' }],
    ['a nonce of 40 characters of three octets each', { ...ADMIN, nonce: '☕'.repeat(40) }],
    ['a nonce of 40 characters beyond the basic plane', { ...ADMIN, nonce: '🎉'.repeat(40) }],
    // "Date: HTTP date", which has three forms (RFC 9110, section 5.6.7).
    ['a Date as in RFC 850', { ...ADMIN, dateText: 'Tuesday, 01-Dec-26 09:00:00 GMT' }],
    ['a Date as asctime writes it', { ...ADMIN, dateText: 'Tue Dec  1 09:00:00 2026' }],
  ])('%s', async (_, parts) => {
    expect((await send({ ...parts, ...MAKE })).status).toBe(202);
  });

  it('may have an upper-case signature', async () => {
    const request = signing({ ...ADMIN, ...MAKE });
    const authorization = (request.headers['authorization'] ?? '').replace(/"(.*)"/, (text) =>
      text.toUpperCase(),
    );
    expect(authorization).toMatch(/"[0-9A-F]{40}"/);
    const answer = await sandbox.service.handle({
      ...request,
      headers: { ...request.headers, authorization },
    });
    expect(answer.status).toBe(202);
  });

  it('runs as the nominated user', async () => {
    expect((await send({ ...ADMIN, target: '/v1/user?currentuser=true' })).list[0]?.['id']).toBe(IDS.admin);
    expect((await send({ ...PARTNER, target: '/v1/user?currentuser=true' })).list[0]?.['id']).toBe(IDS.admin);
    expect(
      (await send({ ...PARTNER, uid: IDS.sub, target: '/v1/user?currentuser=true' })).list[0]?.['id'],
    ).toBe(IDS.sub);
  });
});

describe('401', () => {
  it.each<readonly [string, Signing]>([
    [
      'no header at all',
      {
        ...ADMIN,
        headers: Object.fromEntries(Object.keys(signing(ADMIN).headers).map((name) => [name, undefined])),
      },
    ],
    ['no Authorization', { ...ADMIN, headers: { authorization: undefined } }],
    ['a malformed Authorization', { ...ADMIN, headers: { authorization: 'SvcHash signature=x' } }],
    ['the other scheme', { ...ADMIN, scheme: 'SvcPartner' }],
    ['the wrong key', { ...ADMIN, key: 'f'.repeat(32) }],
    ["another company's key", { ...ADMIN, key: KEYS.other }],
    ["the partner's key for a company", { ...ADMIN, key: KEYS.partner }],
    [
      'the wrong signature',
      { ...ADMIN, headers: { authorization: `SvcHash signature="${'0'.repeat(40)}"` } },
    ],
    [
      'another path than the signed one',
      { ...ADMIN, headers: signing({ ...ADMIN, method: 'POST', target: '/v1/folder/1' }).headers },
    ],
    [
      'another method than the signed one',
      { ...ADMIN, headers: signing({ ...ADMIN, method: 'PUT' }).headers },
    ],
    ['no Date', { ...ADMIN, headers: { date: undefined } }],
    ['a Date 15:01 minutes ago', { ...ADMIN, date: -901 }],
    ['a Date 15:01 minutes ahead', { ...ADMIN, date: 901 }],
    ['a Date a day ago', { ...ADMIN, date: -86_400 }],
    ['no nonce', { ...ADMIN, headers: { 'x-svc-nonce': undefined } }],
    ['a nonce of 41 characters', { ...ADMIN, nonce: 'n'.repeat(41) }],
    ['a nonce of 41 characters beyond ASCII', { ...ADMIN, nonce: '☕'.repeat(41) }],
    ['a nonce with a line break', { ...ADMIN, nonce: 'a\r\nb' }],
    ['a Date as in RFC 850, an hour off', { ...ADMIN, dateText: 'Tuesday, 01-Dec-26 10:00:00 GMT' }],
    ['an unknown company', { ...ADMIN, cid: 99 }],
    ['an unknown user', { ...ADMIN, uid: 99 }],
    ["another company's user", { ...ADMIN, uid: IDS.otherAdmin }],
    ['a company without a user', { cid: IDS.company, key: KEYS.company }],
    ['a user without a company', { uid: IDS.admin, key: KEYS.company }],
    ['an unknown partner', { ...PARTNER, pid: 99 }],
    ['a partner with the wrong key', { ...PARTNER, key: KEYS.stranger }],
    ['a partner with an unknown user', { ...PARTNER, uid: 99 }],
    ["a partner with another company's user", { ...PARTNER, uid: IDS.otherAdmin }],
    ['a partner with a UID and no CID', { pid: IDS.partner, uid: IDS.admin, key: KEYS.partner }],
    ['a company with an additional PID', { ...ADMIN, headers: { 'x-svc-pid': '1' } }],
  ])('%s', async (_, parts) => {
    const answer = await send({ ...parts, ...MAKE });
    expect(answer.status).toBe(401);
    // "additional_information gives the service's time"; the message is the same for every cause.
    expect(answer.response).toEqual({
      code: 401,
      subcode: null,
      message: 'Authentication failed',
      additional_information: { time: NOW },
    });
    for (const key of Object.values(KEYS)) expect(answer.text).not.toContain(key);
    expect(await sandbox.rows('folder')).toEqual([]);
    expect(await sandbox.rows('nonce')).toEqual([]);
  });
});

describe('403', () => {
  const lock = async (table: 'account' | 'user', id: number, set: string): Promise<void> => {
    await sandbox.service.store.db.run(sql`update ${sql.ref(table)} set ${sql.raw(set)} where id = ${id}`);
  };

  it.each<readonly [string, Signing]>([
    ['a partner on a company that it does not manage', { pid: 2, cid: IDS.company, key: KEYS.stranger }],
    ['a partner on an unknown company', { ...PARTNER, cid: 99 }],
  ])('%s', async (_, parts) => {
    const answer = await send({ ...parts, ...MAKE });
    expect([answer.status, answer.response['code'], answer.response['subcode']]).toEqual([403, 403, null]);
    expect(await sandbox.rows('folder')).toEqual([]);
  });

  it('for every user of a locked account with company authentication', async () => {
    await lock('account', IDS.company, 'locked = 1');
    for (const uid of [IDS.admin, IDS.sub])
      for (const request of [MAKE, { target: '/v1/account' }])
        expect((await send({ ...ADMIN, uid, ...request })).status).toBe(403);
    expect(await sandbox.rows('folder')).toEqual([]);
  });

  it('but its partner can still unlock it, without a user', async () => {
    await lock('account', IDS.company, 'locked = 1');
    const unlocked = await send({
      ...PARTNER,
      method: 'PUT',
      target: '/v1/accountFeatures/1',
      body: '{"locked":false}',
    });
    expect([unlocked.status, unlocked.data['locked']]).toEqual([200, false]);
    expect((await send({ ...ADMIN, ...MAKE })).status).toBe(202);
    await lock('account', IDS.company, 'locked = 1');
    const refused = await send({ ...PARTNER, ...MAKE });
    expect([refused.status, refused.response['message']]).toEqual([
      403,
      'The account is locked. Its partner can unlock it: PUT accountFeatures without a user id',
    ]);
  });

  it.each(['locked = 1', 'active = 0'])('for a user with %s, and no other of the account', async (set) => {
    await lock('user', IDS.sub, set);
    expect((await send({ ...ADMIN, uid: IDS.sub, ...MAKE })).status).toBe(403);
    expect((await send({ ...PARTNER, uid: IDS.sub, ...MAKE })).status).toBe(403);
    expect((await send({ ...ADMIN, uid: IDS.sub2, target: '/v1/account' })).status).toBe(200);
    expect(await sandbox.rows('folder')).toEqual([]);
  });
});

describe('nonces', () => {
  it('"nonce already used" is 401, and the first request is performed once', async () => {
    expect((await send({ ...ADMIN, ...MAKE, nonce: 'once' })).status).toBe(202);
    expect((await send({ ...ADMIN, ...MAKE, nonce: 'once' })).status).toBe(401);
    expect((await send({ ...ADMIN, target: '/v1/account', nonce: 'once' })).status).toBe(401);
    expect(await sandbox.rows('folder')).toHaveLength(1);
  });

  it('are also used up by a GET and a HEAD', async () => {
    for (const method of ['GET', 'HEAD'] as const) {
      const request = { ...ADMIN, method, target: '/v1/account', nonce: `of ${method}`.replace(' ', '-') };
      expect((await send(request)).status).toBe(200);
      expect((await sandbox.service.handle(signing(request))).status).toBe(401);
    }
  });

  it('may be the same for another company', async () => {
    expect((await send({ ...ADMIN, ...MAKE, nonce: 'once' })).status).toBe(202);
    const other = { cid: IDS.other, uid: IDS.otherAdmin, key: KEYS.other };
    expect((await send({ ...other, ...MAKE, nonce: 'once' })).status).toBe(202);
  });

  it.each<readonly [string, Signing]>([
    ['401', { ...ADMIN, ...MAKE, key: 'f'.repeat(32) }],
    ['400', { ...ADMIN, ...MAKE, body: '{"name":""}' }],
    ['400', { ...ADMIN, ...MAKE, body: '{' }],
    ['404', { ...ADMIN, target: '/v1/folder/99' }],
    ['403', { ...ADMIN, uid: IDS.sub, method: 'DELETE', target: '/v1/user/3' }],
    ['415', { ...ADMIN, ...MAKE, contentType: 'text/plain' }],
  ])('"A failed request does not use up its nonce": %s', async (status, parts) => {
    expect(String((await send({ ...parts, nonce: 'kept' })).status)).toBe(status);
    expect(await sandbox.rows('nonce')).toEqual([]);
    expect((await send({ ...ADMIN, ...MAKE, nonce: 'kept' })).status).toBe(202);
  });

  it('are "remembers a nonce for 30 minutes", longer than the clock window', async () => {
    const early = { ...ADMIN, ...MAKE, nonce: 'early', date: 900 };
    expect((await send(early)).status).toBe(202);
    machine = (NOW + 1799) * 1000;
    expect((await send(early)).status).toBe(401);
    machine = (NOW + 1800) * 1000;
    expect((await send(early)).status).toBe(401);
    machine = (NOW + 1801) * 1000;
    expect((await send(early)).status).toBe(401);
    expect((await send({ ...early, date: 1801 })).status).toBe(202);
    expect(await sandbox.rows('folder')).toHaveLength(2);
  });

  // Acceptance, A2: the three copies of a request arrive in any order, among those of 255 others.
  const NONCES = depth('SVC_NONCES', { few: 256, full: 10_000 });
  const TOGETHER = 256;
  it(`of three copies of ${NONCES} requests one each is accepted (SVC_SEED=${SEED})`, async () => {
    let [accepted, refused] = [0, 0];
    for (let first = 0; first < NONCES; first += TOGETHER) {
      const count = Math.min(TOGETHER, NONCES - first);
      const requests = Array.from({ length: count }, (_, at) =>
        signing({ ...ADMIN, target: '/v1/account', nonce: `${SEED}-${first + at}` }),
      );
      const [order = []] = fc.sample(
        fc.shuffledSubarray([...requests, ...requests, ...requests], { minLength: 3 * count }),
        { seed: SEED + first, numRuns: 1 },
      );
      const statuses = await Promise.all(
        order.map(async (request) => ({ request, ...(await sandbox.service.handle(request)) })),
      );
      const good = statuses.filter(({ status }) => status === 200);
      expect(new Set(good.map(({ request }) => request)).size).toBe(count);
      expect(good).toHaveLength(count);
      accepted += good.length;
      refused += statuses.filter(({ status }) => status === 401).length;
    }
    expect([accepted, refused]).toEqual([NONCES, 2 * NONCES]);
    tried('A2', accepted + refused);
  });

  it('are remembered by a store that was closed and opened again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-nonce-'));
    try {
      const path = join(folder, 'sandbox.db');
      const request = signing({ ...ADMIN, ...MAKE, nonce: 'once' });
      const statuses: number[] = [];
      for (const turn of [1, 2]) {
        const store = await openStore(path);
        if (turn === 1) await seedOne(store.db);
        const service = createService(store, outside);
        statuses.push((await service.handle(request)).status);
        await store.close();
      }
      expect(statuses).toEqual([202, 401]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("authentication uses the machine's clock, and a moved sandbox clock has no effect", async () => {
    await sandbox.at(86_400);
    const answer = await send({ ...ADMIN, ...MAKE });
    expect([answer.status, answer.headers['x-svc-time']]).toEqual([202, String(NOW + 86_400)]);
    const late = await send({ ...ADMIN, ...MAKE, date: 86_400 });
    expect([late.status, late.response['additional_information']]).toEqual([401, { time: NOW }]);
  });
});

describe('the key', () => {
  it('is in no response, whatever the request', async () => {
    const answers: WireResponse[] = [];
    for (const parts of [ADMIN, PARTNER, { ...ADMIN, key: 'wrong' }] as const)
      for (const target of ['/v1/account', '/v1/accountFeatures', '/v1/user', '/v1/nothing', '/v1/user/1'])
        for (const method of ['GET', 'PUT', 'POST', 'DELETE'] as const)
          answers.push(await sandbox.service.handle(signing({ ...parts, method, target, body: '{}' })));
    const made = signing({
      pid: 1,
      key: KEYS.partner,
      method: 'POST',
      target: '/v1/account',
      body: '{"name":"New","contactemail":"a@example.com"}',
    });
    answers.push(await sandbox.service.handle(made));
    const keys = [
      ...Object.values(KEYS),
      ...(await sandbox.rows('account')).map((row) => String(row['api_key'])),
    ];
    for (const { body, headers } of answers)
      for (const key of keys) expect(`${body}${JSON.stringify(headers)}`).not.toContain(key);
    expect(answers.at(-1)?.status).toBe(202);
  });
});

const outside = {
  machineNow: () => NOW * 1000,
  random: (octets: number) => new Uint8Array(octets),
  trackingBaseUrl: () => 'http://127.0.0.1:4010',
  report: () => undefined,
};

async function seedOne(db: Parameters<typeof insertRow>[0]): Promise<void> {
  const times = { cdate: NOW, mdate: NOW };
  await insertRow(db, 'partner', { name: 'P', api_key: KEYS.partner, timezone: 'UTC' });
  await insertRow(db, 'account', {
    partner_id: 1,
    api_key: KEYS.company,
    name: 'C',
    contactemail: 'a@example.com',
    timezone: 'UTC',
    ...times,
  });
  await insertRow(db, 'user', {
    account_id: 1,
    username: 'admin',
    email: 'a@example.com',
    firstname: 'F',
    lastname: 'L',
    isadmin: 1,
    timezone: 'UTC',
    ...times,
  });
}
