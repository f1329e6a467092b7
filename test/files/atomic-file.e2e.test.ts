/** Acceptance, S4: the file is written next to the old one, synced, and renamed, and the directory is synced, too. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-atomic-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasStrace)('a writer that is killed', () => {
  let bundle: string;
  beforeAll(async () => {
    bundle = await bundleForNode('src/kit/files/atomic-file.ts');
  });
  afterAll(() => rmSync(dirname(bundle), { recursive: true, force: true }));

  it.each(['fsync', 'rename'])(
    'leaves the complete old file or the complete new one at any %s',
    async (call) => {
      writeFileSync(path, '0'.repeat(9));
      let kills = 0;
      for (let nth = 1; ; nth += 1) {
        const { exitCode } = await runWithInjection(call, `signal=KILL:when=${nth}`, [
          '--input-type=module',
          '-e',
          `import { createAtomicFile } from ${JSON.stringify(bundle)};
         const file = createAtomicFile(${JSON.stringify(path)});
         file.write('${String(nth).repeat(9)}');
         file.commit();`,
        ]);
        expect(readFileSync(path, 'utf8')).toMatch(/^([0-9])\1{8}$/);
        if (exitCode === 0) break;
        kills += 1;
      }
      // The contents and the directory are synced, in this order.
      expect(kills).toBe(call === 'fsync' ? 2 : 1);
      expect(readFileSync(path, 'utf8')).toBe(String(kills + 1).repeat(9));
      expect(readdirSync(folder)).toEqual(['file']);
    },
  );
});
