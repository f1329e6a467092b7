/** Where a bulk job keeps what it has done, and the rows that were not: beside its file unless flags say otherwise. */
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Source } from '../../bulk/source.ts';
import type { Input } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import type { Session } from '../session/session.ts';
import { checkpointFlag, rejectsFlag } from './flags.ts';

export interface Places {
  readonly checkpoint: string | undefined;
  readonly rejects: string | undefined;
  readonly rejectsName: string;
}

export function placesOf({ context }: Session, input: Input, { path, name }: Source): Places {
  const [checkpoint, rejects] = [input.get(checkpointFlag), input.get(rejectsFlag)];
  const placed = (text: string | undefined, beside: string | undefined): string | undefined =>
    text === undefined ? beside : resolve(context.cwd, text);
  if (path === undefined && checkpoint !== undefined)
    throw new UsageError('--state needs a file: standard input cannot be read a second time');
  return {
    // Beside the file itself: under another name of it, by a link, nothing is to be sent again.
    checkpoint: placed(checkpoint, path === undefined ? undefined : `${realPath(path)}.svc-journal`),
    rejects: placed(rejects, path === undefined ? undefined : `${path}.rejects.csv`),
    rejectsName: rejects ?? `${name}.rejects.csv`,
  };
}

/** Whether an earlier run has begun with this file, and left its checkpoint. */
export async function isBegun(session: Session, input: Input, source: Source): Promise<boolean> {
  const { checkpoint } = placesOf(session, input, source);
  return checkpoint !== undefined && (await stat(checkpoint).catch(() => undefined)) !== undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Whoever reads it says what is wrong with it.
    return path;
  }
}
