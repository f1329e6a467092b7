/** The example on each page of `svc sandbox … --help` works unchanged on a sandbox with the demo seed. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isGroup, type Verb } from '../../src/cli/command/command.ts';
import { sandbox as group } from '../../src/cli/commands/sandbox/sandbox.ts';
import { NOBODY, runCli } from '../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

/** These end the sandbox, or need none. test/sandbox/lifecycle.test.ts and test/e2e/sandbox.test.ts run them. */
const ENDING = ['sandbox start --clock manual', 'sandbox stop', 'sandbox reset --yes'];

/**
 * These sign with a profile's credentials. test/cli/commands/sandbox/conformance.test.ts and clone.test.ts run them on a sandbox with the
 * profile that `sandbox start` writes.
 */
const OF_A_PROFILE = ['sandbox conformance', 'sandbox clone --from production --data ./copy'];

const examples = verbsOf([group])
  .map(({ example }) => example)
  .filter((example) => ![...ENDING, ...OF_A_PROFILE].includes(example));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let cwd: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = dirname(folder.path);
  await writeFile(join(cwd, 'people.csv'), 'email,msisdn,City\nnina@example.com,,Bath\n');
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  await sandbox.control('snapshot save', { name: 'demo' });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

it.each(examples)('svc %s works as its example', async (example) => {
  // Each example begins with the demo's own data.
  await sandbox.control('snapshot restore', { name: 'demo' });
  const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  // No window opens on the machine that runs this test.
  const env = { ...NOBODY, BROWSER: 'true' };
  const run = await runCli([...words, '--data', folder.path], { env, cwd });
  expect([run.stderr.replaceAll(/^(?!svc: ).*\n/gm, ''), run.exitCode]).toEqual(['', 0]);
});

function verbsOf(commands: readonly (Verb | typeof group)[]): readonly Verb[] {
  return commands.flatMap((each) => (isGroup(each) ? verbsOf(each.commands) : [each]));
}
