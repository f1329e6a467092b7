import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, FILE_NAMES, SHELLS, type Shell } from '../../../src/cli/completion/scripts.ts';
import { entries } from '../../../src/cli/registry/entries.ts';
import { COMPLETING_SHELLS, type CompletingShell, hasShell } from '../../support/completing-shells.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const completions = new URL('../../../completions/', import.meta.url);

describe.each(SHELLS)('%s', (shell) => {
  it('completions/ holds what svc completion prints; npm run completions writes it', async () => {
    const run = await runCli(['completion', shell], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const kept = await readFile(new URL(FILE_NAMES[shell], completions), 'utf8');
    expect(kept === run.stdout, `completions/${FILE_NAMES[shell]} is stale`).toBe(true);
  });

  it('names every noun, verb and flag', async () => {
    const script = await completionScript(shell, entries);
    for (const word of [
      'folder',
      'sms-destination',
      'estimate',
      'pause',
      'scheduledtime',
      'expect-size',
      'dry-run',
    ])
      expect(script).toContain(word);
    expect(script).not.toContain('form update');
  });
});

it('another shell is refused with those that there are', async () => {
  const run = await runCli(['completion', 'tcsh'], { env: NOBODY });
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain('svc completion has no tcsh\nHint: did you mean one of bash, fish, zsh?');
});

/** What can follow the words, the last of which is being typed. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['nouns', ['fol'], ['folder']],
  ['nouns and commands', ['fo'], ['folder', 'forecast', 'form']],
  ['verbs', ['folder', ''], ['create', 'delete', 'exists', 'get', 'list', 'update']],
  ['flags', ['task', 'create', '--ch'], ['--channel', '--check-credits', '--checkpoint']],
  ['both spellings of a flag', ['task', 'create', '--message'], ['--message', '--message-id']],
  ['the refusal of a boolean', ['folder', 'list', '--no-h'], ['--no-header']],
  ['enum values', ['task', 'create', '--channel', ''], ['email', 'sms']],
  ['values of a global flag', ['folder', 'list', '-o', 'j'], ['json']],
  ['kinds', ['automation', 'list', '--kind', ''], ['click', 'date', 'open', 'sms', 'subscription']],
  ['a first word', ['completion', ''], ['bash', 'fish', 'install', 'powershell', 'zsh']],
  ['topics of help, and commands', ['help', 'fo'], ['folder', 'forecast', 'form']],
  ['a topic of help', ['help', 'exi'], ['exit-codes']],
  ['verbs after help', ['help', 'folder', 'e'], ['exists']],
  ['a second word', ['profile', 'set', 'prod', 'key'], ['key-command']],
  ['what there is to explain', ['explain', 'ta'], ['task']],
  ['fields of a resource', ['explain', 'task', 'sched'], ['scheduledtime']],
  ['fields of all kinds of rules', ['explain', 'automation', 'keyw'], ['keyword']],
  ['the same place after a value that is a command', ['--fields', 'task', 'folder', 'l'], ['list']],
  ['after a global flag', ['--json', 'folder', 'l'], ['list']],
];

describe.each(Object.entries<CompletingShell>(COMPLETING_SHELLS))(
  'in the real %s',
  (shell, { program, ask }) => {
    let folder = '';
    let installed = false;
    beforeAll(async () => {
      installed = await hasShell(program);
      folder = await makeTemporaryFolder('completion');
      await writeFile(join(folder, 'script'), await completionScript(shell as Shell, entries));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it.for(CASES)('completes %s', async ([_, words, expected], context) => {
      if (!installed) context.skip(`${program} is not installed`);
      const typed = words.at(-1) ?? '';
      const lines = (await ask(join(folder, 'script'), words))
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '');
      const candidates = [...new Set(lines)].filter((word) => word !== '' && word.startsWith(typed));
      expect(candidates.sort()).toEqual(expected);
    });
  },
);

it('zsh finds the function in fpath', async (context) => {
  if (!(await hasShell('zsh'))) context.skip('zsh is not installed');
  const folder = await makeTemporaryFolder('zsh');
  await writeFile(join(folder, '_svc'), await completionScript('zsh', entries));
  const code = 'fpath=("$1" $fpath); autoload -Uz compinit; compinit -u -D; print -r -- "$_comps[svc]"';
  expect((await execa('zsh', ['-f', '-c', code, 'zsh', folder])).stdout).toBe('_svc');
  await rm(folder, { recursive: true });
});
