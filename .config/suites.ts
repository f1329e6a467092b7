/**
 * Which files of tests each of the two runs takes. `npm test` is what a change is made with, and leaves out `*.deep.test.ts`;
 * `npm run test:deep` runs those, and once more, with their full numbers, the files that repeat for depth.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const isTest = (file: string): boolean => file.endsWith('.test.ts');
const isDeepAlone = (file: string): boolean => file.endsWith('.deep.test.ts');

export const QUICK = { include: ['test/**/*.test.ts'], exclude: ['test/**/*.deep.test.ts'] };

/** What a sandbox is tested by, but for what is about SQLite and its file alone. */
export const POSTGRES = {
  include: ['test/sandbox/**/*.test.ts'],
  exclude: [
    'test/**/*.deep.test.ts',
    // They have a server of their own, and run with all others.
    'test/sandbox/postgres/**',
    // What is on the disk once a file is written, and what a kill leaves there.
    'test/sandbox/durable*.test.ts',
    'test/sandbox/kill.test.ts',
    // The file of SQLite: its tables, its plans, its statements.
    'test/sandbox/store/{migrations,tables,statements,query-plans,lookup-plans}.test.ts',
    // They look at a page that must stand still, and PostgreSQL says a second or two late that something changed
    // (src/sandbox/store/changes.ts). What they show is asked for in the tests of the operations.
    'test/sandbox/pages/{account,automations,clock,empty,lists,tasks}.test.ts',
    // Snapshots are copies of that file.
    'test/sandbox/data/snapshots.test.ts',
  ],
};

/** Read when it is asked for, so that a new file is taken without a list to add it to. */
export function deepFiles(): readonly string[] {
  return testFiles().filter((file) => isDeepAlone(file) || asksForDepth(file));
}

export function testFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(isTest)
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .sort();
}

/** What both runs share. */
export const SETTINGS = {
  pool: 'threads',
  // Importing a module does nothing, so files share what they import: reading it again for each takes as long as the tests.
  isolate: false,
  globalSetup: ['test/support/global-setup.ts'] as string[],
  // Tests with real processes do little but wait, and the two workers beyond the cores work meanwhile.
  maxWorkers: availableParallelism() + 2,
  // They share the cores with all the others.
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const;

function asksForDepth(file: string): boolean {
  return /from '[./]*support\/depth\.ts'/.test(readFileSync(join(ROOT, file), 'utf8'));
}
