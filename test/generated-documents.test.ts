/**
 * Compares every page of help and of `svc explain` with the committed files (`npm run generate` writes them). Also checks the reference.
 */
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf } from '../.config/commands.ts';
import { withManList, withoutManList } from '../.config/man-list.js';
import { explainPages, helpPages, reference } from '../.config/reference.ts';
import { terminalPicture } from '../.config/terminal-picture.ts';
import { withVerbs } from '../.config/verb-tables.ts';
import { nouns, topLevelCommandEntries } from '../src/cli/registry/entries.ts';
import { runCli } from './support/run-cli.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const help = await helpPages(topLevelCommandEntries, 80);

it('test/golden/help-80.txt has every page of help', async () => {
  await expect(help).toMatchFileSnapshot('golden/help-80.txt');
});

/** Pages with more flags than fit on one screen. */
const LONG =
  /^svc (account create|profile add|features set|sms send|email (create|update|lint)|task (create|list)|plan make|automation (create --kind|update)|sandbox start)/;

it('the page of a verb fits a screen of 80 by 24, and only examples have wider lines', () => {
  const pages = help.split(`\n\n${'='.repeat(80)}\n\n`);
  const bodies = pages.map((page): [string, readonly string[]] => {
    const [command = '', ...lines] = page.split('\n');
    return [command.slice(2), lines];
  });
  const wide = bodies.flatMap(([, lines]) =>
    lines.filter((line) => line.length > 80 && !line.startsWith('Example: ')),
  );
  expect(wide).toEqual([]);
  // Examples are not wrapped, so that they can be copied. The terminal wraps them.
  const height = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  const tall = bodies.filter(([command, lines]) => height(lines) > 24 && command.split(' ').length > 3);
  expect(tall.map(([command]) => command).filter((command) => !LONG.test(command))).toEqual([]);
});

// Contract, "Forms": `profile add NAME --base-url URL` takes `--company N --user N`, or `--partner N`; `init` takes the same flags.
it.each(['profile add', 'init'])('the page of svc %s has the flags of credentials', (command) => {
  const page = help.split('='.repeat(80)).find((each) => each.includes(`\n$ svc ${command} --help\n`)) ?? '';
  const flags = page.match(/^ {2}--[a-z-]+/gm)?.map((text) => text.trim());
  expect(flags).toEqual(
    expect.arrayContaining(['--base-url', '--company', '--user', '--partner', '--api-key-stdin']),
  );
});

it('test/golden/explain.txt has the output of svc explain for every resource', async () => {
  await expect(await explainPages(topLevelCommandEntries)).toMatchFileSnapshot('golden/explain.txt');
});

it('the reference has a chapter for every command', async () => {
  const text = await reference(topLevelCommandEntries);
  const chapters = new Set(text.match(/^##+ svc .*$/gm)?.map((line) => line.replace(/^#+ svc /, '')));
  expect([...chapters].sort()).toEqual(
    (await commandsOf(topLevelCommandEntries)).map(({ path }) => path).sort(),
  );
  expect(text).toContain('| `--at, --scheduledtime <time>` |');
  expect(text).not.toMatch(/undefined|\[object/);
});

it('the list of manual pages is added to package.json for packing, and removed afterwards', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const packed = withManList(text, ['docs/man/svc-b.1', 'docs/man/svc.1']);
  expect(JSON.parse(packed)).toEqual({ ...JSON.parse(text), man: ['docs/man/svc-b.1', 'docs/man/svc.1'] });
  expect(withoutManList(packed)).toBe(text);
  expect(withoutManList(text)).toBe(text);
  expect(() => withManList('{}', [])).toThrow('no "files"');
});

it.each(['docs/commands.md', 'docs/contract.md'])(
  'the table of nouns in %s has the verbs of the registry',
  async (file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    await expect(await withVerbs(text, nouns)).toMatchFileSnapshot(`../${file}`);
  },
);

it('docs/campaign-tests.svg shows what svc test prints for examples/campaign, and for a change that breaks a test', async () => {
  const folder = await makeTemporaryFolder('picture');
  await cp('examples/campaign', folder, { recursive: true });
  const test = () => runCli(['test'], { cwd: folder, env: { FORCE_COLOR: '1' } });
  const passed = await test();
  const campaign = join(folder, 'spring.yaml');
  const before = await readFile(campaign, 'utf8');
  expect(before).toContain('    after: 2d\n');
  await writeFile(campaign, before.replace('    after: 2d\n', '    after: 4d\n'));
  const failed = await test();
  expect([passed.exitCode, failed.exitCode]).toEqual([0, 11]);
  const output = [
    ...['$ svc test', passed.stdout],
    ...["$ sed -i 's/after: 2d/after: 4d/' spring.yaml && svc test", failed.stdout],
  ].join('\n');
  await expect(
    terminalPicture(output, 'svc test: all tests pass, then one fails after a change'),
  ).toMatchFileSnapshot('../docs/campaign-tests.svg');
});
