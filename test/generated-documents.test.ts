/** Each page of help, the reference, and what `svc explain` says of resources, as they stand. `npm run docs` writes all. */
import { expect, it } from 'vitest';
import { explainPages, helpPages, reference } from '../.config/reference.ts';
import { globalFlags } from '../src/cli/command/globals.ts';
import { readCommandLine } from '../src/cli/command/program.ts';
import { entries } from '../src/cli/registry/entries.ts';

it('test/golden/help.txt holds every page of help', async () => {
  await expect(await helpPages(entries)).toMatchFileSnapshot('golden/help.txt');
});

it('test/golden/explain.txt holds what svc explain says of every resource', async () => {
  await expect(await explainPages(entries)).toMatchFileSnapshot('golden/explain.txt');
});

it('docs/reference.md is what the declarations say', async () => {
  await expect(await reference(entries)).toMatchFileSnapshot('../docs/reference.md');
});

// The golden text leaves them out of all pages but the first.
it('every page of a verb ends its flags with the global ones', async () => {
  const line = await readCommandLine(['task', 'cancel', '--help'], entries, {
    version: '0.0.0',
    columns: 80,
  });
  const text = line.kind === 'print' ? line.text : '';
  expect(globalFlags.filter(({ name }) => !text.includes(`--${name}`))).toEqual([]);
});
