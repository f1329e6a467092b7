/** Contract, "Sandbox": `subscriber import FILE` names rejected rows with their line, and shows how far it has come. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { main } from '../../../../src/main.ts';
import { outsideOf } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'empty' });
  await sandbox.control('list create', { name: 'All' });
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const ROWS = 1_200;
const NONE = 700;

async function imported(name: string, ...flags: readonly string[]) {
  const addresses = Array.from({ length: ROWS }, (_, at) =>
    at === NONE ? 'no address' : `${name}${at}@example.com`,
  );
  const { context, readStdout, readStderr } = outsideOf({
    tty: true,
    stdin: `email\n${addresses.join('\n')}\n`,
    homeDir: folder.path,
    env: { SVC_STATE_DIR: `${folder.path}/state` },
  });
  // Each look at the clock is a second later.
  let now = context.clock.now();
  const clock = { ...context.clock, now: () => (now += 1_000) };
  const args = ['sandbox', 'subscriber', 'import', '--list', '1', '-', '--data', folder.path, '-o', 'json'];
  const exitCode = await main([...args, ...flags], { ...context, clock });
  return { exitCode, stdout: readStdout(), stderr: readStderr() };
}

it('draws its progress on a terminal, above which rejected rows stay', async () => {
  const { exitCode, stdout, stderr } = await imported('a');
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    8,
    { rows: ROWS, made: ROWS - 1, subscribed: ROWS - 1, rejected: 1 },
  ]);
  expect(stderr).toMatch(/500 rows .*500 imported/);
  expect(stderr).toMatch(/1,200 rows .*1,199 imported {2}1 rejected/);
  expect(stderr).toContain(`line ${NONE + 2}: `);
  // It leaves the terminal as if nothing had been drawn.
  expect(stderr.trimEnd().endsWith('\r\u001b[K')).toBe(true);
});

it('shows none with --quiet', async () => {
  expect((await imported('b', '--quiet')).stderr).not.toContain('imported');
});
