/** `svc completion install`: the shells themselves find the installed script. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasShell } from '../../support/completing-shells.ts';
import { NOBODY, type Run, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('install');
});
afterEach(() => removeFolder(home));

const install = (args: readonly string[]): Promise<Run> =>
  runCli(['completion', 'install', ...args], { homeDir: home, env: NOBODY });

/** Makes a command `svc` for PATH. Returns its folder. */
async function putSvc(line: string): Promise<string> {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'svc'), `#!/bin/sh\n${line}\n`);
  chmodSync(join(bin, 'svc'), 0o755);
  return bin;
}

describe('after the installation', () => {
  it('fish finds it without further steps', async (context) => {
    if (!(await hasShell('fish'))) context.skip('fish is not installed');
    // fish loads no script for a command that does not exist, and offers file names instead.
    const bin = await putSvc("printf 'words\\nexists\\tCheck that a folder exists\\n'");
    await install(['fish']);
    const run = await execa('fish', ['-c', 'complete -C "svc folder ex"'], {
      env: { HOME: home, PATH: `${bin}:${process.env['PATH']}` },
      extendEnv: false,
      cwd: home,
    });
    expect(run.stdout.split('\t')[0]).toBe('exists');
  });

  it('fish offers no file names if svc offers no ids, or is slow', async (context) => {
    if (!(await hasShell('fish'))) context.skip('fish is not installed');
    const bin = await putSvc('sleep 1');
    await install(['fish']);
    writeFileSync(join(home, 'READ-ME'), '');
    const run = await execa('fish', ['-c', 'complete -C "svc folder get READ"'], {
      env: { HOME: home, PATH: `${bin}:${process.env['PATH']}` },
      extendEnv: false,
      cwd: home,
    });
    expect(run.stdout).toBe('');
  });

  it('zsh finds it with the printed lines', async (context) => {
    if (!(await hasShell('zsh'))) context.skip('zsh is not installed');
    const { stdout } = await install(['zsh']);
    const lines = stdout.split('\n').filter((line) => line.startsWith('  '));
    writeFileSync(join(home, '.zshrc'), `${lines.join('\n')} -u -D\n`);
    const code = `source ${join(home, '.zshrc')}; print -r -- "$_comps[svc]"`;
    expect((await execa('zsh', ['-f', '-c', code])).stdout).toBe('_svc');
  });

  it('bash loads it with the printed line', async () => {
    const { stdout } = await install(['bash', '-o', 'json']);
    const { load_now: line } = JSON.parse(stdout);
    expect(existsSync(join(home, '.local/share/bash-completion/completions/svc'))).toBe(true);
    expect((await execa('bash', ['--norc', '-c', `${line}; complete -p svc`])).stdout).toContain(
      '-F _svc svc',
    );
  });
});
