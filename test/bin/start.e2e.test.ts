/** Design, "A start loads code in steps": the modules of Node that the built program loads for a command. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('start');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Returns the output, and the modules of Node that the run loaded. */
async function run(...args: readonly string[]) {
  const preload = join(home, 'preload.cjs');
  const list = join(home, 'list.json');
  writeFileSync(
    preload,
    `const before = new Set(process.moduleLoadList);
    process.on('exit', () => {
      const loaded = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.split(' ').at(-1));
      require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded));
    });`,
  );
  const { stdout, stderr, exitCode } = await execa(process.execPath, ['-r', preload, 'bin/svc.js', ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SVC_CONFIG_DIR: join(home, 'config'), ...ACCOUNT },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  const loaded: readonly string[] = JSON.parse(readFileSync(list, 'utf8'));
  return { stdout, stderr, exitCode, loaded };
}

/** An address without a service. */
const ACCOUNT = {
  SVC_BASE_URL: 'http://127.0.0.1:9',
  SVC_COMPANY_ID: '1',
  SVC_USER_ID: '1',
  SVC_API_KEY: '0123456789abcdef'.repeat(2),
};

it('prints --version before it loads anything', async () => {
  const { loaded, ...said } = await run('--version');
  expect(said).toEqual({ stdout: about.version, stderr: '', exitCode: 0 });
  expect(loaded).toEqual([]);
});

it('help loads no module for the network, crypto or streams', async () => {
  const { loaded, exitCode, stdout } = await run('task', 'create', '--help');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('svc task create') });
  expect(
    loaded.filter((name) => /^(crypto|net|tls|http|https|child_process|stream|tty|zlib|dns)$/.test(name)),
  ).toEqual([]);
});

it('a command with one call loads no TLS, no HTTP of Node and no assertions', async () => {
  const { loaded, exitCode, stderr } = await run('folder', 'list', '-o', 'json', '--retries', '0');
  expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: expect.stringContaining('127.0.0.1:9') });
  expect(loaded).toContain('net');
  expect(loaded.filter((name) => /^(tls|http|http2|https|assert|child_process|zlib)$/.test(name))).toEqual(
    [],
  );
});
