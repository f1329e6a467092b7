/**
 * What was answered is on the disk (acceptance, X1 and X2): over HTTP, under 32 writers, `kill -9`, and in the order
 * of system calls, which alone shows a missing sync.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { signRequest } from '../../src/auth/sign.ts';
import type { Ready } from '../../src/sandbox/start.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth } from '../support/depth.ts';
import { ownTimeOf } from '../support/own-time.ts';
import { hasStrace } from '../support/strace.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** X1 asks for 200, and 40 in each run of CI. */
const KILLS = depth('SVC_KILLS', { few: 2, full: 40 });
const WRITERS = 32;
/** X2 asks for 1,000. */
const ACKS = depth('SVC_ACKS', { few: 100, full: 1_000 });
const READY_MS = 2_000;

let runner: string;
let folder: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  runner = await bundleForNode(new URL('durable-runner.ts', import.meta.url).pathname);
});
afterAll(() => rm(dirname(runner), { recursive: true, force: true }));
beforeEach(async () => {
  folder = await makeTemporaryFolder('durable');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(folder, { recursive: true, force: true });
});

const data = (): string => join(folder, 'data');

async function start(
  command: string,
  argv: readonly string[],
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return { child, ready: JSON.parse(text) };
}

/** Makes a folder of that name; true once it is acknowledged, false when the connection broke first. */
function write({ baseUrl, company }: Ready, agent: Agent, name: string): Promise<boolean> {
  const credentials = {
    kind: 'company',
    companyId: company.id,
    userId: company.adminUserId,
    apiKey: company.apiKey,
  } as const;
  const path = '/v1/folder';
  const headers = signRequest({ method: 'POST', path }, credentials, {
    nonce: randomBytes(20).toString('hex'),
    date: new Date().toUTCString(),
  });
  const body = JSON.stringify({ name });
  return new Promise((resolve) => {
    const sent = request(`${baseUrl}${path}`, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    sent.on('error', () => resolve(false));
    sent.on('response', (answer) => {
      // The status line says it all: what comes after may be cut off.
      resolve(answer.statusCode === 202);
      answer.on('error', () => undefined).resume();
    });
    sent.end(body);
  });
}

const namesIn = async (): Promise<ReadonlySet<string>> => {
  const store = await openStore(join(data(), 'sandbox.db'));
  const check = await store.db.first(sql<object>`pragma integrity_check`);
  expect(Object.values(check ?? {})).toEqual(['ok']);
  const rows = await store.db.all(sql<Pick<Row<'folder'>, 'name'>>`select name from folder`);
  await store.close();
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  return new Set(rows.map(({ name }) => name));
};

it(`X1: ${KILLS} kills under ${WRITERS} writers: every acknowledged write is there, and it is ready again in 2 s`, async () => {
  const acknowledged: string[] = [];
  const starts: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const began = performance.now();
    const { child, ready } = await start(process.execPath, [runner, data()]);
    starts.push(ownTimeOf(ready.pid) ?? performance.now() - began);
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    let isAlive = true;
    const before = acknowledged.length;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let at = 0; isAlive; at += 1) {
        const name = `${kill}-${writer}-${at}`;
        if (!(await write(ready, agent, name))) return;
        acknowledged.push(name);
      }
    });
    while (acknowledged.length - before < 50 && child.exitCode === null) await pass(5);
    await pass(Math.random() * 200);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    isAlive = false;
    await Promise.all(writers);
    agent.destroy();
    expect(acknowledged.length - before).toBeGreaterThanOrEqual(50);
    const stored = await namesIn();
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  }
  process.stdout.write(
    `${acknowledged.length} acknowledged, starts of ${starts.map(Math.round).join(', ')} ms\n`,
  );
  // What it has worked until then; the fastest, because a machine at work delays now one, now another.
  expect(Math.min(...starts)).toBeLessThan(READY_MS);
}, 600_000);

/** Answers of 202 that left while what they speak of was written to the log of the database, and not yet synced. */
async function unsynced(
  pragma: readonly string[],
): Promise<{ readonly early: number; readonly acks: number }> {
  const trace = join(folder, 'trace');
  const calls = 'trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync';
  const argv = ['-f', '-qq', '-y', '-s', '24', '-o', trace, '-e', calls, process.execPath, runner, data()];
  const { child, ready } = await start('strace', [...argv, ...pragma]);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const share = Math.ceil(ACKS / 4);
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let at = 0; at < share; at += 1) expect(await write(ready, agent, `${writer}-${at}`)).toBe(true);
  });
  await Promise.all(writers);
  agent.destroy();
  const ended = once(child, 'exit');
  process.kill(ready.pid, 'SIGTERM');
  await ended;
  return judge(await readFile(trace, 'utf8'));
}

function judge(trace: string): { readonly early: number; readonly acks: number } {
  let isDirty = false;
  let early = 0;
  let acks = 0;
  for (const line of trace.split('\n')) {
    const isLog = /\b(?:pwrite64|pwritev|write|writev)\([0-9]+<[^>]*sandbox\.db-wal>/.test(line);
    if (isLog) isDirty = true;
    else if (/\bf(?:data)?sync\([0-9]+<[^>]*sandbox\.db-wal>/.test(line)) isDirty = false;
    else if (line.includes('"HTTP/1.1 202 ')) {
      acks += 1;
      if (isDirty) early += 1;
    }
  }
  return { early, acks };
}

it.skipIf(!hasStrace)(
  `X2: none of ${ACKS} acknowledgements precedes the sync of the log; with synchronous=NORMAL nearly all do`,
  async () => {
    const full = await unsynced([]);
    expect(full.acks).toBeGreaterThanOrEqual(ACKS);
    expect(full.early).toBe(0);
    await rm(data(), { recursive: true });
    const normal = await unsynced(['pragma synchronous = NORMAL']);
    expect(normal.acks).toBeGreaterThanOrEqual(ACKS);
    expect(normal.early).toBeGreaterThan(ACKS / 2);
  },
);
