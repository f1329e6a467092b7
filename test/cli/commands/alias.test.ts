/** `svc alias`: a user's own names for commands of svc, and for no other programs. */
import { chmodSync, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Outside, type Run, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let home: string;
let sandbox: TestSandbox;
beforeEach(async () => {
  home = await makeTemporaryFolder('alias');
  sandbox = await createTestSandbox();
});
afterEach(() => rm(home, { recursive: true, force: true }));

const svc = (argv: readonly string[], outside: Outside = {}): Promise<Run> =>
  runCli(argv, {
    ...serviceOf(sandbox),
    ...outside,
    env: { SVC_CONFIG_DIR: join(home, 'config'), ...outside.env },
  });
const set = (name: string, expansion: string): Promise<Run> => svc(['alias', 'set', name, expansion]);
const says = (exitCode: number, stderr: string, stdout = '') => ({ exitCode, stdout, stderr });

describe('an alias', () => {
  it('runs its command with the words after it and the flags before it', async () => {
    expect(await set('mine', 'folder list')).toMatchObject(says(0, 'svc mine runs: svc folder list\n'));
    const plain = await svc(['folder', 'list', '--sort', 'name', '-o', 'json']);
    expect(plain.exitCode).toBe(0);
    expect(await svc(['mine', '--sort', 'name', '-o', 'json'])).toEqual(plain);
    expect(await svc(['-o', 'json', 'mine', '--sort', 'name'])).toEqual(plain);
  });

  it('replaces $1 and $2 by whole words, and appends the others', async () => {
    await set('make', 'folder create --name "$2 for $1" --dry-run');
    const run = await svc(['make', 'Ada', 'Spring sale', '-o', 'json']);
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ body: { name: 'Spring sale for Ada' } });
    expect(await svc(['make', 'Ada'])).toMatchObject(
      says(
        2,
        'svc: the alias make needs 2 arguments, but has 1\n' +
          'Hint: the alias runs: svc folder create --name "$2 for $1" --dry-run\n',
      ),
    );
  });

  it('shows the help of its command, without its arguments, and is listed in svc help aliases', async () => {
    await set('one', 'folder get $1');
    const help = await svc(['folder', 'get', '--help']);
    expect([await svc(['one', '--help']), await svc(['help', 'one'])]).toEqual([help, help]);
    expect((await svc(['help', 'aliases'])).stdout).toMatch(
      /Your own aliases:\n {2}one +svc folder get \$1\n/,
    );
  });

  it('may begin with a word of another tool, and is expanded only once', async () => {
    await set('dirs', 'folders ls');
    expect((await svc(['dirs'])).exitCode).toBe(0);
    await set('b', 'folder list');
    expect(await set('a', 'b --json')).toMatchObject(
      says(
        2,
        'svc: cannot use b in an alias: it is another alias\nHint: write the command itself: an alias cannot run another alias\n',
      ),
    );
    expect((await set('c', 'c --json')).stderr).toContain('cannot use c in an alias: it is another alias');
  });

  it('is listed, replaced with a note, and removed', async () => {
    await set('mine', 'folder list');
    expect((await set('mine', 'task list')).stderr).toBe(
      'svc mine runs: svc task list (before: svc folder list)\n',
    );
    expect(await svc(['alias', 'list', '-o', 'json', '--query', '[*].stands_for'])).toMatchObject(
      says(0, '', '[\n  "task list"\n]\n'),
    );
    expect(await svc(['alias', 'remove', 'mine'])).toMatchObject(says(0, 'removed the alias mine\n'));
    expect(await svc(['alias', 'remove', 'mine'])).toMatchObject(
      says(2, 'svc: unknown alias mine\nHint: create one with svc alias set\n'),
    );
    expect((await svc(['mine'])).stderr).toContain('there is no command mine');
  });

  it('is refused if others could have written its file, while commands still work', async () => {
    await set('mine', 'folder list');
    chmodSync(join(home, 'config', 'aliases.json'), 0o666);
    const run = await svc(['mine']);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('aliases.json is open to other users (mode 0666)');
    expect((await svc(['folder', 'list'])).exitCode).toBe(0);
  });
});

describe('rejects invalid names', () => {
  it.each([
    ['task', 'folder list', 'cannot use task as an alias: it is a command of svc'],
    ['tasks', 'folder list', 'cannot use tasks as an alias: it is a command of svc'],
    ['whoami', 'folder list', 'cannot use whoami as an alias: it is a command of svc'],
    ['help', 'folder list', 'an alias'],
    ['get', 'folder list', 'svc reads it as a verb'],
    ['a b', 'folder list', 'invalid alias name'],
    ['-a', 'folder list', 'has no flag -a'],
    ['a', '!rm -rf /', 'cannot alias a shell command: an alias can run only a command of svc'],
    ['a', '  !ls', 'cannot alias a shell command'],
    ['a', '', 'cannot set the alias: it needs a command'],
    ['a', 'help', 'cannot set the alias: it needs a command'],
    ['a', 'nothing list', 'cannot set the alias: unknown command'],
    ['a', 'svc folder list', 'cannot set the alias: unknown command'],
    ['a', 'folder list --name "x', 'cannot set the alias: a quote is not closed'],
  ])('%s for %j', async (name, expansion, message) => {
    const run = await set(name, expansion);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(existsSync(join(home, 'config', 'aliases.json'))).toBe(false);
  });

  // Contract, "Global flags": a text that looks like a secret is refused and not repeated.
  it.each([
    ['a key of hexadecimal digits', 'api /v1/x?key=9f86d081884c7d659a2feaa0c55ad015'],
    ['a key with few changes', 'api /v1/x?key=0123456789abcdef0123456789abcdef'],
    ['a random token', 'folder list --name a1B2c3D4e5F6g7H8i9J0k1L2'],
    ['a key by an unknown flag', 'folder list --api-key canary77x'],
    ['a key by =', 'folder list --api-key=canary77x'],
    ['a header', 'folder list --header X-Key:canary77x'],
    ['a password in a body', '\'api POST /v1/user --data {"password":"canary77x"}\''],
    ['a password in a quoted body', 'api POST /v1/user --data \'{"username":"a","password": "canary77x"}\''],
    ['a short flag', 'folder list -kcanary77x'],
    ['a password', 'user update 2 --password canary77x'],
    ['a password by =', 'user update 2 --password=canary77x'],
    ['the key of the environment', 'folder list --name SECRET-in-use'],
  ])('%s', async (_, expansion) => {
    const run = await svc(['alias', 'set', 'a', expansion], { env: { SVC_API_KEY: 'SECRET-in-use' } });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('cannot store a secret in an alias');
    expect(run.stderr).not.toMatch(/9f86d0|012345|a1B2c3|canary77x|SECRET-in-use/);
    expect(existsSync(join(home, 'config', 'aliases.json'))).toBe(false);
  });

  it.each([
    'folder create --key build-7 --name $1',
    'user update $1 --password-stdin',
    'folder list --no-header',
    'user create --password $1',
    'api POST /v1/user --data \'{"password":"$1"}\'',
  ])('%s has no aliases', async (expansion) => {
    expect((await svc(['alias', 'set', 'a', expansion])).exitCode).toBe(0);
  });
});
