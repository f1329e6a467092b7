import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { tried } from '../support/depth.ts';

// Acceptance, S2: new files and folders have modes 0600 and 0700 with any umask. Only a separate process can set the umask.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-umask-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each<[string, string, number]>([
  ['atomic-file', "const file = made.createAtomicFile('it'); file.write('text'); file.commit();", 0o600],
  [
    'private-file',
    "made.openPrivateFile('it', 0o102, { platform: 'linux', uid: process.geteuid() });",
    0o600,
  ],
  ['lock', "made.createLock('it');", 0o600],
  ['make-folders', "made.makeFolders('it/below');", 0o700],
])('%s', async (name, body, mode) => {
  const bundle = await bundleForNode(`src/kit/files/${name}.ts`);
  try {
    for (const umask of [0o000, 0o022, 0o077]) {
      const script = `import * as made from ${JSON.stringify(bundle)}; process.umask(${umask}); ${body}`;
      await execa(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
      expect([umask, statSync(join(folder, 'it')).mode & 0o7777]).toEqual([umask, mode]);
      rmSync(join(folder, 'it'), { recursive: true });
      tried('S2', 1);
    }
  } finally {
    rmSync(dirname(bundle), { recursive: true, force: true });
  }
});

it.each([0o000, 0o002, 0o022, 0o027, 0o077])(
  'a sandbox under umask %o keeps each file and folder to this user',
  async (umask) => {
    const runner = await bundleForNode(new URL('../sandbox/durable-runner.ts', import.meta.url).pathname);
    const data = join(folder, 'data');
    const script = `process.umask(${umask}); process.argv.splice(1, 0, 'runner'); await import(${JSON.stringify(runner)});`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const running = modesIn(data);
      // The database, its log and its index, the lock, and the file by which other commands find it.
      expect(running.length).toBeGreaterThan(5);
      child.kill('SIGTERM');
      await once(child, 'exit');
      const open = [...running, ...modesIn(data)].filter(({ mode }) => (mode & 0o077) !== 0);
      expect(open).toEqual([]);
      tried('S2', running.length);
    } finally {
      child.kill('SIGKILL');
      rmSync(dirname(runner), { recursive: true, force: true });
    }
  },
);

/** Returns the modes of the folder and everything in it. A file may disappear meanwhile. */
function modesIn(path: string): readonly { readonly name: string; readonly mode: number }[] {
  return ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })].flatMap((name) => {
    const found = statSync(join(path, name), { throwIfNoEntry: false });
    return found === undefined ? [] : [{ name, mode: found.mode & 0o7777 }];
  });
}
