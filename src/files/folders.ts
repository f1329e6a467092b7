/** Folders of people, where they ask for files to be written. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the folder, and those above it, one by one: Node's own way never ends where a file system takes none, as /proc.
 * Mode 0700.
 * @returns those that were made, the uppermost first
 * @throws what the system says
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
