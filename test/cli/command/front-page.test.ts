/** The first pages (contract, "The everyday screen"): each fits a terminal of 80 by 24, and names every command. */
import { describe, expect, it } from 'vitest';
import { isGroup } from '../../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';

const PAGES = [[[]], [['--help']], [['help']], [['sandbox']], [['sandbox', '--help']]] as const;

const pageOf = async (argv: readonly string[], columns = 80): Promise<string> => {
  const run = await runCli(argv, { env: NOBODY, tty: true, columns });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout;
};

describe('the first pages', () => {
  it.each(PAGES)('svc %j fits 24 lines of 80 columns, including one line for the prompt', async (argv) => {
    const lines = (await pageOf(argv)).trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('svc shows how to start before anything else', async () => {
    const page = await pageOf([]);
    const places = ['demo ', 'init ', 'sandbox start ', 'email, link ', 'task '].map((term) =>
      page.indexOf(`\n  ${term}`),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  it('svc names every command', async () => {
    const words = (await pageOf([])).split(/[\s,]+/);
    expect(topLevelCommandEntries.map(({ name }) => name).filter((name) => !words.includes(name))).toEqual(
      [],
    );
  });

  it('svc sandbox names every command of the sandbox', async () => {
    const tree = await topLevelCommandEntries.find(({ name }) => name === 'sandbox')?.load();
    const names = tree !== undefined && isGroup(tree) ? tree.commands.map(({ name }) => name) : [];
    const words = (await pageOf(['sandbox'])).split(/[\s,]+/);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !words.includes(name))).toEqual([]);
  });

  it('have no line longer than 40 columns on a terminal of 40', async () => {
    for (const argv of [[], ['sandbox']])
      expect((await pageOf(argv, 40)).split('\n').filter((line) => line.length > 40)).toEqual([]);
  });
});
