/** Creates folders that people name for output files. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates the folder and its missing parents one by one, with mode 0700. Node's recursive option would never return on a file system that
 * accepts no folders, such as /proc.
 * @returns the created folders, the uppermost first
 * @throws the system's error
 */
export async function makeFolders(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = path; !(await stat(at).catch(() => undefined)); at = dirname(at)) {
    missing.unshift(at);
    if (at === dirname(at)) break;
  }
  for (const each of missing) await mkdir(each, { mode: 0o700 });
  return missing;
}
