/** Chooses the paths of the checkpoint and of the rejects file: beside the input file unless flags name others. */

import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InputSource } from '../../client/bulk/source.ts';
import type { Input } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import type { Invocation } from '../session/ports.ts';
import { checkpointFileFlag, rejectedRowsFileFlag } from './flags.ts';

export interface BulkJobFiles {
  /** Undefined if the job reads standard input. */
  readonly checkpoint: string | undefined;
  /** Undefined if the job reads standard input and no flag names a file. */
  readonly rejects: string | undefined;
  readonly rejectsName: string;
}

export function resolveBulkJobFiles(
  { context }: Invocation,
  input: Input,
  { path, name }: InputSource,
): BulkJobFiles {
  const [checkpoint, rejects] = [input.find(checkpointFileFlag), input.find(rejectedRowsFileFlag)];
  const placed = (text: string | undefined, beside: string | undefined): string | undefined =>
    text === undefined ? beside : resolve(context.cwd, text);
  if (path === undefined && checkpoint !== undefined)
    throw new UsageError('--state needs a file: svc cannot read standard input twice');
  return {
    // The checkpoint is beside the real file, so that svc finds it even if the user names a link to the file.
    checkpoint: placed(checkpoint, path === undefined ? undefined : `${realPath(path)}.svc-journal`),
    rejects: placed(rejects, path === undefined ? undefined : `${path}.rejects.csv`),
    rejectsName: rejects ?? `${name}.rejects.csv`,
  };
}

export async function hasEarlierCheckpoint(
  session: Invocation,
  input: Input,
  source: InputSource,
): Promise<boolean> {
  const { checkpoint } = resolveBulkJobFiles(session, input, source);
  return checkpoint !== undefined && (await stat(checkpoint).catch(() => undefined)) !== undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The code that reads the file reports its problem.
    return path;
  }
}
