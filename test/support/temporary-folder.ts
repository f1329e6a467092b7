/** The one place where tests make folders of their own. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a temporary folder, which the caller must remove.
 * @param name says in a listing what the folder is for
 */
export const makeTemporaryFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `svc-${name}-`));
