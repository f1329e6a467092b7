/**
 * Contract, "The sandbox, for people and teams": beyond loopback, the control plane needs its token and is rate-limited. Tokens can be
 * created, listed and revoked. The role outbox reads outbox, queue and clock alone. Tokens are stored hashed, and shown once.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRateLimit } from '../../src/sandbox/control/app.ts';
import { controlOperationNames } from '../../src/service/protocol/control.ts';
import { postgresOfTests } from '../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { NOW } from '../support/sandbox.ts';

/** On PostgreSQL there is no SQLite file, and so no snapshot of one. */
const ON_POSTGRES = postgresOfTests() !== undefined;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
const options = { machineNow: () => NOW * 1000, clock: 'manual', seed: 'demo' } as const;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, options);
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function create(name: string, role: string): Promise<string> {
  const { status, json } = await sandbox.control('token create', { name, role });
  expect([status, json.data]).toEqual([
    200,
    { name, role, cdate: NOW, token: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  return json.data.token;
}

const as = (token: string, operation: string, args: unknown = {}) =>
  sandbox.control(operation, args, { authorization: `Bearer ${token}` });

describe('a token', () => {
  it('of the role outbox reads outbox, queue and clock, and gets 403 for everything else', async () => {
    const token = await create('reader', 'outbox');
    const allowed = ['outbox list', 'outbox send list', 'outbox show', 'outbox eml', 'queue', 'clock show'];
    const statuses = new Map<string, number>();
    for (const name of controlOperationNames) statuses.set(name, (await as(token, name)).status);
    expect(
      [...statuses]
        .filter(([, status]) => status !== 403)
        .map(([name]) => name)
        .sort(),
    ).toEqual(allowed.sort());
    expect((await as(token, 'outbox list', { limit: 1 })).status).toBe(200);
    expect((await as(token, 'stop')).json.error).toEqual({
      status: 403,
      message: 'A token of the role outbox cannot call stop',
    });
    expect((await sandbox.control('status')).status).toBe(200);
  });

  it('of the role control may do everything except manage tokens', async () => {
    const token = await create('ci', 'control');
    expect((await as(token, 'list create', { name: 'By CI' })).status).toBe(200);
    expect((await as(token, 'requests')).status).toBe(200);
    for (const [operation, args] of [
      ['token create', { name: 'more', role: 'control' }],
      ['token list', {}],
      ['token revoke', { name: 'reader' }],
    ] as const)
      expect((await as(token, operation, args)).status).toBe(403);
  });

  it.skipIf(ON_POSTGRES)('is listed without its value, which is in no file', async () => {
    const token = await create('listed', 'outbox');
    const { json } = await sandbox.control('token list');
    expect(json.data).toContainEqual({ name: 'listed', role: 'outbox', cdate: NOW });
    expect(JSON.stringify(json)).not.toContain(token);
    const hash = createHash('sha256').update(token).digest('hex');
    const files = ['sandbox.db', 'sandbox.db-wal', 'sandbox.json'].map((name) =>
      readFileSync(join(folder.path, name)),
    );
    expect(files.some((octets) => octets.includes(hash))).toBe(true);
    expect(files.some((octets) => octets.includes(token))).toBe(false);
  });

  it.skipIf(ON_POSTGRES)(
    'is 401 from the request after its revocation on, and no snapshot restores it',
    async () => {
      const token = await create('gone', 'control');
      expect((await as(token, 'status')).status).toBe(200);
      expect((await sandbox.control('snapshot save', { name: 'with-token' })).status).toBe(200);
      expect((await sandbox.control('token revoke', { name: 'gone' })).json.data).toEqual({ name: 'gone' });
      expect((await as(token, 'status')).status).toBe(401);
      expect((await sandbox.control('snapshot restore', { name: 'with-token' })).status).toBe(200);
      expect((await as(token, 'status')).status).toBe(401);
      expect((await sandbox.control('token revoke', { name: 'gone' })).status).toBe(404);
    },
  );

  it("survives a restart, and the sandbox's own token does not", async () => {
    const own = await temporaryFolder();
    try {
      const first = await runSandbox(own.path, options);
      const { token } = (await first.control('token create', { name: 'ci', role: 'control' })).json.data;
      await first.stop();
      const second = await runSandbox(own.path, options);
      const status = async (bearer: string): Promise<number> =>
        (await second.control('status', {}, { authorization: `Bearer ${bearer}` })).status;
      expect([await status(token), await status(first.ready.controlToken)]).toEqual([200, 401]);
      await second.stop();
    } finally {
      await own.remove();
    }
  });

  it.each<readonly [string, unknown, number]>([
    ['of a name that exists', { name: 'reader', role: 'control' }, 409],
    ['of no name', { role: 'control' }, 400],
    ['of another role', { name: 'x', role: 'root' }, 400],
    ['of a name with a blank', { name: 'a b', role: 'control' }, 400],
    ['of a name that is a path', { name: '../a', role: 'control' }, 400],
  ])('%s is rejected', async (_, args, status) => {
    const before = (await sandbox.control('token list')).text;
    expect((await sandbox.control('token create', args)).status).toBe(status);
    expect((await sandbox.control('token list')).text).toBe(before);
  });

  it.each([
    '',
    'Bearer ',
    'Bearer x',
    'Basic abc',
    `bearer ${'0'.repeat(64)}`,
    `Bearer ${'0'.repeat(64)}`,
    `Bearer ${'a'.repeat(5000)}`,
  ])('"%s" is not a token: 401', async (authorization) => {
    expect((await sandbox.control('status', {}, { authorization })).status).toBe(401);
  });

  it('is compared in constant time', () => {
    const source = readFileSync(new URL('../../src/sandbox/control/tokens.ts', import.meta.url), 'utf8');
    const body = source.slice(source.indexOf('export async function tokenRoleFromHeader'));
    expect(body.slice(0, body.indexOf('\n}'))).toMatch(
      /timingSafeEqual\(given, digestOf\(ownToken\)\)[\s\S]*timingSafeEqual\(given, /,
    );
    expect(body.slice(0, body.indexOf('\n}'))).not.toMatch(/\.equals\(|break|hash ===/);
  });
});

describe('beyond this machine the control plane is rate-limited', () => {
  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;
  const limited = (behindProxy = false) => {
    let now = 1_000_000;
    const rate = createRateLimit(behindProxy, () => now);
    const isTaken = (request: IncomingMessage): boolean => {
      try {
        rate.check(request);
        return true;
      } catch (error) {
        expect(error).toMatchObject({
          status: 429,
          details: { headers: { 'retry-after': expect.any(String) } },
        });
        return false;
      }
    };
    return { rate, isTaken, pass: (seconds: number) => (now += seconds * 1000) };
  };

  it('to ten wrong tokens of one address in a minute, and then answers 429, without an effect on other addresses', () => {
    const { rate, isTaken, pass } = limited();
    for (let at = 0; at < 10; at += 1) {
      expect(isTaken(from('203.0.113.9'))).toBe(true);
      rate.fail(from('203.0.113.9'));
    }
    expect([isTaken(from('203.0.113.9')), isTaken(from('203.0.113.10'))]).toEqual([false, true]);
    pass(59);
    expect(isTaken(from('::ffff:203.0.113.9'))).toBe(false);
    pass(1);
    expect(isTaken(from('203.0.113.9'))).toBe(true);
  });

  it('to 3,000 requests of one address in a minute', () => {
    const { isTaken } = limited();
    const taken = Array.from({ length: 3_001 }, () => isTaken(from('203.0.113.9')));
    expect([taken.filter(Boolean).length, taken.at(-1)]).toEqual([3_000, false]);
  });

  it('but has no limit for this machine', () => {
    const { rate, isTaken } = limited();
    for (let at = 0; at < 50; at += 1) rate.fail(from('127.0.0.1'));
    expect(isTaken(from('127.0.0.1'))).toBe(true);
  });

  it('by the address that the proxy wrote last, and ignores such headers without a proxy', () => {
    const proxied = limited(true);
    for (let at = 0; at < 10; at += 1)
      proxied.rate.fail(from('127.0.0.1', { 'x-forwarded-for': `10.0.0.${at}, 203.0.113.9` }));
    expect(proxied.isTaken(from('127.0.0.1', { 'x-forwarded-for': '10.0.0.99, 203.0.113.9' }))).toBe(false);
    expect(proxied.isTaken(from('127.0.0.1'))).toBe(true);
    const direct = limited();
    for (let at = 0; at < 10; at += 1)
      direct.rate.fail(from('203.0.113.9', { 'x-forwarded-for': `10.0.0.${at}` }));
    expect(direct.isTaken(from('203.0.113.9', { 'x-forwarded-for': '10.0.0.99' }))).toBe(false);
  });

  it('over HTTP with 429 and Retry-After, whatever the token', async () => {
    const own = await temporaryFolder();
    const running = await runSandbox(own.path, {
      ...options,
      behindProxy: true,
      allowHosts: ['sandbox.test'],
    });
    try {
      const { port } = JSON.parse(readFileSync(join(own.path, 'sandbox.json'), 'utf8'));
      const ask = (token: string) =>
        fetch(`http://127.0.0.1:${port}/control/status`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' },
          body: '{}',
        });
      for (let at = 0; at < 10; at += 1) expect((await ask('wrong')).status).toBe(401);
      const refused = await ask(running.ready.controlToken);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    } finally {
      await running.stop();
      await own.remove();
    }
  });
});
