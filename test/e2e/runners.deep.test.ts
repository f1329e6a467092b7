/**
 * H1, H2 and M6 with real processes: runners that work on the same file, and files that change under a runner. The data of the sandbox
 * decide. `SVC_RUNS=100` repeats each scenario that often.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFile,
  mkdtemp,
  open,
  readFile,
  rename,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { ended, type ImportService, startImportService } from './import-service.ts';

const RUNS = Number(process.env['SVC_RUNS'] ?? 1);
const HOURS = 12 * 3_600_000;
const ROWS = 120;

/** Returns whether a child can have separate namespaces, which end with it. Needs root. */
const canUnshare = (flag: string): boolean =>
  spawnSync('unshare', [flag, '--fork', '--kill-child', 'true']).status === 0;
const withPids = canUnshare('--pid');
const withHosts = canUnshare('--uts');
if (!withPids || !withHosts)
  process.stderr.write('runners in namespaces of their own are not tested: unshare needs root here\n');

let svc: string;
let home: string;
let service: ImportService;
let file: string;
let folder: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('runners');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});
beforeEach(async () => {
  folder = await mkdtemp(join(home, 'job-'));
  file = join(folder, 'rows.csv');
});

interface Run {
  readonly child: ChildProcess;
  readonly over: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** @param outside the command that starts it, such as `unshare --pid` */
function start(args: readonly string[], outside: readonly string[] = []): Run {
  const [program = '', ...rest] = [...outside, process.execPath, svc, ...args];
  const child = spawn(program, rest, { env: service.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => {
      printed[name] += chunk.toString('utf8');
    });
  const over = new Promise<Awaited<Run['over']>>((resolve) => {
    child.once('close', (code) => resolve({ code, ...printed }));
  });
  return { child, over };
}

const SEND = (): readonly string[] => [
  ...['sms', 'send', '--file', file, '--now', '--yes', '-o', 'json', '--settle', '1500ms', '--no-journal'],
];
const PIDS = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const HOST = [
  'unshare',
  '--uts',
  '--fork',
  '--kill-child',
  'sh',
  '-c',
  'hostname elsewhere; exec "$@"',
  'sh',
];

const numbers = (count: number, first = 447_700_900_000): readonly number[] =>
  Array.from({ length: count }, (_, row) => first + row);
const textOf = (rows: readonly number[]): string =>
  `to,from,message\n${rows.map((number) => `${number},Example,Row ${number}\n`).join('')}`;

/** Returns the numbers to which the sandbox has sent, with repetitions. */
async function sent(sort: 'id' | 'msisdn' = 'msisdn'): Promise<readonly number[]> {
  const { stdout } = await start(['sms', 'list', '-o', 'json', '--all', '--sort', 'id']).over;
  const rows: readonly { readonly msisdn: string }[] = JSON.parse(stdout);
  const all = rows.map(({ msisdn }) => Number(msisdn));
  return sort === 'id' ? all : all.sort((a, b) => a - b);
}

/** Makes the lock look as if its holder had been silent for this many seconds. */
async function age(seconds: number): Promise<void> {
  const old = new Date(Date.now() - 1000 * seconds);
  await utimes(`${file}.svc-journal.lock`, old, old);
}

/** Returns the inode of the lock. It changes when the lock is taken over, and is undefined meanwhile. */
const lockInode = async (): Promise<number | undefined> =>
  (await stat(`${file}.svc-journal.lock`).catch(() => undefined))?.ino;

/** Returns the id of the process that `unshare` has made, as seen from outside. */
async function inner({ child }: Run): Promise<number> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const again = Array.from({ length: RUNS }, (_, at) => at + 1);

describe('H2: two runners of one file', () => {
  async function slowService(): Promise<void> {
    service = await startImportService(svc, folder, () => 1);
    service.misbehave({ delay: 200, lost: 0 });
    await writeFile(file, textOf(numbers(ROWS)));
  }

  it.skipIf(!withPids).each(again)(
    'in two PID namespaces, with one host name: the second is refused, and each row is sent once (%i)',
    async () => {
      await slowService();
      await using _ = service;
      const first = start(SEND(), PIDS);
      await service.untilPosts(20);
      const second = await start(SEND(), PIDS).over;
      expect([second.code, second.stdout]).toEqual([2, '']);
      expect(second.stderr).toContain('another run of this job is still active');
      expect(second.stderr).toContain('if it crashed, wait');
      expect([(await first.over).code, await sent()]).toEqual([0, numbers(ROWS)]);
    },
    HOURS,
  );

  it.skipIf(!withHosts).each(again)(
    'under two host names, the first one suspended for a long time: it keeps the lock, and each row is sent once (%i)',
    async () => {
      await slowService();
      await using _ = service;
      const first = start(SEND(), HOST);
      await service.untilPosts(20);
      const pid = await inner(first);
      process.kill(pid, 'SIGSTOP');
      await age(3600);
      const second = await start(SEND()).over;
      expect([second.code, second.stderr]).toEqual([
        2,
        expect.stringContaining('another run of this job is still active'),
      ]);
      process.kill(pid, 'SIGCONT');
      expect([(await first.over).code, await sent()]).toEqual([0, numbers(ROWS)]);
    },
    HOURS,
  );

  it.skipIf(!withPids).each(again)(
    'with the first one suspended in a separate namespace until it is taken over: it stops, and no row is sent twice (%i)',
    async (at) => {
      await slowService();
      await using _ = service;
      const first = start(SEND(), PIDS);
      await service.untilPosts(10 + ((at * 7) % 60));
      const pid = await inner(first);
      process.kill(pid, 'SIGSTOP');
      await age(121);
      const before = await lockInode();
      const second = start(SEND());
      // Some continue while the other one is at work, and some after it has ended.
      if (at % 2 === 1) await second.over;
      else while ((await lockInode()) === before) await sleep(10);
      process.kill(pid, 'SIGCONT');
      const [one, other] = await Promise.all([first.over, second.over]);
      expect([one.code, one.stderr]).toEqual([1, expect.stringContaining('another run has taken over')]);
      const { added, unconfirmed, failed, open: left } = JSON.parse(other.stdout);
      expect([added + unconfirmed, failed, left]).toEqual([ROWS, 0, 0]);
      const made = await sent();
      expect([new Set(made).size, made.length]).toEqual([made.length, made.length]);
      expect(made.length).toBeGreaterThanOrEqual(added);
      expect(made.length).toBeLessThanOrEqual(ROWS);
    },
    HOURS,
  );

  it.skipIf(!withPids)(
    'with the first one killed in a separate namespace: the next one continues when it may, and says when',
    async () => {
      await slowService();
      await using _ = service;
      const first = start(SEND(), PIDS);
      await service.untilPosts(20);
      process.kill(await inner(first), 'SIGKILL');
      await first.over;
      const refused = await start(SEND()).over;
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/if it crashed, wait [0-9]{1,3} s/),
      ]);
      await age(121);
      const { added, unconfirmed } = JSON.parse((await start(SEND()).over).stdout);
      expect(added + unconfirmed).toBe(ROWS);
      const made = await sent();
      expect(new Set(made).size).toBe(made.length);
    },
  );

