/**
 * Acceptance, C2, and contract, "Safety": whatever ends `task create`, `apply` or `email proof`, "the task is cancelled where it fails
 * `expect-size`, `max-credits` or `hold`, or the exit is 5 or 10 and names the task". Signals and closed terminals end real processes
 * before and after each of their requests. The sandbox's own record decides.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chance, createChance } from '../client/simulation-world.ts';
import { builtSvc } from '../support/built-package.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { hasPseudoTerminals } from '../support/pseudo-terminal.ts';
import { bodyOf, forward } from '../support/relay.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/**
 * The number of runs of each command, spread over the ways to end it. The first runs cut each request, and further ones cut random
 * requests.
 */
const RUNS = depth('SVC_SEND_SIGNALS', { few: 4, full: 200 });
type Way = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'closed terminal';
const SIGNALS: readonly Way[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const WAYS: readonly Way[] = hasPseudoTerminals ? [...SIGNALS, 'closed terminal'] : SIGNALS;

let svc: string;
let home: string;
let sandbox: SocketSandbox;
let proxy: Server;
/** Called with each request that svc sends, before and after it is performed. */
let onRequest: (moment: 'before' | 'after', line: string) => Promise<void> = async () => undefined;

beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('send-signals');
  sandbox = await runSandbox(join(home, 'data'));
  await sandbox.control('list create', { name: 'Customers' });
  await sandbox.control('list create', { name: 'Empty' });
  for (const each of [1, 2, 3])
    await sandbox.control('subscriber create', { lists: [1], email: `someone${each}@example.com` });
  await makeMessage('Message');
  proxy = createServer((incoming, answer) => {
    relay(incoming).then(
      ({ status, headers, body }) => answer.writeHead(status, headers).end(body),
      () => answer.destroy(),
    );
  });
  // A connection that is closed during a request loses that request.
  proxy.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await sandbox.stop();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

async function makeMessage(name: string): Promise<string> {
  const message = { name, fromemail: null, fromname: 'Company', replyemail: 'office@example.com' };
  const made = await sandbox.api('POST', '/v1/emailMessage', {
    ...message,
    ...{ subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' },
  });
  expect(made.status).toBe(202);
  return String(made.json.response.data.id);
}

async function relay(incoming: IncomingMessage) {
  const line = `${incoming.method} ${incoming.url?.split('?')[0]}`;
  const body = await bodyOf(incoming);
  await onRequest('before', line);
  const answer = await forward(sandbox.ready.baseUrl, incoming, body);
  await onRequest('after', line);
  return answer;
}

interface Limit {
  readonly name: string;
  readonly flags: readonly string[];
  readonly lines: readonly string[];
}
/** List 1 has three subscribers. */
const LIMITS: readonly Limit[] = [
  { name: 'expect-size', flags: ['--expect-size', '1..1'], lines: ['expect-size: 1..1'] },
  { name: 'hold', flags: ['--hold', '10m'], lines: ['hold: 10m'] },
  { name: 'both', flags: ['--hold', '10m', '--expect-size', '3'], lines: ['hold: 10m', 'expect-size: 3'] },
];
const CREDITS: Limit = { name: 'max-credits', flags: [], lines: ['max-credits: 2'] };

interface Command {
  readonly name: string;
  readonly limits: readonly Limit[];
  /**
   * Returns the command line of a separate run.
   * @param name the name of the task that it makes
   */
  readonly argv: (name: string, limit: Limit) => Promise<readonly string[]>;
}
const COMMANDS: readonly Command[] = [
  {
    name: 'task create',
    limits: LIMITS,
    argv: async (name, { flags }) => [
      ...['task', 'create', '--name', name, '--channel', 'email', '--message', '1', '--list', '1'],
      ...['--at', '+1d', ...flags],
    ],
  },
  {
    name: 'apply',
    limits: [...LIMITS, CREDITS],
    argv: async (name, { lines }) => {
      const folder = join(home, name.replaceAll(' ', '-'));
      await mkdir(join(folder, 'content'), { recursive: true });
      await writeFile(join(folder, 'content', 'a.html'), '<p>Hello</p>\n');
      await writeFile(join(folder, 'content', 'a.txt'), 'Hello\n');
      const message = ['channel: email', 'name: A', 'from-name: Company', 'reply-to: office@example.com'];
      const content = ['subject: Hello', 'html: content/a.html', 'text: content/a.txt'];
      const task = [`name: ${name}`, 'message: a', 'list: 1', 'at: +1d', ...lines];
      const text = [
        ...['version: 1', `campaign: ${name}`, 'messages:', '  a:'],
        ...[...message, ...content].map((line) => `    ${line}`),
        ...['tasks:', '  t:', ...task.map((line) => `    ${line}`), ''],
      ].join('\n');
      await writeFile(join(folder, 'c.yaml'), text);
      return ['apply', join(folder, 'c.yaml'), '--yes'];
    },
  },
  {
    name: 'email proof',
    // A proof that reaches no one is cancelled.
    limits: [{ name: 'no recipients', flags: [], lines: [] }],
    argv: async (name) => ['email', 'proof', await makeMessage(name), '--list', '2', '--yes'],
  },
];

interface Ended {
  readonly code: number | null;
  readonly text: string;
  readonly lines: readonly string[];
  /** The request at which the run was cut, or `countdown`; undefined if the run ended earlier. */
  readonly cutAt: string | undefined;
}

interface CutAt {
  readonly way: Way;
  /** The number of the request, from 1; Infinity for the countdown alone. */
  readonly at: number;
  readonly moment: 'before' | 'after';
  /** The milliseconds between the signal and the response. */
  readonly pause: number;
}

async function run(argv: readonly string[], cut: CutAt | undefined): Promise<Ended> {
  const lines: string[] = [];
  let cutAt: string | undefined;
  let text = '';
  const onTerminal = cut?.way === 'closed terminal';
  const child = start(argv, onTerminal);
  const over = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  let own: number | undefined;
  const end = async (where: string): Promise<void> => {
    if (cut === undefined || cutAt !== undefined) return;
    cutAt = where;
    if (cut.way === 'closed terminal') {
      own = childOf(child.pid ?? 0);
      child.kill('SIGKILL');
    } else child.kill(cut.way);
    await sleep(cut.pause);
  };
  const hear = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    if (/Countdown for task|left to cancel/.test(text)) void end('countdown');
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  onRequest = async (moment, line) => {
    if (moment === 'before') lines.push(line);
    if (cut?.at === lines.length && cut.moment === moment) await end(`${moment} ${line}`);
  };
  const code = await over;
  if (own !== undefined) while (exists(own)) await sleep(20);
  onRequest = async () => undefined;
  return { code, text, lines, cutAt };
}

function start(argv: readonly string[], onTerminal: boolean): ChildProcess {
  const { company } = sandbox.ready;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_BASE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    SVC_COMPANY_ID: String(company.id),
    SVC_USER_ID: String(company.adminUserId),
    SVC_API_KEY: company.apiKey,
    TERM: 'xterm',
  };
  if (!onTerminal) return spawn(process.execPath, [svc, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const words = [process.execPath, svc, ...argv].map((word) => `'${word}'`).join(' ');
  return spawn('script', ['-qec', `exec ${words}`, '/dev/null'], { env, stdio: 'pipe' });
}

function childOf(pid: number): number | undefined {
  const found = readdirSync('/proc').find((name) => /^[0-9]+$/.test(name) && parentOf(name) === pid);
  return found === undefined ? undefined : Number(found);
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\t([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

function exists(pid: number): boolean {
  try {
    return !/^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Task {
  readonly id: number;
  readonly name: string;
  readonly cancelled: boolean;
  readonly completed: boolean;
}

/** Every task of a run breaks its limit or was cut during its hold, so none may be live. */
async function liveTask(name: string): Promise<Task | undefined> {
  const { json } = await sandbox.api('GET', '/v1/task?sort=id&reverse=true&count=20');
  return (json.response.data as readonly Task[]).find(
    (task) => task.name.includes(name) && !task.cancelled && !task.completed,
  );
}

const randomCut = (chance: Chance, way: Way, lines: readonly string[], hasTask: boolean): CutAt => {
  const post = lines.indexOf('POST /v1/task') + 1;
  const [from, to] = hasTask ? [post, lines.length + 1] : [1, lines.length];
  return {
    way,
    at: Math.floor(chance.between(from, to + 1)),
    moment: chance.is(0.5) ? 'before' : 'after',
    pause: chance.is(0.5) ? 0 : chance.between(0, 60),
  };
};

interface LimitedCut extends CutAt {
  readonly limit: Limit;
}

/** Returns a cut before and after each request of each run. The ways to end a run alternate. */
const eachCut = (ofLimit: ReadonlyMap<Limit, readonly string[]>): readonly LimitedCut[] =>
  [...ofLimit]
    .flatMap(([limit, lines]) =>
      lines.flatMap((_, at) =>
        (['before', 'after'] as const).map((moment) => ({ limit, at: at + 1, moment, pause: 0 })),
      ),
    )
    .map((cut, at) => ({ ...cut, way: WAYS[at % WAYS.length] ?? 'SIGINT' }));

describe.each(COMMANDS)('svc $name', ({ name: command, limits, argv }) => {
  it(`ended at ${RUNS} requests by ${WAYS.join(', ')}, SVC_SEED=${SEED}`, { timeout: 1e9 }, async () => {
    const chance = createChance(SEED);
    const ofLimit = new Map<Limit, readonly string[]>();
    for (const limit of limits) {
      const uncut = await run(await argv(`${command} ${limit.name}`, limit), {
        ...{ way: 'SIGINT', at: Number.POSITIVE_INFINITY, moment: 'before', pause: 0 },
      });
      expect([limit.name, uncut.code]).toEqual([limit.name, limit.flags.includes('--hold') ? 130 : 2]);
      ofLimit.set(limit, uncut.lines);
    }
    const tally: Record<string, number> = {};
    const count = (what: string): void => {
      tally[what] = (tally[what] ?? 0) + 1;
    };
    const faults: string[] = [];
    let number = 0;
    const listed = eachCut(ofLimit);
    const all = RUNS >= listed.length ? listed : [];
    const nextCut = (n: number): LimitedCut => {
      const way = WAYS[n % WAYS.length] ?? 'SIGINT';
      const limit = chance.pick(limits);
      // Three of four runs are cut when a task may exist, with any seed. The others are cut earlier, each way in its turn.
      const hasTask = (n + Math.floor(n / WAYS.length)) % 4 !== 0;
      return { limit, ...randomCut(chance, way, ofLimit.get(limit) ?? [], hasTask) };
    };
    for (let n = 1; n <= RUNS; ) {
      const cut = all[number] ?? nextCut(n);
      const { limit, way } = cut;
      number += 1;
      const name = `${command} ${number} of ${SEED}`;
      const ended = await run(await argv(name, limit), cut);
      const live = await liveTask(name);
      if (live !== undefined) {
        count('live');
        const isNamed = ended.text.includes(`task ${live.id}`) || ended.text.includes(name);
        const isTold = way === 'closed terminal' || [5, 10].includes(ended.code ?? 0);
        if (!isNamed || !isTold)
          faults.push(
            `${name}, ${limit.name}, ${way} ${ended.cutAt}: task ${live.id} is live, exit ${ended.code}`,
          );
      }
      if (ended.cutAt === undefined) {
        count('over before the cut');
        if (ended.code !== 2) faults.push(`${name} was not cut and ended ${ended.code}: ${ended.text}`);
        continue;
      }
      n += 1;
      count(way);
      if (ended.cutAt !== undefined)
        count(ended.lines.includes('POST /v1/task') ? 'cut with a task' : 'cut before');
      if (ended.cutAt === 'countdown') count('cut in the countdown');
      if (way !== 'closed terminal') count(`exit ${ended.code}`);
    }
    process.stdout.write(`svc ${command}: ${JSON.stringify(tally)}, ${all.length} of them at each request\n`);
    expect(faults).toEqual([]);
    expect(tally['cut with a task'] ?? 0).toBeGreaterThan(RUNS / 4);
    tried('C2', number);
  });
});
