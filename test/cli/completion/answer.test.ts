/**
 * Answers to a shell at TAB: the words that fit at the cursor, and the format that each shell's script reads. `look-up.test.ts`
 * covers values that are looked up, and `scripts.e2e.test.ts` real shells.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CompletionResult,
  computeCompletion,
  type LoadCompletionTree,
} from '../../../src/cli/completion/answer.ts';
import { type Shell, SUPPORTED_SHELLS } from '../../../src/cli/completion/shells.ts';
import { buildCompletionTreeJsonByCommand } from '../../../src/cli/completion/tree.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const ROSTER = ['Harbour Coffee', 'Harbour: Tea, Ltd', "Joe's $x", 'a:b'].map((name, at) => ({
  ...{ id: at + 1, name, tags: at === 0 ? ['retail'] : [], note: null },
}));

let home: string;
let treeOf: LoadCompletionTree;
beforeAll(async () => {
  home = await makeTemporaryFolder('answer');
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const agency = { kind: 'partner', baseUrl: 'https://api.example.com', partnerId: 1, roster: ROSTER };
  const text = JSON.stringify({ version: 1, default: 'agency', profiles: { agency } });
  writeFileSync(join(home, 'config', 'config.json'), text, { mode: 0o600 });
  const trees = await buildCompletionTreeJsonByCommand(topLevelCommandEntries);
  treeOf = (command) => (trees[command] === undefined ? undefined : JSON.parse(trees[command]));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** COMP_WORDBREAKS and COMP_TYPE, as bash sends them after one TAB. */
const BASH = [' \t\n"\'><=;|&(:', '9'];

function ask(
  shell: Shell,
  line: string,
  more: readonly string[] = shell === 'bash' ? BASH : [],
): CompletionResult {
  const env = { SVC_CONFIG_DIR: join(home, 'config') };
  const outside = { env, cwd: home, homeDir: home, platform: 'linux', now: Date.now(), folder: undefined };
  return computeCompletion([shell, line, ...more], treeOf, { ...outside, platform: 'linux' });
}
const lines = (shell: Shell, line: string, more?: readonly string[]): readonly string[] =>
  ask(shell, line, more).lines.slice(1);

describe('the words at the cursor', () => {
  it.each([
    ['svc fol', ['folder']],
    ['svc folder e', ['exists']],
    ['svc task create --channel ', ['email', 'sms']],
    ['svc task create --channel=e', ['email']],
    ['svc --json folder l', ['list']],
    ['svc -o json folder l', ['list']],
    ['svc --fields task folder l', ['list']],
    ['svc --output=json folder l', ['list']],
    ['svc sandbox clock s', ['show', 'set']],
    ['svc help sandbox clock s', ['show', 'set']],
    ['svc help exi', ['exit-codes']],
    ['svc explain task sched', ['scheduledtime']],
    ['svc plan s', ['show']],
    ['SVC_PROFILE=prod LANG=C svc fol', ['folder']],
    ['/usr/local/bin/svc fol', ['folder']],
    ["'/opt/my tools/svc' fol", ['folder']],
    ['svc folder list --no-h', ['--no-header']],
    ['svc task get 1 ', []],
    ['svc folder nothing ', []],
    ['svc nothing --channel ', []],
    ['svc form upd', []],
    ['svc constructor ', []],
    ['svc folder __proto__ ', []],
  ])('%s', (line, expected) => expect(lines('bash', line)).toEqual(expected));

  it('include the words after a call operator of PowerShell', () => {
    expect(lines('powershell', "& 'C:\\My Tools\\svc.cmd' fol").map((line) => line.split('\t')[0])).toEqual([
      'folder',
    ]);
  });

  it('are empty for an unknown shell, or without a tree', () => {
    expect(computeCompletion(['tcsh', 'svc '], treeOf, {} as never).lines).toEqual([]);
    expect(ask('bash', 'svc folder ', []).lines.length).toBeGreaterThan(1);
  });
});

describe('names of files', () => {
  it.each([
    ['svc dnc import ', 'files'],
    ['svc plan ', 'files'],
    ['svc email create --html ', 'files'],
    ['svc task create --data ', 'files'],
    ['svc sandbox start --data ', 'files'],
    ['svc folder get ', 'words'],
    ['svc folder get 1 ', 'words'],
    ['svc task create --channel ', 'words'],
    ['svc task create --at ', 'words'],
    ['svc folder list --retries=', 'words'],
    ['svc folder --', 'words'],
    ['svc ', 'words'],
  ])('%s: %s', (line, kind) => {
    for (const shell of SUPPORTED_SHELLS) expect(ask(shell, line).lines[0]).toBe(kind);
  });
});

