/** Acceptance, I1 and I2: `dnc import` killed at random points and started again, against a real process and real sockets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { depth, tried } from '../support/depth.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { ended, type Faults, type ImportService, startImportService } from './import-service.ts';

/**
 * The number of kills, with faults and without. Before a release: `SVC_KILLS=200 SVC_IMPORTS=10 SVC_ROWS=100000`. Files with faults have
 * a fiftieth of the rows, because each row takes that much longer.
 */
const KILLS = depth('SVC_KILLS', { few: 1, full: 5 });
const IMPORTS = Number(process.env['SVC_IMPORTS'] ?? 1);
const ROWS = depth('SVC_ROWS', { few: 600, full: 3_000 });
const SEED = Number(process.env['SVC_SEED'] ?? 20_261_120);
const HOURS = 12 * 3_600_000;

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('import');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

describe(`dnc import resumes after ${KILLS} kills over ${IMPORTS} imports, seed ${SEED}`, () => {
  const kinds: readonly [string, Faults, number][] = [
    ['I1: nothing is lost and nothing made twice', { delay: 0, lost: 0 }, ROWS],
    [
      'I2: neither when work is done up to 500 ms late and 5 % of the answers are lost',
      { delay: 500, lost: 0.05 },
      Math.max(400, Math.floor(ROWS / 50)),
    ],
  ];
  it.each(kinds)('%s', { timeout: HOURS }, async (_, faults, rows) => {
    const random = seeded(SEED);
    for (let at = 0; at < IMPORTS; at += 1) {
      const folder = await mkdtemp(join(home, 'job-'));
      await using service = await startImportService(svc, folder, random);
      service.misbehave(faults);
      const file = join(folder, 'rows.csv');
      const addresses = Array.from({ length: rows }, (_, row) => `person${row}@example.com`);
      await writeFile(file, `email\n${addresses.join('\n')}\n`);

      const start = () => run(service, ['dnc', 'import', file]);
      const killed = await killAtRandom(service, start, rows, KILLS / IMPORTS, random);
      expect(killed).toBe(KILLS / IMPORTS);
      const last = await start().over;

      expect(last.stderr).toContain('continuing an earlier run');
      expect([last.code, last.stderr.includes('svc:')]).toEqual([0, false]);
      // `added` counts the whole job, including rows of an earlier run.
      expect(JSON.parse(last.stdout)).toMatchObject({ rows, added: rows, skipped: 0, failed: 0, open: 0 });
      expect([...service.made.keys()].map((row) => JSON.parse(row).contactdata).sort()).toEqual(
        [...addresses].sort(),
      );
      expect([...service.made.values()].filter((times) => times !== 1)).toEqual([]);
      expect(service.again).toEqual([]);
      expect((await readdir(folder)).filter((name) => name.startsWith('rows.csv'))).toEqual(['rows.csv']);
    }
    if (faults.delay === 0) tried('I1', KILLS);
    else tried('I2', KILLS);
  });
});

describe('sms send --file, killed at random points', () => {
  it('sends no row twice, and names rows with an unknown outcome', async () => {
    const random = seeded(SEED);
    const folder = await mkdtemp(join(home, 'job-'));
    await using service = await startImportService(svc, folder, random);
    service.misbehave({ delay: 150, lost: 0.05 });
    const file = join(folder, 'rows.csv');
    const rows = Array.from({ length: 200 }, (_, row) => `${447_700_900_000 + row},Example,Row ${row}`);
    await writeFile(file, `to,from,message\n${rows.join('\n')}\n`);
    const start = () => run(service, ['sms', 'send', '--file', file, '--now']);
    await killAtRandom(service, start, rows.length, 5, random);
    const { code, stdout } = await start().over;
    const { added, unconfirmed, failed, open } = JSON.parse(stdout);
    // A row in flight at the death of the process may never have left it. svc then reports the row, and does not send it.
    expect([added + unconfirmed, failed, open]).toEqual([rows.length, 0, 0]);
    expect(code).toBe(unconfirmed > 0 ? 10 : 0);
    expect(service.made.size).toBe(added);
    expect([...service.made.values()].filter((times) => times !== 1)).toEqual([]);
    expect(unconfirmed).toBeLessThanOrEqual(5 * 16);
  });
});

describe('an interrupted dnc import', () => {
  it('finishes rows in flight, says how to resume, exits 130, and resumes', async () => {
    const folder = await mkdtemp(join(home, 'job-'));
    await using service = await startImportService(svc, folder, () => 0.5);
    service.misbehave({ delay: 40, lost: 0 });
    const file = join(folder, 'rows.csv');
    await writeFile(file, Array.from({ length: 400 }, (_, row) => `person${row}@example.com\n`).join(''));
    const start = () => run(service, ['dnc', 'import', file]);
    const { child, over } = start();
    await service.untilPosts(60);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await over;
    expect([code, stderr]).toEqual([130, expect.stringContaining('run the same command again')]);
    const { added, open } = JSON.parse(stdout);
    // Every sent row was answered and recorded.
    expect([added, open]).toEqual([service.made.size, 400 - service.made.size]);
    expect((await stat(`${file}.svc-journal`)).mode & 0o777).toBe(0o600);
    const again = await start().over;
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { added: 400, open: 0 }]);
    expect([service.made.size, service.posts(), service.again]).toEqual([400, 400, []]);
  });
});

interface Run {
  readonly child: ChildProcess;
  readonly over: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function run({ env }: ImportService, args: readonly string[]): Run {
  const all = [svc, ...args, '--yes', '-o', 'json', '--settle', '1500ms'];
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      printed[name] += chunk.toString('utf8');
    });
  const over = new Promise<Awaited<Run['over']>>((resolve) => {
    child.once('close', (code) => resolve({ code, ...printed }));
  });
  return { child, over };
}

/** Kills the process, mostly when it sends a random row, and otherwise at a random time after the start, while it resumes. */
async function killAtRandom(
  service: ImportService,
  start: () => Run,
  rows: number,
  kills: number,
  random: () => number,
): Promise<number> {
  const points = Array.from({ length: kills }, () => Math.ceil(random() * rows * 0.95)).sort((a, b) => a - b);
  let killed = 0;
  for (const point of points) {
    const { child, over } = start();
    const early = random() < 0.2 || service.posts() >= point;
    // The kill comes before the last rows, however fast the machine is.
    const moments = [service.untilPosts(Math.max(point, service.posts() + 1))];
    if (early) moments.push(sleep(100 + random() * 600));
    await Promise.race([...moments, over]);
    if (child.exitCode !== null) throw new Error(`it ended by itself: ${(await over).stderr}`);
    await ended(child, 'SIGKILL');
    killed += 1;
  }
  return killed;
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Makes a Mulberry32 generator. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
