/**
 * Ids with names in real shells, against a sandbox and the installed package. A shell shows the text of a name and never runs it.
 * Pseudo-terminals show what a person sees at TAB.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPLETION_SCRIPTS } from '../../../src/cli/completion/completion.ts';
import type { Shell } from '../../../src/cli/completion/shells.ts';
import { buildPackage } from '../../support/built-package.ts';
import { COMPLETING_SHELLS, type CompletingShell, hasShell } from '../../support/completing-shells.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';
import { openTerminal } from '../../support/terminal.ts';

const NASTY = 'Größe "ä" \'q\' $(touch x) `touch y`; z';

const ROSTER = [
  ['1', 'Harbour Coffee', 'uk', 'retail'],
  ['2', 'Harbour: Tea, Ltd'],
  ['3', `N ${NASTY}`, 'uk'],
] as const;

let home: string;
let packed: string;
let env: Record<string, string>;
/** Returns the name of the script file that TERMINALS load. */
const scriptOf = (shell: string): string => (shell === 'zsh' ? '_svc' : `svc.${shell}`);

const svc = (...args: string[]) => execa('svc', args, { env, extendEnv: false, cwd: home });

beforeAll(async () => {
  home = await makeTemporaryFolder('shells');
  const { folder, path } = await buildPackage();
  packed = folder;
  env = {
    PATH: `${path}:${process.env['PATH']}`,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_PROFILE: 'sandbox',
    LANG: 'C.UTF-8',
  };
  for (const shell of Object.keys(COMPLETING_SHELLS))
    await writeFile(join(home, scriptOf(shell)), COMPLETION_SCRIPTS[shell as Shell]);
  await svc('sandbox', 'start', '--detach', '--port', '0', '--data', join(home, 'data'), '--seed', 'demo');
  await svc('folder', 'create', '--name', NASTY);
  for (const [id, name, ...tags] of ROSTER) {
    const words = ['--name', name, ...tags.flatMap((tag) => ['--tag', tag])];
    await svc('company', 'add', id, ...words, '--profile', 'sandbox-partner');
  }
});
afterAll(async () => {
  await svc('sandbox', 'stop').catch(() => undefined);
  // A background refresh may still be writing.
  await removeFolder(home);
  await removeFolder(packed);
});

/** The beginnings of the offered lines: id and name. A single match is inserted without its name. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['tasks', ['task', 'get', ''], ['4 Double', '3 Cupping', '2 November news', '1 Espresso guide']],
  ['folders, whatever their names', ['folder', 'get', ''], [`5 ${NASTY}`, '2 Events', '1 Customers']],
  ['lists of --list', ['task', 'create', '--list', ''], ['1 Newsletter', '2 Loyalty club', '3 Tastings']],
  [
    'messages of a channel',
    ['task', 'create', '--channel', 'sms', '--message', ''],
    ['3 Loyalty double', '2 Seat saved', '1 Cupping'],
  ],
  ['users', ['folder', 'list', '--user', ''], ['3 priya', '2 tom', '1 grace']],
  ['rules', ['automation', 'pause', ''], ['click:1', 'open:1', 'subscription:1', 'date:1', 'sms:1']],
  ['profiles', ['profile', 'use', ''], ['sandbox company 1 at', 'sandbox-partner partner 1 at']],
];

/** Values from the roster alone. A single name is inserted with the shell's quoting, which the terminals below show. */
const OF_A_PARTNER: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'companies of the roster',
    ['folder', 'list', '--company', ''],
    ['1 Harbour Coffee', '2 Harbour: Tea, Ltd', `3 N ${NASTY}`],
  ],
  [
    'values of --companies',
    ['folder', 'list', '--companies', ''],
    [
      ...['all all 3 companies in the company list', 'tag:retail 1 company', 'tag:uk 2 companies'],
      ...['1 Harbour Coffee', '2 Harbour: Tea, Ltd', `3 N ${NASTY}`],
    ],
  ],
  [
    'more values of --companies',
    ['folder', 'list', '--companies', '3,1,'],
    [
      ...[
        '3,1,all all 3 companies in the company list',
        '3,1,tag:retail 1 company',
        '3,1,tag:uk 2 companies',
      ],
      '3,1,2 Harbour: Tea, Ltd',
    ],
  ],
  ['tags', ['company', 'update', '1', '--tag', ''], ['retail 1 company', 'uk 2 companies']],
];

