/** One for each run of tests: a folder for what files of tests share. */
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
  return () => rm(runFolder, { recursive: true, force: true });
}
