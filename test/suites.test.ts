/** Each file of tests runs with one of `npm test`, `test:e2e`, `test:postgres` and `test:deep`: CONTRIBUTING, "Tests". */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it, vi } from 'vitest';
import { deepFiles, filesOf, onPostgres, ROOT, testFiles, tierOf } from '../.config/suites.ts';
import { depth } from './support/depth.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sources = testFiles().map((file) => ({ file, text: read(file) }));

it.each([
  ['test/text/csv.test.ts', 'quick'],
  ['test/wires.test.ts', 'quick'],
  ['test/e2e/demo.test.ts', 'e2e'],
  ['test/bin/start.e2e.test.ts', 'e2e'],
  ['test/e2e/import.deep.test.ts', 'deep'],
  ['test/sandbox/postgres/store.test.ts', 'postgres'],
  ['test/sandbox/postgres/kills.deep.test.ts', 'deep'],
  ['test/cli/commands/sandbox/store.postgres.test.ts', 'postgres'],
] as const)('runs %s with %s', (file, tier) => {
  expect(testFiles()).toContain(file);
  expect(tierOf(file)).toBe(tier);
});

it('counts a file as deep if it repeats for depth or belongs to a torture row', () => {
  const repeating = sources
    .filter(({ text }) => /\bdepth\('SVC_|\btried\('[A-Z]/.test(text))
    .map(({ file }) => file);
  expect(repeating.length).toBeGreaterThan(5);
  expect(deepFiles()).toEqual([...new Set([...repeating, ...filesOf('deep')])].sort());
});

it('also runs tests of the sandbox on PostgreSQL, except those that do not use it', () => {
  const all = testFiles().filter((file) => file.startsWith('test/sandbox/') && tierOf(file) !== 'deep');
  const postgres = onPostgres();
  const left = all.filter((file) => !postgres.includes(file));
  expect(left).toHaveLength(37);
  expect(left).toContain('test/sandbox/pages/outbox.e2e.test.ts');
  expect(left).toContain('test/sandbox/store/query-plans.test.ts');
  expect(postgres).toContain('test/cli/commands/sandbox/store.postgres.test.ts');
});

/** Code that takes longer to start than a thousand tests in one process. */
const HEAVY = /\/support\/(?:bundle|built-package|completing-shells|page-visits|strace|terminal)\.ts$/;
const OF_HEAVY = /\b(?:startCluster|launch|inTerminal|rolldown)\(/;

it('`npm test` starts no shell, browser, server or bundle, except in test/wires.test.ts', () => {
  const heavy = sources.filter(({ file, text }) => {
    const imports = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, to = '']) => join(dirname(file), to));
    return imports.some((each) => HEAVY.test(`/${relative('.', each)}`)) || OF_HEAVY.test(text);
  });
  const tiers = heavy.filter(({ file }) => tierOf(file) === 'quick').map(({ file }) => file);
  expect(tiers).toEqual(['test/wires.test.ts']);
  expect(heavy.length).toBeGreaterThan(40);
});

// Otherwise a test that exists only at one depth would be missing from the run at the other.
it('only numbers depend on the depth', () => {
  const readers = sources.filter(
    ({ file, text }) => text.includes('SVC_' + 'DEPTH') && file !== 'test/suites.test.ts',
  );
  expect(readers.map(({ file }) => file)).toEqual([]);
  const large = sources.flatMap(({ text }) => [
    ...text.matchAll(/\bdepth\('(SVC_\w+)', \{ few: ([\d_]+), full: ([\d_]+) \}\)/g),
  ]);
  expect(large.length).toBeGreaterThan(5);
  for (const [call, , few = '', full = ''] of large)
    expect([call, number(few) > 0 && number(few) <= number(full)]).toEqual([call, true]);
});

it('middle numbers lie between few and full ones, and a variable overrides them', () => {
  const asked = (level: string, given?: string) => {
    vi.stubEnv('SVC_DEPTH', level);
    vi.stubEnv('SVC_EXAMPLE', given);
    return depth('SVC_EXAMPLE', { few: 4, full: 100 });
  };
  try {
    expect(['few', 'middle', 'full'].map((level) => asked(level))).toEqual([4, 20, 100]);
    expect(asked('full', '7')).toBe(7);
    expect(() => asked('half')).toThrow('SVC_DEPTH is half: few, middle or full');
  } finally {
    vi.unstubAllEnvs();
  }
});

it('.ci/run runs each file once, with few repetitions, and the nightly run repeats more', () => {
  const scripts = JSON.parse(read('package.json')).scripts;
  expect(scripts).toMatchObject({
    test: expect.stringContaining('.config/vitest.config.ts'),
    'test:e2e': expect.stringContaining('.config/vitest.e2e.config.ts'),
    'test:deep': expect.stringContaining('.config/vitest.deep.config.ts'),
    'test:postgres': expect.stringContaining('.config/vitest.postgres.config.ts'),
  });
  expect(read('.ci/run').split('\n')).toEqual(
    expect.arrayContaining([
      'export SVC_DEPTH=few',
      'npm test',
      'npm run test:e2e',
      expect.stringMatching(
        /^npm run test:deep -- \.deep\.test\.ts( --exclude test\/(node-versions|seeded-defects|regular-expressions|sandbox\/pages\/large)\.deep\.test\.ts){4}$/,
      ),
      'npm run test:postgres',
    ]),
  );
  const nightly = read('.github/workflows/nightly.yml');
  expect(nightly).toMatch(/^ +- run: npm run test:deep$/m);
  expect(nightly).toMatch(/^ +- run: SVC_DEPTH=middle SVC_POSTGRES_PAGES=1 npm run test:postgres$/m);
  expect(nightly).toMatch(/^ +- run: SVC_VIEWS=4 npm run test:e2e -- test\/sandbox\/pages test\/site$/m);
  expect(read('.config/vitest.deep.config.ts')).toContain("process.env['SVC_DEPTH'] ?? 'full'");
});

const number = (text: string): number => Number(text.replaceAll('_', ''));
