/** Prepares the tests of `svc init`: a new folder of profiles and a new sandbox for each test. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { NOBODY, type Outside, type Run, runCli, serviceOf } from './run-cli.ts';
import { createTestSandbox, type TestSandbox } from './sandbox.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

/** The address of the service. */
export const URL = 'https://api.example.com';

export interface InitSetUp {
  readonly folder: () => string;
  readonly sandbox: () => TestSandbox;
  /** Runs a command without credentials, with the sandbox as the service. */
  readonly svc: (argv: readonly string[], outside?: Outside) => Promise<Run>;
  /** Reads the profile file unchanged. Rejects if it does not exist. */
  readonly stored: () => Promise<string>;
  /** Returns the profiles by their names. */
  readonly profiles: () => Promise<Readonly<Record<string, unknown>>>;
}

export function initSetUp(): InitSetUp {
  let folder: string;
  let sandbox: TestSandbox;
  beforeEach(async () => {
    folder = await makeTemporaryFolder('init');
    sandbox = await createTestSandbox();
  });
  afterEach(() => removeFolder(folder));
  const stored = () => readFile(join(folder, 'config.json'), 'utf8');
  return {
    folder: () => folder,
    sandbox: () => sandbox,
    svc: (argv, outside = {}) =>
      runCli(argv, {
        transport: serviceOf(sandbox).transport,
        ...outside,
        env: { ...NOBODY, SVC_CONFIG_DIR: folder, ...outside.env },
      }),
    stored,
    profiles: async () => JSON.parse(await stored()).profiles,
  };
}
