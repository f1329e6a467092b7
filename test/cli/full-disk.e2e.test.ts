/** Second attack L11: a full disk is named as the cause, and no part of a file is left. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { putCampaignFiles } from '../support/campaign-files.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { makeKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const disk = vi.hoisted(() => ({ writesLeft: Number.POSITIVE_INFINITY, fails: 'writeSync' }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const full =
    (call: 'writeSync' | 'openSync' | 'fsyncSync') =>
    (...given: unknown[]) => {
      const isFile = call !== 'openSync' || String(given[0]).endsWith('.new');
      if (disk.fails === call && isFile) {
        if (disk.writesLeft <= 0)
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        disk.writesLeft -= 1;
      }
      return (fs[call] as (...args: unknown[]) => unknown)(...given);
    };
  return { ...fs, writeSync: full('writeSync'), openSync: full('openSync'), fsyncSync: full('fsyncSync') };
});

let folder: string;
const svc = (...argv: readonly string[]) =>
  runCli(argv, {
    cwd: folder,
    transport: serviceOf(sandbox).transport,
    env: { PATH: process.env['PATH'] },
  });
let sandbox: TestSandbox;
beforeEach(async () => {
  folder = await makeTemporaryFolder('full-disk');
  sandbox = await withEverything();
});
afterEach(async () => {
  disk.writesLeft = Number.POSITIVE_INFINITY;
  await removeFolder(folder);
});

it.each([
  ['writeSync', 0],
  ['writeSync', 1],
  ['writeSync', 2],
  ['fsyncSync', 0],
])('email pull leaves no file if %s fails after %d calls', async (call, writes) => {
  disk.fails = call;
  disk.writesLeft = writes;
  const run = await svc('email', 'pull', '1');
  expect([run.exitCode, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toMatch(/cannot write \S+: the disk is full/);
  expect(await readdir(folder)).toEqual([]);
});

it.each(['openSync', 'writeSync'])(
  'approve names the cause, and leaves no signature, if %s fails',
  async (call) => {
    await putCampaignFiles(folder);
    const key = await makeKey(folder, 'ann');
    await writeFile(join(folder, 'team.signers'), `ann@example.com ${key.line}\n`);
    expect((await svc('plan', 'spring.yaml', '--out', 'spring.plan')).exitCode).toBe(0);
    const before = await readdir(folder);
    disk.fails = call;
    disk.writesLeft = 0;
    const run = await svc('approve', 'spring.plan', '--yes', '--identity', key.path, '--name', 'ann');
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /can't write \S+spring\.plan\.ann\.sig: the disk is full/,
    );
    expect(await readdir(folder)).toEqual(before);
  },
);
