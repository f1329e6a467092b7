/**
 * One for each run of tests: a folder for what files of tests share, and for all that they and the programs that they start
 * put into the machine's temporary folder. Nothing of it is left when the run is over.
 */
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { makeTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = await makeTemporaryFolder('run');
  project.provide('runFolder', runFolder);
  // Workers begin with this environment.
  process.env['TMPDIR'] = runFolder;
  // A program that was just ended may still write.
  return () => rm(runFolder, { recursive: true, force: true, maxRetries: 5 });
}
