/**
 * Acceptance, I3 and I4: `dnc import` as a real process under strace. strace kills it at each system call that writes to its progress
 * file, to its lock or to a socket. A second test checks the order of its system calls.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { depth, tried } from '../support/depth.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { type ImportService, startImportService } from './import-service.ts';

if (!hasStrace) process.stdout.write('import-calls.deep.test.ts is skipped: strace is not installed\n');

/** The number of rows in each import that is killed. More rows repeat the same calls. */
const ROWS = 20;
/** The calls, out of each ten, at which it is killed. */
const OF_TEN = depth('SVC_KILLS_OF_TEN', { few: 2, full: 10 });
/** The number of rows in the import whose calls are checked. */
const ORDERED = depth('SVC_ORDERED_ROWS', { few: 300, full: 1000 });
const HOUR = 3_600_000;

const WRITES = 'write,writev,pwrite64,sendto,sendmsg';
const SYNCS = 'fsync,fdatasync';
const REMOVES = 'unlink,unlinkat,rename,renameat,renameat2';

let svc: string;
let home: string;
let service: ImportService;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('import-calls');
  service = await startImportService(svc, home, () => 0.5);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

/** File work uses one thread, because strace counts by thread and must count all of it. */
const env = () => ({ ...service.env, UV_THREADPOOL_SIZE: '1' });
const argvFor = (file: string): string[] => [
  ...[svc, 'dnc', 'import', file, '--yes', '-o', 'json', '--settle', '1s', '--concurrency', '4'],
];

async function rowsFile(name: string, count: number): Promise<{ file: string; addresses: string[] }> {
  const file = join(home, `${name}.csv`);
  const addresses = Array.from({ length: count }, (_, row) => `row${row}@${name}.example.com`);
  await writeFile(file, `email\n${addresses.join('\n')}\n`);
  return { file, addresses };
}

/** Returns how often the service performed each row. */
const timesOf = (addresses: readonly string[]): readonly number[] =>
  addresses.map((contactdata) => service.made.get(JSON.stringify({ contactdata })) ?? 0);

interface Point {
  readonly name: string;
  readonly calls: string;
  /** The file that the calls concern; undefined for any. */
  readonly path: (file: string) => string | undefined;
  readonly least: number;
}

describe.skipIf(!hasStrace)('dnc import', () => {
  const journal = (file: string): string => `${file}.svc-journal`;
  const lock = (file: string): string => `${file}.svc-journal.lock`;
  /** strace counts each system call separately, so each kind has separate imports. `least` is the number of calls in one import. */
  const points: readonly Point[] = [
    { name: 'write', calls: WRITES, path: journal, least: 3 },
    { name: 'sync', calls: SYNCS, path: journal, least: 2 },
    { name: 'remove', calls: REMOVES, path: journal, least: 1 },
    { name: 'lock', calls: WRITES, path: lock, least: 1 },
    { name: 'unlock', calls: REMOVES, path: lock, least: 1 },
    { name: 'socket', calls: WRITES, path: () => undefined, least: ROWS },
  ];

  it('I3: makes every row once if it is killed at each system call that writes, and runs again', {
    timeout: HOUR,
  }, async () => {
    const kills = await Promise.all(points.map(killAtEach));
    process.stdout.write(`${points.map(({ name }, at) => `${name} ${kills[at]}`).join(', ')} kills\n`);
    for (const [at, { name, least }] of points.entries())
      if (OF_TEN === 10) expect([name, Math.min(kills[at] ?? 0, least)]).toEqual([name, least]);
    const all = kills.reduce((sum, count) => sum + count, 0);
    tried('I3', all);
  });

  async function killAtEach({ name, calls, path }: Point): Promise<number> {
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      if ((nth * OF_TEN) % 10 >= OF_TEN) continue;
      const { file, addresses } = await rowsFile(`${name}${nth}`, ROWS);
      const effect = `signal=KILL:when=${nth}`;
      const first = await runWithInjection(calls, effect, argvFor(file), env(), path(file));
      const isKilled = first.signal === 'SIGKILL' || first.exitCode === 137;
      expect([name, nth, isKilled || first.exitCode, first.stderr]).toEqual([
        ...[name, nth, isKilled || 0, expect.any(String)],
      ]);
      if (isKilled) {
        kills += 1;
        const again = await execa(process.execPath, argvFor(file), { env: env(), reject: false });
        const { added, skipped, failed, open } = JSON.parse(again.stdout || '{}');
        expect([name, nth, again.exitCode, again.stderr]).toEqual([name, nth, 0, expect.any(String)]);
        // A run that is killed after its last row has already removed its progress file. The next run finds every row in the service.
        expect([name, nth, added + skipped, failed, open]).toEqual([name, nth, ROWS, 0, 0]);
      }
      expect([name, nth, timesOf(addresses)]).toEqual([name, nth, addresses.map(() => 1)]);
      if (!isKilled) return kills;
    }
  }

  it(`I4: of ${ORDERED} rows none is written to a socket before the mark above it is synced`, {
    timeout: HOUR,
  }, async () => {
    const { file, addresses } = await rowsFile('ordered', ORDERED);
    const trace = join(home, 'trace');
    const calls = `trace=${WRITES},${SYNCS}`;
    const options = ['-f', '-qq', '-y', '-s', '4096', '-o', trace, '-e', calls];
    const run = await execa('strace', [...options, process.execPath, ...argvFor(file)], {
      env: env(),
      reject: false,
    });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
    expect(timesOf(addresses)).toEqual(addresses.map(() => 1));
    const text = await readFile(trace, 'utf8');
    expect(judge(text)).toEqual({ sent: ORDERED, early: 0 });
    // The check itself works: without its syncs, the same run sends every row early.
    const withoutSyncs = text
      .replaceAll(/^.*\bf(?:data)?sync\(.*$/gm, '')
      .replaceAll(/^.*\bf(?:data)?sync resumed.*$/gm, '');
    expect(judge(withoutSyncs)).toEqual({ sent: ORDERED, early: ORDERED });
    tried('I4', ORDERED);
  });
});

/** Counts the rows that were written to a socket, and those among them that no mark on the disk allowed. */
function judge(trace: string): { readonly sent: number; readonly early: number } {
  const sent = new Set<number>();
  let early = 0;
  /** The highest mark in the file by completed calls, and the highest mark in it when a completed sync began. */
  let written = 0;
  let durable = 0;
  const begun = new Map<string, { readonly mark?: number; readonly syncs?: number }>();
  for (const line of trace.split('\n')) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const end = (effect: { readonly mark?: number; readonly syncs?: number } | undefined): void => {
      written = Math.max(written, effect?.mark ?? 0);
      durable = Math.max(durable, effect?.syncs ?? 0);
    };
    if (call.startsWith('<... ')) {
      end(begun.get(thread));
      begun.delete(thread);
    } else if (/^\w+\(\d+<[^>]*\.svc-journal>/.test(call)) {
      const marks = [...call.matchAll(/(?:"|\\n)H (\d+)\\n/g)].map(([, mark]) => Number(mark));
      const effect = /^f(?:data)?sync\(/.test(call) ? { syncs: written } : { mark: Math.max(0, ...marks) };
      if (call.includes('<unfinished ...>')) begun.set(thread, effect);
      else end(effect);
    } else
      for (const [, digits] of call.matchAll(/row(\d+)@ordered\.example\.com/g)) {
        const row = Number(digits);
        if (!sent.has(row) && row >= durable) early += 1;
        sent.add(row);
      }
  }
  return { sent: sent.size, early };
}
