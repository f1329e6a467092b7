/**
 * One for each run of tests: a folder for what files of tests share, and for all that they and the programs that they start
 * put into the machine's temporary folder. Nothing of it is left when the run is over.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // A short name, because terminals in transcripts wrap lines that have a path at 80 columns.
  const runFolder = await mkdtemp(join(tmpdir(), 't'));
  // PostgreSQL runs as a user of its own, whose folder is inside this one.
  await chmod(runFolder, 0o711);
  project.provide('runFolder', runFolder);
  // Workers begin with this environment.
  process.env['TMPDIR'] = runFolder;
  // A program that was just ended may still write.
  return () => rm(runFolder, { recursive: true, force: true, maxRetries: 5 });
}
