/** Plug-ins as processes: `svc foo` is `svc-foo`, with the same words, streams, exit code and signals. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let home: string;
let svc: string;
let env: Record<string, string>;

beforeAll(async () => {
  home = await makeTemporaryFolder('plugin-process');
  svc = await builtSvc();
  env = {
    PATH: `${join(home, 'path')}:${process.env['PATH']}:.::relative`,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_PROFILE: 'prod',
  };
  await mkdir(join(home, 'path'));
  await program('path/svc-words', 'printf "%s\\n" "$#" "$@" "$SVC_PROFILE"; env | grep -c KEY; cat');
  await program('path/svc-code', 'exit "$1"');
  await program('path/svc-killed', 'kill -9 $$');
  await program('path/svc-task', 'echo in the place of a command');
  await program('path/svc-mine', 'echo in the place of an alias');
  await program(
    'path/svc-trap',
    `trap 'echo told; exit 7' TERM HUP; echo ready; while :; do sleep 0.05; done`,
  );
  await program('svc-evil', 'echo evil');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

async function program(path: string, script: string): Promise<void> {
  await writeFile(join(home, path), `#!/bin/sh\n${script}\n`);
  await chmod(join(home, path), 0o755);
}

const run = (args: readonly string[], input = '') =>
  execa(process.execPath, [svc, ...args], { env, extendEnv: false, cwd: home, input, reject: false });

describe('svc foo', () => {
  it('runs svc-foo with the following words, standard input and the unchanged environment', async () => {
    const { exitCode, stdout, stderr } = await run(['words', 'a  b', '$(x)', '--json', ''], 'piped');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe('4\na  b\n$(x)\n--json\n\nprod\n0\npiped');
  });

  it.each([0, 1, 42, 130])('exits with its exit code %i', async (code) => {
    expect(await run(['code', String(code)])).toMatchObject({ exitCode: code, stdout: '', stderr: '' });
  });

  it('exits with 128 plus the signal that ended it', async () => {
    expect(await run(['killed'])).toMatchObject({ exitCode: 137, stdout: '', stderr: '' });
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('passes %s on, and waits for its end', async (signal) => {
    const child = spawn(process.execPath, [svc, 'trap'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      said += more;
      if (said === 'ready\n') child.kill(signal);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said]).toEqual([7, 'ready\ntold\n']);
  });

  it('prints its own help', async () => {
    expect((await run(['words', '--help'])).stdout).toContain('1\n--help\n');
    expect((await run(['help', 'words'])).stdout).toContain('1\n--help\n');
  });

  it('rejects a flag before it, which would be lost', async () => {
    const refused = await run(['--profile', 'other', 'words']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('cannot pass flags to the plug-in words before its name');
  });

  it('never replaces a command or an alias, and is never run from the working folder', async () => {
    expect((await run(['task', '--help'])).stdout).toContain('Usage: svc task');
    await run(['alias', 'set', 'mine', 'alias list -o json']);
    expect((await run(['mine'])).stdout).toContain('"stands_for": "alias list -o json"');
    expect(await run(['evil'])).toMatchObject({ exitCode: 2, stdout: '' });
    const rows = JSON.parse((await run(['plugin', 'list', '-o', 'json'])).stdout) as {
      name: string;
      not_used: unknown;
    }[];
    const notUsed = Object.fromEntries(rows.map(({ name, not_used: why }) => [name, why]));
    expect(notUsed).toMatchObject({
      task: 'svc has its own command task, so the plug-in does not run',
      mine: 'mine is an alias',
      words: null,
    });
    expect(notUsed).not.toHaveProperty('evil');
  });
});
