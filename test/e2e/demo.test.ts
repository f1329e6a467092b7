import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('demo-test');
});
afterAll(async () => {
  await removeFolder(dirname(svc));
  await removeFolder(home);
});

describe('svc demo', () => {
  it('shows each command that it runs, ends with a report with bars, and leaves nothing behind', async () => {
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
      'sandbox outbox',
      'task report',
    ]);
    expect(run.stderr).toMatch(/Sends .* \(UTC\)/);
    expect(run.stdout).toMatch(/^sent +443 +99\.1% /m);
    expect(run.stdout).toMatch(/opened +155 .*[█#]/);
    expect(run.stdout).toMatch(/clicked +3[0-9] .*[█▏▎▍▌▋▊▉#]/);
    expect(run.stdout).toMatch(/t[0-9]+-[0-9]+ .* task [0-9]+/);
    expect(await readdir(temporary)).toEqual([]);
    expect(await readdir(home)).toEqual(['tmp']);
  });
});

describe('svc demo --open', () => {
  it('ends with its campaign in the browser until Ctrl-C, and leaves nothing behind', async () => {
    const own = join(home, 'open');
    await execa('mkdir', [own]);
    const browser = join(home, 'browser');
    // The test follows the link, as a browser does, and keeps the page.
    await writeFile(
      browser,
      `#!/bin/sh\ncurl --silent --location --cookie-jar "${home}/jar" "$1" > "${home}/seen.new" && mv "${home}/seen.new" "${home}/seen.html"\n`,
      { mode: 0o755 },
    );
    const run = execa(process.execPath, [svc, 'demo', '--open'], {
      env: { HOME: home, TMPDIR: own, PATH: process.env['PATH'] ?? '', BROWSER: browser },
      extendEnv: false,
      reject: false,
    });
    const seen = await until(() => readFile(join(home, 'seen.html'), 'utf8').catch(() => undefined));
    expect(seen).toContain('Task Spring');
    expect(seen).toContain('Spring sale starts today');
    run.kill('SIGINT');
    const { exitCode, stdout } = await run;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The outbox opens in the browser');
    expect(stdout).toContain('The demo has deleted its sandbox');
    expect(await readdir(own)).toEqual([]);
  });
});

async function until<T>(found: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 300_000;
  for (;;) {
    const value = await found();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