describe('the output for each shell', () => {
  it('is only words in bash, and records with their names in a column', () => {
    expect(lines('bash', 'svc sandbox clock ')).toEqual(['show', 'set', 'advance', 'run']);
    expect(lines('bash', 'svc company show ')).toEqual([
      '1  Harbour Coffee',
      '2  Harbour: Tea, Ltd',
      "3  Joe's $x",
      '4  a:b',
    ]);
  });

  it('has no names in bash if only one record is left, or for a menu, which inserts the whole line', () => {
    expect(lines('bash', 'svc company show 3')).toEqual(['3']);
    for (const type of ['37', '42'])
      expect(lines('bash', 'svc company show ', [' :', type])).toEqual(['1', '2', '3', '4']);
  });

  it.each([
    ['svc company show Harbour\\ C', ['Harbour\\ Coffee']],
    ["svc company show 'Harbour C", ['Harbour Coffee']],
    ['svc company show "Harbour C', ['Harbour Coffee']],
    ['svc company show Joe', ["Joe\\'s\\ \\$x"]],
    ["svc company show 'Joe", []],
    ['svc company show "Joe', []],
    // Bash treats `=` and `:` as the end of a word, and keeps the text before them.
    ['svc company show Harbour:', ['\\ Tea,\\ Ltd']],
    ["svc company show 'Harbour:", ['Harbour: Tea, Ltd']],
    ['svc folder list --companies=tag:r', ['retail']],
    ['svc folder list --companies 2,Harbour\\ C', ['2,Harbour\\ Coffee']],
    ["svc folder list --companies='tag:r", ['tag:retail']],
  ])("is the rest of the word in bash after %s, in bash's own quoting", (line, expected) => {
    expect(lines('bash', line)).toEqual(expected);
  });

  it('is the whole word in bash if COMP_WORDBREAKS has neither = nor :', () => {
    expect(lines('bash', 'svc folder list --companies=tag:r', [' ', '9'])).toEqual([
      '--companies=tag:retail',
    ]);
  });

  it('is words and descriptions in zsh, with colons of a word escaped', () => {
    expect(lines('zsh', 'svc sandbox clock ')[0]).toBe('show:Show the time in the sandbox');
    expect(lines('zsh', 'svc company show a')).toContain('a\\:b:company 4');
    expect(lines('zsh', 'svc folder list --companies=tag:r')).toEqual(['tag\\:retail:1 company']);
  });

  it('is words and descriptions in fish, with the flag before its value', () => {
    expect(lines('fish', 'svc sandbox clock ')[0]).toBe('show\tShow the time in the sandbox');
    expect(lines('fish', "svc company show 'Harbour C")).toEqual(['Harbour Coffee\tcompany 1']);
    expect(lines('fish', 'svc folder list --companies=tag:r')).toEqual(['--companies=tag:retail\t1 company']);
  });

  it('is the word to insert, the entry and the tooltip in PowerShell', () => {
    expect(lines('powershell', 'svc sandbox clock sh')).toEqual(['show\tshow\tShow the time in the sandbox']);
    expect(lines('powershell', 'svc company show 1')).toEqual(['1\t1  Harbour Coffee\tHarbour Coffee']);
    expect(lines('powershell', "svc company show 'Joe")).toEqual([
      "'Joe''s $x'\tJoe's $x  company 3\tcompany 3",
    ]);
    expect(lines('powershell', 'svc company show Harbour` C')[0]).toMatch(/^'Harbour Coffee'\t/);
  });
});

it('every command has a place with its flags, and every place belongs to a command', async () => {
  for (const { name } of topLevelCommandEntries) {
    const places = Object.entries(treeOf(name)?.places ?? {});
    expect([name, places.length > 0]).toEqual([name, true]);
    expect(places.filter(([path]) => path.split(' ')[0] !== name)).toEqual([]);
  }
  const words = SUPPORTED_SHELLS.flatMap((shell) => lines(shell, 'svc task create --')).join('\n');
  for (const flag of ['--scheduledtime', '--expect-size', '--dry-run', '--companies'])
    expect(words.split(flag).length).toBeGreaterThan(SUPPORTED_SHELLS.length);
});
