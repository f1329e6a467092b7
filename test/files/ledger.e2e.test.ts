/** Acceptance, I5, and docs/reliability.md: a kill, a full disk or a power cut loses nothing that was acknowledged. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';

let bundle: string;
beforeAll(async () => {
  bundle = await bundleForNode('src/kit/files/ledger.ts');
});
afterAll(() => rmSync(dirname(bundle), { recursive: true, force: true }));
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  path = join(folder, 'ledger');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the arguments of Node for a process with a ledger. */
const withLedger = (work: string): string[] => [
  '--input-type=module',
  '-e',
  `import { constants } from 'node:fs';
   import { openPrivateLedger } from ${JSON.stringify(bundle)};
   const ledger = openPrivateLedger(${JSON.stringify(path)}, process.platform, constants.O_CREAT);
   ${work}`,
];

it('a line that a full disk truncates damages no other line, in any process', async () => {
  const work = `
    const codes = [];
    for (let n = 1000; n < 1009; n += 1)
      try { ledger.append(n + 'x'.repeat(995) + '\\n'); } catch (error) { codes.push(error.code); }
    console.log(codes.join(' '));`;
  // The signal XFSZ would end the process. Without it, the write fails, as on a full disk.
  const script = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`;
  const { stdout } = await execa('bash', ['-c', script, process.execPath, ...withLedger(work)]);
  expect(stdout).toMatch(/^EFBIG( EFBIG)*$/);
  const whole = 9 - stdout.split(' ').length;
  await execa(process.execPath, withLedger(`ledger.append('the next line\\n');`));
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.slice(0, whole)).toEqual(
    Array.from({ length: whole }, (_, at) => `${1000 + at}${'x'.repeat(995)}`),
  );
  expect(lines[whole]?.length).toBeLessThan(999);
  expect(lines.slice(-2)).toEqual(['the next line', '']);
});

// The lines are synced with the file, and the name of a new file with its folder.
it.skipIf(!hasStrace).each([
  ['new', 'ledger.syncNow();'],
  ['new', 'await ledger.sync();'],
  ['longer', 'ledger.syncNow();'],
  ['longer', 'await ledger.sync();'],
])('a %s ledger is on disk after %s', async (kind, sync) => {
  const isKilledAt = async (call: string): Promise<boolean> => {
    rmSync(path, { force: true });
    if (kind === 'longer') writeFileSync(path, 'zero\n', { mode: 0o600 });
    const { exitCode } = await runWithInjection(
      call,
      'signal=KILL:when=1',
      withLedger(`ledger.append('one\\n'); ${sync}`),
    );
    expect(readFileSync(path, 'utf8')).toBe(kind === 'new' ? 'one\n' : 'zero\none\n');
    return exitCode !== 0;
  };
  expect([await isKilledAt('fdatasync'), await isKilledAt('fsync')]).toEqual([true, kind === 'new']);
});
