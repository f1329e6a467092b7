/**
 * Acceptance, F4: no regular expression of the program takes more than linear time, unless its text is bounded. scslre finds the
 * quantifiers at which a text makes the engine search repeatedly. `regular-expressions.deep.test.ts` has a slower check that finds more.
 */
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { tried } from './support/depth.ts';
import { allExpressions, BOUNDED, BUILT, building, nameOf } from './support/regular-expressions.ts';

/** The types of scslre need those of its parser, which this test does not use. So this declares the function again. */
const { analyse } = createRequire(import.meta.url)('scslre') as {
  readonly analyse: (expression: { readonly source: string; readonly flags: string }) => {
    /** Each report is a way in which a text makes the engine search again. */
    readonly reports: readonly unknown[];
  };
};

it('no text makes a regular expression slow, but where texts are short', async () => {
  const all = await allExpressions();
  const slow = all.filter(({ source, flags }) => analyse({ source, flags }).reports.length > 0).map(nameOf);
  expect(slow.length).toBeGreaterThan(5);
  expect(slow.filter((name) => !(name in BOUNDED))).toEqual([]);
  tried('F4', all.length);
});

it('each file with a function that builds an expression is listed here', () => {
  // This function runs when its module is loaded.
  building.delete('cli/commands/mcp/untrusted.ts');
  expect([...building].sort()).toEqual(Object.keys(BUILT).sort());
});

it('the check finds slow expressions', () => {
  const slow = [/^(a+)+$/, /\s+$/, /^(.*?)\s*=\s*(.*)$/s, /^[^\s@]+@[^\s@]+\.[^\s@]+$/];
  for (const { source, flags } of slow)
    expect([source, analyse({ source, flags }).reports.length > 0]).toEqual([source, true]);
});
