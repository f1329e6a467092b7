/**
 * Acknowledged requests are on the disk (acceptance, X1 and X2): over HTTP, with 32 writers and `kill -9`. The tests also check the order
 * of system calls, because nothing else reveals a missing sync.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import type { SandboxReadyMessage } from '../../src/sandbox/start.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { signRequest } from '../../src/service/auth/sign.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth, tried } from '../support/depth.ts';
import { LossyDisk, TRACE_OPTIONS } from '../support/lossy-disk.ts';
import { ownTimeOf } from '../support/own-time.ts';
import { hasStrace } from '../support/strace.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/** X1 requires 200, and each run of CI 40. */
const KILLS = depth('SVC_KILLS', { few: 2, full: 40 });
/** A2 requires 50. */
const REPLAY_KILLS = depth('SVC_REPLAY_KILLS', { few: 1, full: 50 });
const COPIES = 40;
const WRITERS = 32;
/** X2 requires 1,000. */
const ACKS = depth('SVC_ACKS', { few: 100, full: 1_000 });
const READY_MS = 2_000;
/** The approximate number of moments at which the power is cut. */
const CUTS = depth('SVC_CUTS', { few: 10, full: 100 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);

let runner: string;
let folder: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  runner = await bundleForNode(new URL('durable-runner.ts', import.meta.url).pathname);
});
afterAll(() => removeFolder(dirname(runner)));
beforeEach(async () => {
  folder = await makeTemporaryFolder('durable');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await removeFolder(folder);
});

const data = (): string => join(folder, 'data');

async function start(
  command: string,
  argv: readonly string[],
): Promise<{ child: ChildProcess; ready: SandboxReadyMessage }> {
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return { child, ready: JSON.parse(text) };
}

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATH = '/v1/folder';

/** Returns a signed request for a folder of that name. */
function folderRequest({ company }: SandboxReadyMessage, name: string): Signed {
  const credentials = {
    kind: 'company',
    companyId: company.id,
    userId: company.adminUserId,
    apiKey: company.apiKey,
  } as const;
  const headers = signRequest({ method: 'POST', path: PATH }, credentials, {
    nonce: randomBytes(20).toString('hex'),
    date: new Date().toUTCString(),
  });
  return { headers, body: JSON.stringify({ name }) };
}

/** Returns the status of the response, or undefined when the connection broke first. */
function send(
  { baseUrl }: SandboxReadyMessage,
  agent: Agent,
  { headers, body }: Signed,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(`${baseUrl}${PATH}`, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    sent.on('error', () => resolve(undefined));
    sent.on('response', (answer) => {
      // The status line is enough, because the rest may be cut off.
      resolve(answer.statusCode);
      answer.on('error', () => undefined).resume();
    });
    sent.end(body);
  });
}

/** Makes a folder of that name. Returns true if it was acknowledged, and false if the connection broke first. */
const write = async (ready: SandboxReadyMessage, agent: Agent, name: string): Promise<boolean> =>
  (await send(ready, agent, folderRequest(ready, name))) === 202;

const namesIn = async (database = join(data(), 'sandbox.db')): Promise<ReadonlySet<string>> => {
  const store = await openStore(database);
  const check = await store.db.first(sql<object>`pragma integrity_check`);
  expect(Object.values(check ?? {})).toEqual(['ok']);
  const rows = await store.db.all(sql<Pick<Row<'folder'>, 'name'>>`select name from folder`);
  await store.close();
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  return new Set(rows.map(({ name }) => name));
};

it(`X1: ${KILLS} kills under ${WRITERS} writers lose no acknowledged write, and it is ready again in 2 s`, async () => {
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
  // The fastest start counts, because a busy machine delays some of them.
  expect(Math.min(...starts)).toBeLessThan(READY_MS);
  tried('X1', acknowledged.length);
}, 600_000);

