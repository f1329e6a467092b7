/** Default data folder of a sandbox. */
import { join, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation } from '../../session/session.ts';

export async function defaultFolder({ context }: Invocation): Promise<string> {
  const { stateDirOf } = await import('../../../files/directories.ts');
  const state = stateDirOf(context.env, context.homeDir, context.platform);
  if (state !== '') return join(resolve(context.cwd, state), 'sandbox');
  throw new UsageError('there is no home directory to keep a sandbox in', {
    hint: '--data DIR names a folder',
  });
}
