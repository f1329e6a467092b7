/** A partner profile `agency` in a separate folder, over the two companies of the test sandbox's partner. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { fillConfig } from './profiles.ts';
import { NOBODY, type Outside, type Run, runCli, serviceOf } from './run-cli.ts';
import { createTestSandbox, KEYS, type TestSandbox } from './sandbox.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

export interface PartnerProfile extends ReturnType<typeof serviceOf> {
  readonly folder: string;
  readonly sandbox: TestSandbox;
  readonly svc: (argv: readonly string[], outside?: Outside) => Promise<Run>;
  /** Runs a command that must succeed. */
  readonly done: (argv: readonly string[], outside?: Outside) => Promise<Run>;
  readonly remove: () => Promise<void>;
}

/** @param machineNow the milliseconds of the machine's clock in the sandbox */
export async function withPartnerProfile(machineNow?: () => number): Promise<PartnerProfile> {
  const folder = await makeTemporaryFolder('partner');
  const sandbox = await createTestSandbox(machineNow === undefined ? {} : { machineNow, hasRealClock: true });
  const service = serviceOf(sandbox);
  const svc = (argv: readonly string[], outside: Outside = {}): Promise<Run> =>
    runCli(argv, {
      cwd: folder,
      transport: service.transport,
      ...outside,
      env: {
        ...NOBODY,
        SVC_CONFIG_DIR: join(folder, 'config'),
        SVC_STATE_DIR: join(folder, 'state'),
        ...outside.env,
      },
    });
  const done = async (argv: readonly string[], outside: Outside = {}): Promise<Run> => {
    const run = await svc(argv, outside);
    expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
    return run;
  };
  const add = ['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--partner', '1'];
  await fillConfig(join(folder, 'config'), 'agency', () =>
    done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.partner }),
  );
  return {
    folder,
    sandbox,
    ...service,
    svc,
    done,
    remove: () => removeFolder(folder),
  };
}
