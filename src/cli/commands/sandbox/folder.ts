/** Chooses the default data folder of a sandbox. */
import { join, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation } from '../../session/session.ts';

/** Returns the absolute path of the default data folder. @throws UsageError if the user has no home directory */
export async function defaultSandboxFolder({ context }: Invocation): Promise<string> {
  const { stateDirOf } = await import('../../../files/directories.ts');
  const state = stateDirOf(context.env, context.homeDir, context.platform);
  if (state !== '') return join(resolve(context.cwd, state), 'sandbox');
  throw new UsageError('cannot choose a data folder: there is no home directory', {
    hint: 'add --data DIR',
  });
}
