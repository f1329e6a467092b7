/** The scripts of `completions/` in real shells, with the built program. `answer.test.ts` covers the cases of a single shell. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUPPORTED_SHELLS } from '../../../src/cli/completion/shells.ts';
import { buildPackage } from '../../support/built-package.ts';
import { COMPLETING_SHELLS, type CompletingShell, hasShell } from '../../support/completing-shells.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

const FOLDER = fileURLToPath(new URL('../../../completions/', import.meta.url));
const FILES = { bash: 'svc.bash', zsh: '_svc', fish: 'svc.fish', powershell: 'svc.ps1' } as const;

it('completions/ has one short script for each shell', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.values(FILES).sort());
  for (const file of Object.values(FILES))
    expect(readFileSync(join(FOLDER, file), 'utf8').split('\n').length).toBeLessThanOrEqual(40);
});

it.each(SUPPORTED_SHELLS)('svc completion %s prints the script', async (shell) => {
  const run = await runCli(['completion', shell], { env: NOBODY });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toBe(readFileSync(join(FOLDER, FILES[shell]), 'utf8'));
});

it('rejects another shell, and lists the known ones', async () => {
  const run = await runCli(['completion', 'tcsh'], { env: NOBODY });
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain(
    'svc completion has no tcsh\nHint: it has install, uninstall, bash, zsh, fish, powershell',
  );
});

/** The words that can follow a line whose last word is incomplete. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['nouns', ['fol'], ['folder']],
  ['nouns and commands', ['fo'], ['folder', 'forecast', 'form']],
  ['verbs', ['folder', ''], ['create', 'delete', 'exists', 'get', 'list', 'update']],
  ['flags', ['task', 'create', '--ch'], ['--channel', '--check-credits', '--checkpoint']],
  ['both spellings of a flag', ['task', 'create', '--message'], ['--message', '--message-id']],
  ['the refusal of a boolean', ['folder', 'list', '--no-h'], ['--no-header']],
  ['enum values', ['task', 'create', '--channel', ''], ['email', 'sms']],
  ['values of a global flag', ['folder', 'list', '-o', 'j'], ['json', 'jsonl']],
  ['kinds', ['automation', 'list', '--kind', ''], ['click', 'date', 'open', 'sms', 'subscription']],
  ['a first word', ['completion', ''], ['bash', 'fish', 'install', 'powershell', 'uninstall', 'zsh']],
  ['topics of help, and commands', ['help', 'fo'], ['folder', 'forecast', 'form']],
  ['a topic of help', ['help', 'exi'], ['exit-codes']],
  ['verbs after help', ['help', 'folder', 'e'], ['exists']],
  ['a second word', ['profile', 'set', 'prod', 'key'], ['key-command']],
  ['resources to explain', ['explain', 'ta'], ['task']],
  ['fields of a resource', ['explain', 'task', 'sched'], ['scheduledtime']],
  ['fields of all kinds of rules', ['explain', 'automation', 'keyw'], ['keyword']],
  ['the same place after a value that is a command', ['--fields', 'task', 'folder', 'l'], ['list']],
  ['after a global flag', ['--json', 'folder', 'l'], ['list']],
];

let packed: { readonly folder: string; readonly path: string };
beforeAll(async () => {
  packed = await buildPackage();
}, 120_000);
afterAll(() => removeFolder(packed.folder));

describe.each(Object.entries<CompletingShell>(COMPLETING_SHELLS))(
  'in the real %s',
  (shell, { program, ask }) => {
    it.for(CASES)('completes %s', async ([_, words, expected], context) => {
      if (!(await hasShell(program))) context.skip(`${program} is not installed`);
      const env = { PATH: `${packed.path}:${process.env['PATH']}`, HOME: packed.folder };
      const typed = words.at(-1) ?? '';
      const lines = (await ask(join(FOLDER, FILES[shell as keyof typeof FILES]), words, env))
        .split('\n')
        .map((line) => line.split(/\t| {2}/)[0] ?? '');
      const candidates = [...new Set(lines)].filter((word) => word !== '' && word.startsWith(typed));
      expect(candidates.sort()).toEqual(expected);
    });
  },
);

it('zsh finds the function in fpath', async (context) => {
  if (!(await hasShell('zsh'))) context.skip('zsh is not installed');
  const code = 'fpath=("$1" $fpath); autoload -Uz compinit; compinit -u -D; print -r -- "$_comps[svc]"';
  expect((await execa('zsh', ['-f', '-c', code, 'zsh', FOLDER])).stdout).toBe('_svc');
});