describe.each(Object.entries<CompletingShell>(COMPLETING_SHELLS))('%s', (shell, { program, ask }) => {
  const script = (): string => join(home, scriptOf(shell));
  const offered = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    (await ask(script(), words, { ...env, ...more }))
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').trim());

  it.for(CASES)('completes %s', async ([_, words, expected], context) => {
    if (!(await hasShell(program))) context.skip(`${program} is not installed`);
    // A TAB may come before the background process has listed the values.
    const begins = async () => (await offered(words)).map((line, at) => line.slice(0, expected[at]?.length));
    await expect.poll(begins).toEqual(expected);
    expect(readdirSync(process.cwd()).filter((name) => ['x', 'y'].includes(name))).toEqual([]);
  });

  it.for(OF_A_PARTNER)('completes %s', async ([_, words, expected], context) => {
    if (!(await hasShell(program))) context.skip(`${program} is not installed`);
    const lines = await offered(words, { SVC_PROFILE: 'sandbox-partner', SVC_COMPLETE_LIVE: '0' });
    expect(lines).toEqual(expected);
  });

  it('offers no ids with SVC_COMPLETE_LIVE=0, for a surplus word, or if svc is not on PATH', async (context) => {
    if (!(await hasShell(program))) context.skip(`${program} is not installed`);
    const ids = (lines: readonly string[]) => lines.filter((line) => /^[0-9]/.test(line));
    expect(ids(await offered(['task', 'get', ''], { SVC_COMPLETE_LIVE: '0' }))).toEqual([]);
    expect(ids(await offered(['task', 'get', '1', '']))).toEqual([]);
    expect(ids(await offered(['task', 'get', ''], { PATH: '/usr/bin:/bin' }))).toEqual([]);
  });
});

/** Resolves once svc has cached the offered values. An earlier TAB shows nothing. */
async function isListed(...words: readonly string[]): Promise<void> {
  await expect.poll(() => COMPLETING_SHELLS.bash.ask(join(home, 'svc.bash'), words, env)).not.toBe('');
}

/** The commands that start each shell without the user's settings, load the script, and empty the line. */
const TERMINALS = {
  bash: { start: 'bash --norc --noprofile -i', load: 'source svc.bash', tab: '\t\t', leave: '\x15' },
  zsh: {
    start: 'zsh -f -i',
    load: 'autoload -Uz compinit; compinit -u -D; source ./_svc',
    tab: '\t',
    leave: '\x03',
  },
  fish: { start: 'fish --no-config -i', load: 'source svc.fish', tab: '\t', leave: '\x03' },
} as const;

/** The text before TAB, the completed line, and the output of its command. */
const NAMED: readonly (readonly [typed: string, completed: string, printed: string | RegExp])[] = [
  ['svc company show Harbour\\ C', 'Coffee ', /name +Harbour Coffee/],
  ["svc company show 'Harbour C", "Coffee' ", /name +Harbour Coffee/],
  ['svc company show "Harbour C', 'Coffee" ', /name +Harbour Coffee/],
  ['svc company show Harbour:', 'Tea,\\ Ltd ', /name +Harbour: Tea, Ltd/],
  ['svc company show N', 'z ', `N ${NASTY}`],
  ['svc user list -o csv --companies 3,Harb', 'Coffee ', /\n1,Harbour Coffee,1,.*\n3,"N Größe/s],
  ['svc dnc check --company 1 contacts', '\\ 1.txt ', 'someone@example.com'],
  ['svc user list -o csv --companies=tag:r', 'tag:retail ', /\n1,Harbour Coffee,1,/],
];

describe.each(Object.entries(TERMINALS))('in a terminal with %s', (shell, { start, load, tab, leave }) => {
  it('TAB shows ids with names, inserts the only remaining one, and runs nothing', async (context) => {
    if (!(await hasShell(shell))) context.skip(`${shell} is not installed`);
    const work = join(home, `work-${shell}`);
    await mkdir(work);
    const terminal = openTerminal(`cd ${work}; ${start}`, env);
    try {
      terminal.type(`cd ${home} && ${load} && cd ${work}; echo loaded''.\n`);
      await terminal.until('loaded.');
      await isListed('folder', 'get', '');
      terminal.type(`svc folder get ${tab}`);
      const shown = await terminal.until(/(?=.*Customers)(?=.*Events)/s);
      expect(shown).toContain('$(touch x) `touch y`; z');
      expect(shown).toContain('Events');
      terminal.type(leave);
      await terminal.until(/./s);
      await isListed('automation', 'get', '');
      terminal.type('svc automation get cl\t');
      await terminal.until(/svc automation get click:1/);
      terminal.type('\r');
      await terminal.until('Espresso readers join the club');
      expect([existsSync(join(work, 'x')), existsSync(join(work, 'y'))]).toEqual([false, false]);
    } finally {
      await terminal.close();
    }
  });

  it("TAB inserts names of companies and files in the shell's quoting, and the command gets those names", async (context) => {
    if (!(await hasShell(shell))) context.skip(`${shell} is not installed`);
    const work = join(home, `companies-${shell}`);
    await mkdir(work);
    await writeFile(join(work, 'contacts 1.txt'), 'someone@example.com\n');
    const terminal = openTerminal(`cd ${work}; ${start}`, { ...env, SVC_PROFILE: 'sandbox-partner' });
    try {
      terminal.type(`cd ${home} && ${load} && cd ${work}; echo loaded''.\n`);
      await terminal.until('loaded.');
      for (const [typed, completed, printed] of NAMED) {
        terminal.type(`${typed}\t`);
        await terminal.until(completed);
        terminal.type('\r');
        await terminal.until(printed);
      }
      expect([existsSync(join(work, 'x')), existsSync(join(work, 'y'))]).toEqual([false, false]);
    } finally {
      await terminal.close();
    }
  });
});
