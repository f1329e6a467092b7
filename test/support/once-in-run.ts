/** Makes something slow once in a run, for all test files: the first file that needs it makes it. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

/**
 * Returns a folder that `make` has filled. The whole run shares it, so do not change it.
 * @throws if `make` failed, for each caller
 */
export async function onceInRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const [made, failed] = [`${folder}.made`, `${folder}.failed`];
  if ((await mkdir(folder, { recursive: true })) === undefined) {
    while (!existsSync(made)) {
      if (existsSync(failed)) throw new Error(`another file of tests could not make ${name}`);
      await sleep(20);
    }
    return folder;
  }
  try {
    await make(folder);
  } catch (error) {
    await writeFile(failed, '');
    throw error;
  }
  await writeFile(made, '');
  return folder;
}
