/**
 * Acceptance, X2, for requests that share a commit: no response leaves before the sync of its group, and there are far fewer syncs than
 * responses.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SandboxReadyMessage } from '../../src/sandbox/start.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { signRequest } from '../../src/service/auth/sign.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth } from '../support/depth.ts';
import { hasStrace } from '../support/strace.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const ROUNDS = Math.ceil(depth('SVC_ACKS', { few: 300, full: 3_000 }) / 30);
const CLIENTS = 16;

let runner: string;
let folder: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  runner = await bundleForNode(new URL('durable-runner.ts', import.meta.url).pathname);
});
afterAll(() => removeFolder(dirname(runner)));
beforeEach(async () => {
  folder = await makeTemporaryFolder('groups');
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await removeFolder(folder);
});

const data = (): string => join(folder, 'data');

async function start(command: string, argv: readonly string[]): Promise<SandboxReadyMessage> {
  child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return JSON.parse(text);
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly nonce?: string;
}

/** Returns the status of the response, or undefined if the connection broke. */
function send(
  { baseUrl, company }: SandboxReadyMessage,
  agent: Agent,
  sent: Sent,
): Promise<number | undefined> {
  const { id: companyId, adminUserId: userId, apiKey } = company;
  const headers = signRequest(
    sent,
    { kind: 'company', companyId, userId, apiKey },
    { nonce: sent.nonce ?? randomBytes(20).toString('hex'), date: new Date().toUTCString() },
  );
  const { body = '' } = sent;
  const more = body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve) => {
    const { method } = sent;
    const asked = request(`${baseUrl}${sent.path}`, { method, agent, headers: { ...headers, ...more } });
    asked.on('error', () => resolve(undefined));
    asked.on('response', (answer) => {
      resolve(answer.statusCode);
      answer.on('error', () => undefined).resume();
    });
    asked.end(body);
  });
}

const post = (name: string): Sent => ({
  method: 'POST',
  path: '/v1/folder',
  body: JSON.stringify({ name }),
});

/** Returns the number of responses, the number of those sent before their data was on disk, and the number of syncs of the log. */
function judge(trace: string) {
  let isDirty = false;
  const seen = { early: 0, answers: 0, syncs: 0 };
  for (const line of trace.split('\n')) {
    if (/\bpwrite(?:64|v)\([0-9]+<[^>]*sandbox\.db-wal>/.test(line)) isDirty = true;
    else if (/\bf(?:data)?sync\([0-9]+<[^>]*sandbox\.db-wal>/.test(line)) {
      isDirty = false;
      seen.syncs += 1;
    } else if (/"HTTP\/1\.1 (?:20[02]|404) /.test(line)) {
      seen.answers += 1;
      if (isDirty) seen.early += 1;
    }
  }
  return seen;
}

it.skipIf(!hasStrace)('syncs waiting reads and writes together, and responds after that', async () => {
  const trace = join(folder, 'trace');
  const calls = 'trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync';
  const argv = ['-f', '-qq', '-y', '-s', '24', '-o', trace, '-e', calls, process.execPath, runner, data()];
  const ready = await start('strace', argv);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = 0; at < ROUNDS; at += 1) {
      expect(await send(ready, agent, post(`${client}-${at}`))).toBe(202);
      expect(await send(ready, agent, { method: 'GET', path: '/v1/folder/1' })).toBe(200);
      expect(await send(ready, agent, { method: 'GET', path: '/v1/folder/999999' })).toBe(404);
    }
  });
  await Promise.all(clients);
  agent.destroy();
  const ended = once(child as ChildProcess, 'exit');
  process.kill(ready.pid, 'SIGTERM');
  await ended;
  const { early, answers, syncs } = judge(await readFile(trace, 'utf8'));
  expect([early, answers]).toEqual([0, 3 * CLIENTS * ROUNDS]);
  // Without groups each response needs one sync. On a busy machine fewer requests arrive during a sync.
  expect(syncs).toBeLessThan((2 * answers) / 3);
});

it('kill -9 under writers that share commits: acknowledged writes exist, and their nonces are used up', async () => {
  const ready = await start(process.execPath, [runner, data()]);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const written: string[] = [];
  const used: string[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = 0; ; at += 1) {
      const nonce = randomBytes(20).toString('hex');
      const name = `${client}-${at}`;
      const isWrite = at % 2 === 0;
      const sent = isWrite ? post(name) : { method: 'GET' as const, path: '/v1/account' };
      const status = await send(ready, agent, { ...sent, nonce });
      if (status === undefined) return;
      used.push(nonce);
      if (isWrite) written.push(name);
    }
  });
  while (used.length < 400) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = once(child as ChildProcess, 'exit');
  child?.kill('SIGKILL');
  await ended;
  await Promise.all(clients);
  agent.destroy();
  const store = await openStore(join(data(), 'sandbox.db'));
  const check = await store.db.first(sql<object>`pragma integrity_check`);
  const names = new Set(
    (await store.db.all(sql<Pick<Row<'folder'>, 'name'>>`select name from folder`)).map(({ name }) => name),
  );
  const nonces = new Set(
    (await store.db.all(sql<Pick<Row<'nonce'>, 'nonce'>>`select nonce from nonce`)).map((row) => row.nonce),
  );
  await store.close();
  expect(Object.values(check ?? {})).toEqual(['ok']);
  expect(written.filter((name) => !names.has(name))).toEqual([]);
  expect(used.filter((nonce) => !nonces.has(nonce))).toEqual([]);
});
