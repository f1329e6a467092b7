/**
 * Which files of tests each run takes: by the end of a file's name, or by its folder. What has no such name runs with `npm test`, in
 * one process; `npm run test:e2e` runs what needs others (shells, terminals, a browser), `npm run test:postgres` what needs a
 * server of PostgreSQL, and `npm run test:deep` what takes long, with the files that repeat for depth.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export type Tier = 'quick' | 'e2e' | 'postgres' | 'deep';

/** @param file `test/e2e/demo.test.ts` */
export function tierOf(file: string): Tier {
  if (file.endsWith('.deep.test.ts')) return 'deep';
  if (file.startsWith('test/e2e/') || file.endsWith('.e2e.test.ts')) return 'e2e';
  if (file.startsWith('test/sandbox/postgres/') || file.endsWith('.postgres.test.ts')) return 'postgres';
  return 'quick';
}

/** Read when it is asked for, so that a new file is taken without a list to add it to. */
export const filesOf = (tier: Tier): string[] => testFiles().filter((file) => tierOf(file) === tier);

/** What has a server of its own, and what a sandbox is tested by, but for what says nothing about PostgreSQL. */
export const onPostgres = (): string[] =>
  testFiles().filter(
    (file) =>
      tierOf(file) === 'postgres' ||
      (file.startsWith('test/sandbox/') && tierOf(file) !== 'deep' && !NOT_ABOUT_POSTGRES.test(file)),
  );

const NOT_ABOUT_POSTGRES = new RegExp(
  [
    // What is on the disk once a file is written, and what a kill leaves there; snapshots are copies of that file.
    'durable.*|kill|data/snapshots',
    // Its tables, its plans, its statements.
    'store/(driver/(sql|sqlite)|schema/.*|query-plans|lookup-plans)',
    // They look at a page that must stand still, and PostgreSQL says a second or two late that something changed
    // (src/sandbox/store/open.ts). What they show is asked for in the tests of the operations.
    'pages/(account|automations|clock|empty|lists|live|tasks)',
    // What a browser makes of a hostile message, of a certificate and of the colours of a page is the same whatever the store is.
    'pages/(hostile|secure|companies\\.e2e)',
    // They are decided before anything is read from the store, or have none.
    'http/(forged|guard|malformed|request-problems|secure|wire)',
    'request/(body|route)',
    'engine/(mail/mime|task-rate)',
  ]
    .map((names) => `^test/sandbox/(${names})(\\.e2e)?\\.test\\.ts$`)
    .join('|'),
);

/** With `full` numbers also what repeats for depth in other runs. */
export function deepFiles(): string[] {
  return testFiles().filter((file) => tierOf(file) === 'deep' || asksForDepth(file));
}

export function testFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .sort();
}

/** What all runs share. */
export const SETTINGS = {
  pool: 'threads',
  // Importing a module does nothing, so files share what they import: reading it again for each takes as long as the tests.
  isolate: false,
  globalSetup: ['test/support/global-setup.ts'] as string[],
  maxWorkers: availableParallelism(),
  // For what hangs: nothing else takes so long, on a busy machine neither.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // What a test waits for comes; on a busy machine later than after vitest's one second.
  expect: { poll: { timeout: 30_000 } },
  slowTestThreshold: 5_000,
  silent: 'passed-only',
} as const;

/**
 * Tests with processes do little but wait, and the two workers beyond the cores work meanwhile. Each waits for many processes, one
 * after the other, which take ten times as long on a machine that is busy.
 */
export const WAITING = {
  ...SETTINGS,
  maxWorkers: availableParallelism() + 2,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
} as const;

function asksForDepth(file: string): boolean {
  return /from '[./]*support\/depth\.ts'/.test(readFileSync(join(ROOT, file), 'utf8'));
}
