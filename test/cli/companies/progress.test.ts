/** Contract, "Output": without a terminal there are no prompts, no spinner, and no colour. */
import { expect, it } from 'vitest';
import { createCompanyProgressDisplay } from '../../../src/cli/companies/progress.ts';

/** Returns the output of a run over three companies, each of which takes the given number of milliseconds. */
async function written(outside: { isTTY: boolean; took?: number; quiet?: boolean; plain?: boolean }) {
  const { isTTY, took = 300, quiet = false, plain = false } = outside;
  const order: string[] = [];
  let now = 1_796_115_600_000;
  const stderr = { isTTY, columns: 80, write: async (text: string) => void order.push(text) };
  const progress = createCompanyProgressDisplay(
    { context: { stderr, env: {}, clock: { now: () => now } }, globals: { plain, quiet } },
    3,
  );
  for (const hasFailed of [false, true, false]) {
    now += took;
    await progress.done(hasFailed);
  }
  await progress.clear();
  order.push('a note\n');
  await progress.end();
  now += took;
  await progress.done(false);
  return order;
}

it('redraws one line, and removes it before other output', async () => {
  const order = await written({ isTTY: true });
  const text = order.join('');
  for (const line of ['1 of 3 companies', '2 of 3 companies, 1 failed', '3 of 3 companies, 1 failed'])
    expect(text).toContain(line);
  // The output before the progress line, and the sequence that clears the rest of the screen.
  expect(text.slice(text.lastIndexOf('companies'), text.indexOf('a note'))).toContain('\x1b[1A\r\x1b[J');
  expect(order.at(-1)).toBe('a note\n');
});

it.each([
  ['elsewhere', { isTTY: false }],
  ['with --quiet', { isTTY: true, quiet: true }],
  ['with --plain', { isTTY: true, plain: true }],
  ['a run that ends soon', { isTTY: true, took: 10 }],
])('is not drawn with %s', async (_, outside) => {
  expect(await written(outside)).toEqual(['a note\n']);
});