  it('M6: after a killed process that was not reaped, the next one starts at once', async () => {
    await slowService();
    await using _ = service;
    // The shell becomes a program that never waits for its children.
    const parent = start(SEND(), ['sh', '-c', '"$@" & echo $! >&2; exec sleep 3600', 'sh']);
    const [, pid = ''] = /^([0-9]+)$/m.exec(await firstLine(parent.child)) ?? [];
    await service.untilPosts(20);
    process.kill(Number(pid), 'SIGKILL');
    while (!(await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ')) await sleep(5);
    const { added, unconfirmed } = JSON.parse((await start(SEND()).over).stdout);
    expect(added + unconfirmed).toBe(ROWS);
    expect(new Set(await sent()).size).toBe((await sent()).length);
    await ended(parent.child, 'SIGKILL');
  });
});

/** Numbers that no row contained when it was checked. svc must never send to these. */
const STRANGER = 447_999_000_000;

describe('H1: a file that changes under its runner', () => {
  const changes: readonly (readonly [string, (rows: readonly number[]) => Promise<void>])[] = [
    [
      'another file replaces it',
      async (rows) => {
        await writeFile(`${file}.new`, textOf(numbers(rows.length, STRANGER)));
        await rename(`${file}.new`, file);
      },
    ],
    ['it is written again', (rows) => writeFile(file, textOf(numbers(rows.length, STRANGER)))],
    ['rows are added to it', () => appendFile(file, `${STRANGER},Example,One more\n`)],
    ['it is cut short', async () => truncate(file, Math.floor((await stat(file)).size / 2))],
    [
      'a row is changed',
      async () => {
        const opened = await open(file, 'r+');
        await opened.write(String(STRANGER), (await readFile(file)).lastIndexOf('\n4') + 1);
        await opened.close();
      },
    ],
  ];

  it(`sends the checked file or nothing, whenever it changes (${3 * RUNS} runs)`, {
    timeout: HOURS,
  }, async () => {
    service = await startImportService(svc, folder, () => 0.5);
    await using _ = service;
    const codes = new Map<number | null, number>();
    let before = 0;
    for (let at = 0; at < 3 * RUNS; at += 1) {
      const rows = numbers(300, 447_700_000_000 + at * 1000);
      file = join(folder, `rows${at}.csv`);
      await writeFile(file, textOf(rows));
      const run = start(SEND());
      // The changes happen at times from before the first reading until most of the job has been sent.
      await sleep(150 + ((at * 137) % 700));
      await changes[at % changes.length]?.[1](rows);
      const { code, stderr } = await run.over;
      // The messages are in the order of their ids.
      const all = await sent('id');
      const made = all.slice(before).sort((one, other) => one - other);
      before = all.length;
      expect([at, new Set(made).size]).toEqual([at, made.length]);
      // Only rows of the checked file were sent. If it had changed before the check, exactly the new rows were sent.
      if (made.some((number) => !rows.includes(number))) expect(textOf(made)).toBe(await sortedText());
      else if (code === 0) expect([150, 300]).toContain(made.length);
      if (code !== 0) expect(stderr).toContain('has changed since it was checked');
      if (code === 2) expect(made).toEqual([]);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    process.stderr.write(`H1, ${3 * RUNS} runs: ${JSON.stringify([...codes])} (exit code, how often)\n`);
  });

  /** Returns the current rows of the file, in the format of `textOf`. */
  async function sortedText(): Promise<string> {
    const text = await readFile(file, 'utf8');
    const to = text
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => Number(row.split(',')[0]));
    return textOf(to.sort((one, other) => one - other));
  }

  const hasScript = spawnSync('script', ['--version']).status === 0;
  it.skipIf(!hasScript).each(changes)(
    'sends nothing if %s during the question, on a terminal',
    async (_name, change) => {
      service = await startImportService(svc, folder, () => 0.5);
      await using _ = service;
      const rows = numbers(2);
      await writeFile(file, textOf(rows));
      const command = `${process.execPath} ${svc} sms send --file ${file} --now`;
      const child = spawn('script', ['-qfec', command, '/dev/null'], { env: service.env });
      let screen = '';
      child.stdout.on('data', (chunk: Buffer) => {
        screen += chunk.toString('utf8');
      });
      while (!screen.includes('Really send 2 SMS')) await sleep(10);
      await change(rows);
      child.stdin.write('y\r');
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, screen]).toEqual([2, expect.stringContaining('has changed since it was checked')]);
      expect([service.posts(), await sent()]).toEqual([0, []]);
    },
  );
});

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) =>
    child.stderr?.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8'))),
  );
}
