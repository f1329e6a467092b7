/** The only place where tests make folders, and remove those that programs used. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a temporary folder, which the caller must remove.
 * @param name the purpose of the folder, for listings
 */
export const makeTemporaryFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `svc-${name}-`));

/**
 * Removes a folder that programs used, if it exists. A program that has just ended may still write, such as the one that keeps compiled
 * code. So the folder is emptied repeatedly for up to 5 seconds.
 */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
