import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';

// Acceptance, S2: what is made is 0600 and 0700 whatever the umask, which only a process of its own can set.

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
  ['directories', "made.makeDirectory('it');", 0o700],
])('%s', async (name, body, mode) => {
  const bundle = await bundleForNode(`src/files/${name}.ts`);
  try {
    for (const umask of [0o000, 0o022, 0o077]) {
      const script = `import * as made from ${JSON.stringify(bundle)}; process.umask(${umask}); ${body}`;
      await execa(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
      expect([umask, statSync(join(folder, 'it')).mode & 0o7777]).toEqual([umask, mode]);
      rmSync(join(folder, 'it'), { recursive: true });
    }
  } finally {
    rmSync(dirname(bundle), { recursive: true, force: true });
  }
});
