/** Each page of help, the reference, and what `svc explain` says of resources, as they stand. `npm run docs` writes all. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manPages } from '../.config/man.ts';
import { explainPages, helpPages, reference } from '../.config/reference.ts';
import { entries } from '../src/cli/registry/entries.ts';

it.each([80, 200])('test/golden/help-%i.txt holds every page of help', async (columns) => {
  await expect(await helpPages(entries, columns)).toMatchFileSnapshot(`golden/help-${columns}.txt`);
});

/** Names of flags that no page can have in one screen, for there are so many; a pager shows their beginning. */
const LONG =
  /^svc (account create|profile add|features set|sms send|email (create|update|lint)|task guard|plan make|automation|sandbox start)/;

it('a page of a verb fits a screen of 80 by 24, and no line is wider but an example', async () => {
  const pages = (await helpPages(entries, 80)).split(`\n\n${'='.repeat(80)}\n\n`);
  const bodies = pages.map((page): [string, readonly string[]] => {
    const [command = '', ...lines] = page.split('\n');
    return [command.slice(2), lines];
  });
  const wide = bodies.flatMap(([, lines]) =>
    lines.filter((line) => line.length > 80 && !line.startsWith('Example: ')),
  );
  expect(wide).toEqual([]);
  // An example is not wrapped, so that it can be copied; a terminal does it.
  const height = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  const tall = bodies.filter(([command, lines]) => height(lines) > 24 && command.split(' ').length > 3);
  expect(tall.map(([command]) => command).filter((command) => !LONG.test(command))).toEqual([]);
});

it('test/golden/explain.txt holds what svc explain says of every resource', async () => {
  await expect(await explainPages(entries)).toMatchFileSnapshot('golden/explain.txt');
});

it('docs/reference.md is what the declarations say', async () => {
  await expect(await reference(entries)).toMatchFileSnapshot('../docs/reference.md');
});

describe('docs/man', async () => {
  const pages = await manPages(entries);

  it('has a page of every command and topic, as the declarations say', async () => {
    for (const [file, text] of pages) await expect(text).toMatchFileSnapshot(`../docs/man/${file}`);
  });

  // npm links the pages that package.json lists one by one; it knows no folder and no pattern.
  it('is listed in package.json', async () => {
    const about = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const man = [...pages.keys()].map((file) => `docs/man/${file}`).sort();
    await expect(`${JSON.stringify({ ...about, man }, null, 2)}\n`).toMatchFileSnapshot('../package.json');
  });

  it('has no other', () => {
    const files = readdirSync(new URL('../docs/man', import.meta.url));
    expect(files.filter((file) => !pages.has(file))).toEqual([]);
  });
});
