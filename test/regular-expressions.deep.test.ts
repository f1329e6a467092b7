/**
 * Acceptance, F4: recheck searches each regular expression for a text that makes it slow. It also finds alternatives of one loop that
 * match the same text, as in `(a|a)*`, and a loop after a fixed beginning, as in `<meta[^>]*x`. It takes a minute and a half of one core.
 * It has no time limits and a fixed seed, so it finds the same on each machine.
 */
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { tried } from './support/depth.ts';
import { allExpressions, BOUNDED, nameOf } from './support/regular-expressions.ts';

type Status = 'safe' | 'vulnerable' | 'unknown';
/** The types of recheck need those of the browser, so this declares the function again. */
const { check } = createRequire(import.meta.url)('recheck') as {
  readonly check: (source: string, flags: string, options: object) => Promise<{ readonly status: Status }>;
};
/** Beside other work on two cores, the search takes more than ten minutes. */
const HOUR_MS = 3_600_000;

const ENDLESS = { timeout: null, incubationTimeout: null, attackTimeout: null };

const statusOf = async (source: string, flags: string): Promise<Status> =>
  (await check(source, flags, ENDLESS)).status;

it(
  'no text makes a regular expression slow, but where texts are short',
  async () => {
    // recheck does not know the flag v. The program uses it only in expressions that match one character, or a run of one class.
    const known = (await allExpressions()).filter(({ flags }) => !flags.includes('v'));
    const all = new Map(known.map((each) => [nameOf(each), each]));
    const unsafe: string[] = [];
    for (const [name, { source, flags }] of all)
      if ((await statusOf(source, flags)) !== 'safe') unsafe.push(name);
    expect(unsafe.length).toBeGreaterThan(5);
    expect(unsafe.filter((name) => !(name in BOUNDED))).toEqual([]);
    tried('F4', all.size);
  },
  HOUR_MS,
);

it.each(['^(a|a)*$', '^(a+)+$', '<meta[^>]*color[^>]*>', String.raw`^(\w|[0-9])+!`])(
  'finds %s',
  async (source) => expect(await statusOf(source, '')).toBe('vulnerable'),
);
