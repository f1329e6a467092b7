/** Second attack L11: a full disk is named as the cause, and no part of a file is left. */
import fs from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putCampaignFiles } from '../support/campaign-files.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { makeKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const CALLS = { writeSync: fs.writeSync, openSync: fs.openSync, fsyncSync: fs.fsyncSync };
type Call = keyof typeof CALLS;

/** Lets a call of the file system fail as on a full disk, after this number of calls. Opening fails for files that svc is writing. */
function fillDisk(call: Call, callsLeft: number): void {
  let left = callsLeft;
  const real = CALLS[call] as (...given: unknown[]) => unknown;
  const failing = (...given: unknown[]): unknown => {
    const isWrite = call !== 'openSync' || String(given[0]).endsWith('.new');
    if (isWrite && left <= 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    if (isWrite) left -= 1;
    return real(...given);
  };
  Object.assign(fs, { [call]: failing });
  syncBuiltinESMExports();
}

function emptyDisk(): void {
  Object.assign(fs, CALLS);
  syncBuiltinESMExports();
}

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
  emptyDisk();
  await removeFolder(folder);
});

it.each<[Call, number]>([
  ['writeSync', 0],
  ['writeSync', 1],
  ['writeSync', 2],
  ['fsyncSync', 0],
])('email pull leaves no file if %s fails after %d calls', async (call, writes) => {
  fillDisk(call, writes);
  const run = await svc('email', 'pull', '1');
  emptyDisk();
  expect([run.exitCode, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toMatch(/cannot write \S+: the disk is full/);
  expect(await readdir(folder)).toEqual([]);
});

it.each<Call>(['openSync', 'writeSync'])(
  'approve names the cause, and leaves no signature, if %s fails',
  async (call) => {
    await putCampaignFiles(folder);
    const key = await makeKey(folder, 'ann');
    await writeFile(join(folder, 'team.signers'), `ann@example.com ${key.line}\n`);
    expect((await svc('plan', 'spring.yaml', '--out', 'spring.plan')).exitCode).toBe(0);
    const before = await readdir(folder);
    fillDisk(call, 0);
    const run = await svc('approve', 'spring.plan', '--yes', '--identity', key.path, '--name', 'ann');
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /can't write \S+spring\.plan\.ann\.sig: the disk is full/,
    );
    expect(await readdir(folder)).toEqual(before);
  },
);

it('export names the cause, and leaves no folder', async () => {
  const { open } = fs.promises;
  fs.promises.open = async (...given) => {
    const handle = await open(...given);
    handle.writeFile = async () => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
    };
    return handle;
  };
  syncBuiltinESMExports();
  try {
    const run = await svc('export', 'campaigns');
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toContain('cannot write to campaigns: the disk is full');
  } finally {
    fs.promises.open = open;
    syncBuiltinESMExports();
  }
  expect(await readdir(folder)).toEqual([]);
});
