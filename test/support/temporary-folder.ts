/** The one place where tests make folders of their own. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param name what it is for, to be told in a listing of the machine's temporary folder; it is the caller's to remove */
export const makeTemporaryFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `svc-${name}-`));
