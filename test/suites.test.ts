/** What `npm test` leaves to `npm run test:deep`: together they run every test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deepFiles, QUICK, ROOT, testFiles } from '../.config/suites.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sources = testFiles().map((file) => ({ file, text: read(file) }));
const quick = testFiles().filter((file) => !file.endsWith('.deep.test.ts'));

it('every file of tests is in one of the two, and those that repeat for depth in both', () => {
  expect([...new Set([...quick, ...deepFiles()])].sort()).toEqual(testFiles());
  const repeating = sources.filter(({ text }) => /\bdepth\('SVC_/.test(text)).map(({ file }) => file);
  expect(repeating.length).toBeGreaterThan(5);
  expect(deepFiles()).toEqual(expect.arrayContaining(repeating));
});

it('the patterns of `npm test` leave out the deep files alone', () => {
  expect(QUICK).toEqual({ include: ['test/**/*.test.ts'], exclude: ['test/**/*.deep.test.ts'] });
});

// A test that is there at one depth only would be lost to the run at the other.
it('nothing but numbers depends on the depth', () => {
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

it('.ci/run runs both', () => {
  const scripts = JSON.parse(read('package.json')).scripts;
  expect(scripts).toMatchObject({
    test: expect.stringContaining('.config/vitest.config.ts'),
    'test:deep': expect.stringContaining('.config/vitest.deep.config.ts'),
  });
  expect(read('.ci/run').split('\n')).toEqual(expect.arrayContaining(['npm test', 'npm run test:deep']));
});

const number = (text: string): number => Number(text.replaceAll('_', ''));
