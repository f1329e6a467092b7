/** `svc completion install` writes the script where each shell finds it, and never replaces a file that svc did not create. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPLETION_SCRIPTS } from '../../../src/cli/completion/completion.ts';
import type { Shell } from '../../../src/cli/completion/shells.ts';
import { NOBODY, type Run, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('install');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const install = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  runCli(['completion', 'install', ...args], { homeDir: home, env: { ...NOBODY, ...env } });

const PLACES: readonly (readonly [Shell, string, Readonly<Record<string, string>>])[] = [
  ['bash', '.local/share/bash-completion/completions/svc', {}],
  ['bash', 'data/bash-completion/completions/svc', { XDG_DATA_HOME: 'data' }],
  ['bash', 'own/completions/svc', { BASH_COMPLETION_USER_DIR: 'own' }],
  ['zsh', '.local/share/zsh/site-functions/_svc', {}],
  ['zsh', '.zfunc/_svc', { FPATH: '/usr/share/zsh:HOME/.zfunc' }],
  ['fish', '.config/fish/completions/svc.fish', {}],
  ['fish', 'conf/fish/completions/svc.fish', { XDG_CONFIG_HOME: 'conf' }],
];
const withHome = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name === 'FPATH' ? value.replace('HOME', home) : join(home, value),
    ]),
  );

describe.each(PLACES)('%s', (shell, place, env) => {
  it(`writes to ${place}, changes nothing the second time, and replaces an older script`, async () => {
    const file = join(home, place);
    const script = COMPLETION_SCRIPTS[shell];
    const first = await install([shell], withHome(env));
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toContain(`Wrote ${file}.\n`);
    expect(readFileSync(file, 'utf8')).toBe(script);
    expect(readdirSync(dirname(file))).toHaveLength(1);
    expect((await install([shell], withHome(env))).stdout).toContain(`${file} is up to date.\n`);
    writeFileSync(file, `${script}# older\n`);
    expect((await install([shell], withHome(env))).stdout).toContain(
      `Replaced an older script in ${file}.\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe(script);
  });

  it('only says with --dry-run what it would write', async () => {
    const file = join(home, place);
    expect(await install([shell, '--dry-run'], withHome(env))).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: `Would write ${file}\n`,
    });
    expect(readdirSync(home)).toEqual([]);
  });

  it('replaces a file that svc did not create, or a link, only with --force', async () => {
    const file = join(home, place);
    mkdirSync(dirname(file), { recursive: true });
    const own = join(home, 'own-script');
    writeFileSync(own, '# mine\n');
    symlinkSync(own, file);
    for (const name of [file, own]) {
      const refused = await install([shell], withHome(env));
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toBe(
        `svc: cannot replace ${file}: svc did not create this file\nHint: to replace the file, add --force; to print the script, run svc completion SHELL\n`,
      );
      expect(readFileSync(name, 'utf8')).toBe('# mine\n');
      await rm(file);
      writeFileSync(file, '# mine\n');
    }
    expect(await install([shell, '--force'], withHome(env))).toMatchObject({ exitCode: 0, stderr: '' });
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(own, 'utf8')).toBe('# mine\n');
    expect(readFileSync(file, 'utf8')).toContain('Made by: svc completion');
  });
});

describe('the shell', () => {
  it.each([
    ['/bin/bash', 'bash'],
    ['/usr/bin/zsh', 'zsh'],
    ['/opt/homebrew/bin/fish', 'fish'],
    ['/usr/bin/pwsh', 'powershell'],
  ])('for SHELL=%s is %s', async (path, shell) => {
    const run = await install(['-o', 'json'], { SHELL: path });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ shell });
  });

  it.each([
    [[], '/bin/dash', 'svc: svc has no completion script for dash (from the variable SHELL)'],
    [[], '', 'svc: the variable SHELL is not set'],
    [['tcsh'], '/bin/bash', 'svc: svc has no completion script for tcsh'],
  ])('%j with SHELL=%s is rejected with the list of shells', async (args, path, message) => {
    const run = await install(args, { SHELL: path });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr.split('\n')[0]).toBe(message);
    expect(run.stderr).toContain('shells: bash, zsh, fish, powershell');
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('the steps left for the user', () => {
  it('are the folder in the path of zsh, printed until .zshrc names it', async () => {
    const lines = `  fpath=(${home}/.local/share/zsh/site-functions $fpath)\n  autoload -Uz compinit && compinit\n`;
    expect((await install(['zsh'])).stdout).toContain(`Add to ${join(home, '.zshrc')}:\n${lines}`);
    writeFileSync(join(home, '.zshrc'), 'fpath=(~/.local/share/zsh/site-functions $fpath)\n');
    expect((await install(['zsh'])).stdout).not.toContain('Add to');
  });

  it('include an offer on a terminal to append the lines to .zshrc, and a yes appends them', async () => {
    const zshrc = join(home, '.zshrc');
    writeFileSync(zshrc, '# mine');
    const person = (answer: boolean) =>
      runCli(['completion', 'install', 'zsh'], { homeDir: home, env: NOBODY, tty: true, answers: [answer] });
    const no = await person(false);
    expect([no.exitCode, readFileSync(zshrc, 'utf8')]).toEqual([0, '# mine']);
    expect(no.stdout).toContain(`Add to ${zshrc}:\n`);
    const yes = await person(true);
    expect(yes.questions).toEqual([`Add these lines to ${zshrc}?`]);
    expect(yes.stdout).toContain(`Changed ${zshrc}. New zsh sessions load the script.`);
    const lines = `fpath=(${home}/.local/share/zsh/site-functions $fpath)\nautoload -Uz compinit && compinit\n`;
    expect(readFileSync(zshrc, 'utf8')).toBe(`# mine\n${lines}`);
    expect((await person(true)).questions).toEqual([]);
  });

  it.each([
    [['--yes'], true],
    [[], false],
    [['--dry-run'], true],
  ])('never change .zshrc without a question: %j', async (flags, tty) => {
    const run = await runCli(['completion', 'install', 'zsh', ...flags], { homeDir: home, env: NOBODY, tty });
    expect([run.exitCode, run.questions]).toEqual([0, []]);
    expect(readdirSync(home)).not.toContain('.zshrc');
  });

  it('include the printed line for $PROFILE in PowerShell, which has no folder, and svc writes nothing', async () => {
    const run = await install(['powershell']);
    const line = 'svc completion powershell | Out-String | Invoke-Expression';
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toBe(
      `Add to $PROFILE:\n  ${line}\nTo load the script in this session, run the line above.\n`,
    );
    expect(readdirSync(home)).toEqual([]);
  });

  it('an unwritable folder is an error that says what to do instead', async () => {
    writeFileSync(join(home, '.config'), '');
    const run = await install(['fish']);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toBe(
      `svc: cannot write ${join(home, '.config/fish/completions/svc.fish')}: a part of the path is not a folder\n` +
        'Hint: to print the script, run svc completion SHELL\n',
    );
  });
});

describe('svc completion uninstall', () => {
  const uninstall = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
    runCli(['completion', 'uninstall', ...args], { homeDir: home, env: { ...NOBODY, ...env } });

  it.each(PLACES)(
    'removes the script of %s from %s, and finds none the second time',
    async (shell, place, env) => {
      const file = join(home, place);
      await install([shell], withHome(env));
      const dry = await uninstall([shell, '--dry-run'], withHome(env));
      expect(dry).toMatchObject({ exitCode: 0, stdout: '', stderr: `Would remove ${file}\n` });
      const first = await uninstall([shell], withHome(env));
      expect(first).toMatchObject({ exitCode: 0, stderr: '', stdout: `Removed ${file}.\n` });
      expect(readdirSync(dirname(file))).toEqual([]);
      const second = await uninstall([shell], withHome(env));
      expect(second).toMatchObject({ exitCode: 0, stdout: `There is no ${file}.\n` });
    },
  );

  it('removes no file that svc did not create, and follows no link', async () => {
    const file = join(home, '.config/fish/completions/svc.fish');
    mkdirSync(dirname(file), { recursive: true });
    const own = join(home, 'own-script');
    writeFileSync(own, COMPLETION_SCRIPTS.fish);
    symlinkSync(own, file);
    const refused = { exitCode: 2, stderr: `svc: cannot remove ${file}: svc did not create this file\n` };
    expect(await uninstall(['fish'])).toMatchObject(refused);
    await rm(file);
    writeFileSync(file, '# mine\n');
    expect(await uninstall(['fish'])).toMatchObject(refused);
    expect([readFileSync(file, 'utf8'), readFileSync(own, 'utf8')]).toEqual([
      '# mine\n',
      COMPLETION_SCRIPTS.fish,
    ]);
  });

  it('prints the lines of .zshrc that load the script, as the user wrote them, and changes no line', async () => {
    const text =
      '# mine\nfpath=(~/.local/share/zsh/site-functions $fpath)\nautoload -Uz compinit && compinit\n';
    writeFileSync(join(home, '.zshrc'), text);
    await install(['zsh']);
    const run = await uninstall(['zsh']);
    expect(run.stdout).toMatch(/^Removed .*_svc\.\nRemove from .*\/\.zshrc:\n {2}fpath=\(~\/.*\$fpath\)\n$/);
    expect(readFileSync(join(home, '.zshrc'), 'utf8')).toBe(text);
    expect(JSON.parse((await uninstall(['zsh', '-o', 'json'])).stdout)).toEqual({
      shell: 'zsh',
      file: join(home, '.local/share/zsh/site-functions/_svc'),
      done: 'none',
      remove_from: join(home, '.zshrc'),
      lines: 'fpath=(~/.local/share/zsh/site-functions $fpath)',
    });
  });

  it('prints the line of $PROFILE, which svc cannot read', async () => {
    const { stdout } = await uninstall(['powershell']);
    expect(stdout).toBe(
      'Remove from $PROFILE:\n  svc completion powershell | Out-String | Invoke-Expression\n',
    );
  });
});