it(`A2: ${REPLAY_KILLS} kills between a request and its replay: no copy is accepted`, async () => {
  let sent: readonly Signed[] = [];
  const acknowledged = new Set<Signed>();
  let replayed = 0;
  // The process that gets the copies of the last round is the one that the next round kills.
  for (let kill = 0; kill <= REPLAY_KILLS; kill += 1) {
    const { child, ready } = await start(process.execPath, [runner, data()]);
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    for (const copy of sent) {
      const status = await send(ready, agent, copy);
      // A request that was cut off may have been lost. Then its copy arrives first.
      expect(acknowledged.has(copy) ? [401] : [401, 202]).toContain(status);
      if (acknowledged.has(copy)) replayed += 1;
    }
    const requests = Array.from({ length: COPIES }, (_, at) => folderRequest(ready, `${kill}-${at}`));
    const ended = once(child, 'exit');
    let answers = 0;
    await Promise.all(
      requests.map(async (each) => {
        if ((await send(ready, agent, each)) !== 202) return;
        acknowledged.add(each);
        answers += 1;
        if (answers === COPIES / 2) child.kill('SIGKILL');
      }),
    );
    await ended;
    agent.destroy();
    sent = requests;
  }
  expect(replayed).toBeGreaterThanOrEqual((REPLAY_KILLS * COPIES) / 2);
  // Its check of the names shows that no folder was made twice.
  await namesIn();
  tried('A2', replayed);
}, 600_000);

/** Returns the 202 responses that left after their data was written to the database log, but before the sync. */
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
    await removeFolder(data());
    const normal = await unsynced(['pragma synchronous = NORMAL']);
    expect(normal.acks).toBeGreaterThanOrEqual(ACKS);
    expect(normal.early).toBeGreaterThan(ACKS / 2);
    tried('X2', full.acks);
  },
);

/** Returns the acknowledged writes that are lost if the power is cut right after an acknowledgement, at `CUTS` moments. */
async function lostByCuts(
  pragma: readonly string[],
): Promise<{ readonly lost: number; readonly acks: number }> {
  const trace = join(folder, 'trace');
  const argv = [...TRACE_OPTIONS, '-o', trace, process.execPath, runner, data(), ...pragma];
  const { child, ready } = await start('strace', argv);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let at = 0; at < ACKS / 4; at += 1) expect(await write(ready, agent, `${writer}-${at}`)).toBe(true);
  });
  await Promise.all(writers);
  agent.destroy();
  const ended = once(child, 'exit');
  process.kill(ready.pid, 'SIGTERM');
  await ended;
  const disk = new LossyDisk(join(data(), 'sandbox.db'));
  const random = seededRandom(SEED);
  const acknowledged: string[] = [];
  let lost = 0;
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) {
    const sent = disk.play(line);
    if (!sent?.includes('HTTP/1.1 202 ')) continue;
    acknowledged.push(...[...sent.matchAll(/"name":"([^"]+)"/g)].map(([, name = '']) => name));
    if (random() > CUTS / ACKS) continue;
    // Data that was not synced is missing, or present in whole or in part.
    for (const keeps of [() => 0, () => [0, 1, random()][Math.floor(3 * random())] ?? 0]) {
      const stored = await namesAfter(disk.cut(keeps));
      lost += acknowledged.filter((name) => !stored.has(name)).length;
    }
  }
  return { lost, acks: acknowledged.length };
}

async function namesAfter(files: ReadonlyMap<string, Buffer>): Promise<ReadonlySet<string>> {
  const after = await makeTemporaryFolder('cut');
  for (const [name, content] of files) await writeFile(join(after, name), content);
  try {
    return await namesIn(join(after, 'sandbox.db'));
  } finally {
    await removeFolder(after);
  }
}

it.skipIf(!hasStrace)(
  `X2: a cut of the power at ${CUTS} moments of ${ACKS} loses nothing; with synchronous=NORMAL it does (SVC_SEED=${SEED})`,
  async () => {
    const full = await lostByCuts([]);
    expect(full.acks).toBeGreaterThanOrEqual(ACKS);
    expect(full.lost).toBe(0);
    tried('X2', full.acks);
    await removeFolder(data());
    expect((await lostByCuts(['pragma synchronous = NORMAL'])).lost).toBeGreaterThan(0);
  },
);
