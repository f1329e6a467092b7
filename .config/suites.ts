/**
 * Assigns each test file to a run, by the end of its name or by its folder. `npm run test:e2e` runs tests that need other processes, such
 * as shells, terminals and a browser. `npm run test:postgres` runs tests that need a PostgreSQL server. `npm run test:deep` runs long
 * tests, and all files that repeat for depth. `npm test` runs all other files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export type Tier = 'quick' | 'e2e' | 'postgres' | 'deep';

/** Returns the run of a test file. @param file a path such as `test/e2e/demo.test.ts` */
export function tierOf(file: string): Tier {
  if (file.endsWith('.deep.test.ts')) return 'deep';
  if (file.startsWith('test/e2e/') || file.endsWith('.e2e.test.ts')) return 'e2e';
  if (file.startsWith('test/sandbox/postgres/') || file.endsWith('.postgres.test.ts')) return 'postgres';
  return 'quick';
}

/** Returns the test files of a run. Reads the folder each time, so that nobody must add new files to a list. */
export const filesOf = (tier: Tier): string[] => testFiles().filter((file) => tierOf(file) === tier);

/**
 * Returns the tests that need PostgreSQL, and all tests of the sandbox whose result can depend on its store. Those of pages in a browser
 * take a third of the time and read what the tests of the operations read, so only the nightly run has them, with SVC_POSTGRES_PAGES=1.
 */
export const onPostgres = (): string[] =>
  testFiles().filter(
    (file) =>
      tierOf(file) === 'postgres' ||
      (file.startsWith('test/sandbox/') &&
        tierOf(file) !== 'deep' &&
        (process.env['SVC_POSTGRES_PAGES'] === '1' || !/\/pages\/.*\.e2e\./.test(file)) &&
        !NOT_ABOUT_POSTGRES.test(file)),
  );

const NOT_ABOUT_POSTGRES = new RegExp(
  [
    // These test the database file of SQLite on disk, after writes and after kills. Snapshots are copies of that file.
    'durable.*|kill|data/snapshots',
    // These test tables, query plans and statements of SQLite.
    'store/(driver/(sql|sqlite)|schema/.*|query-plans|lookup-plans)',
    // These need a page that stays the same, but PostgreSQL reports changes a second or two late (src/sandbox/store/open.ts).
    // The tests of the operations cover the same data.
    'pages/(account|automations|clock|empty|lists|live|stopped|tasks)',
    // A browser treats a hostile message, a certificate and the colors of a page in the same way for every store.
    'pages/(hostile|secure|companies\\.e2e)',
    // These decide before they read from the store, or have no store.
    'http/(forged|guard|malformed|request-problems|secure|wire)',
    'request/(body|route)',
    'engine/(mail/mime|task-rate)',
  ]
    .map((names) => `^test/sandbox/(${names})(\\.e2e)?\\.test\\.ts$`)
    .join('|'),
);

/** Returns the deep tests, and the files of other runs that repeat for depth. */
export function deepFiles(): string[] {
  return testFiles().filter((file) => tierOf(file) === 'deep' || asksForDepth(file));
}

export function testFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .sort();
}

/** Settings that all runs share. */
export const SETTINGS = {
  pool: 'threads',
  // Importing a module has no side effects, so test files share modules. Loading them for each file would take as long as the tests.
  isolate: false,
  globalSetup: ['test/support/global-setup.ts'] as string[],
  maxWorkers: availableParallelism(),
  // Only a test that hangs takes this long, even on a busy machine.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // On a busy machine, a condition may need longer than vitest's default of one second.
  expect: { poll: { timeout: 30_000 } },
  slowTestThreshold: 5_000,
  silent: 'passed-only',
} as const;

/**
 * Settings for tests that mostly wait for processes. Two more workers than cores use the time in between. The limits are longer, because a
 * test starts many processes in turn, and each takes ten times as long on a busy machine.
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
