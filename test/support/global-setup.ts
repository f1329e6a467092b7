/**
 * Makes a folder for each run of tests. It contains the files that test files share, and all temporary files of the tests and of the
 * programs that they start. The folder is removed at the end of the run. The run fails if a test changed something outside the folder.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeFolder } from './temporary-folder.ts';
import { faultOfNullDevice, MACHINE, watchMachine } from './untouched.ts';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
    /** True if temporary files may be in memory, if the machine has room for them. */
    filesInMemory?: boolean;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const broken = faultOfNullDevice();
  if (broken !== undefined) throw new Error(`Cannot run tests: ${broken}`);
  const changes = watchMachine(MACHINE);
  // A short name, because terminals in transcripts wrap lines that have a path at 80 columns.
  const inMemory = project.getProvidedContext().filesInMemory === true && (await isUsable(MEMORY));
  const runFolder = await mkdtemp(join(inMemory ? MEMORY : tmpdir(), 't'));
  // PostgreSQL runs as a separate user, whose folder is inside this one.
  await chmod(runFolder, 0o711);
  project.provide('runFolder', runFolder);
  // Workers begin with this environment.
  process.env['TMPDIR'] = runFolder;
  return async () => {
    await removeFolder(runFolder);
    const found = [...changes(), ...[faultOfNullDevice() ?? []].flat()];
    if (found.length === 0) return;
    // Vitest prints an error of this function, but does not fail the run for it.
    process.exitCode = 1;
    console.error(
      `Tests changed files outside their folder:\n${found.map((each) => `  ${each}\n`).join('')}`,
    );
  };
}

/** A file system in memory, where a sync costs nothing. */
const MEMORY = '/dev/shm';
const ENOUGH_OCTETS = 2 ** 30;

/**
 * Returns whether no other folder was chosen, there is room, and a script in it can run. Containers often have 64 MB.
 */
async function isUsable(folder: string): Promise<boolean> {
  if (process.env['TMPDIR'] !== undefined) return false;
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < ENOUGH_OCTETS) return false;
    const probe = await mkdtemp(join(folder, 't'));
    try {
      await writeFile(join(probe, 'run'), '#!/bin/sh\n', { mode: 0o700 });
      execFileSync(join(probe, 'run'));
    } finally {
      await rm(probe, { recursive: true });
    }
    return true;
  } catch {
    return false;
  }
}
