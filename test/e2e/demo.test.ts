import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await bundleForNode('test/support/svc-process.ts');
  home = await makeTemporaryFolder('demo-test');
}, 60_000);
afterAll(async () => {
  await rm(dirname(svc), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

describe('svc demo', () => {
  it('shows each command that it runs, ends with the outbox, and leaves nothing behind', async () => {
    const temporary = join(home, 'tmp');
    await execa('mkdir', [temporary]);
    const run = await execa(process.execPath, [svc, 'demo'], {
      env: { HOME: home, TMPDIR: temporary, PATH: process.env['PATH'] ?? '' },
      extendEnv: false,
      reject: false,
    });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
    const commands = run.stdout.split('\n').filter((line) => line.startsWith('$ svc '));
    expect(commands.map((line) => line.split(' ').slice(2, 4).join(' '))).toEqual([
      'sandbox list',
      'email create',
      'email lint',
      'task create',
      'sandbox clock',
      'task get',
      'sandbox outbox',
    ]);
    expect(run.stderr).toMatch(/Sends .* \(UTC\)/);
    expect(run.stdout).toMatch(/completed +yes/);
    expect(run.stdout).toMatch(/t[0-9]+-[0-9]+ .* task [0-9]+/);
    expect(await readdir(temporary)).toEqual([]);
    expect(await readdir(home)).toEqual(['tmp']);
  });
});
