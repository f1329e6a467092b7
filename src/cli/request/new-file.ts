/** Writes files atomically. Text for a device or a named pipe goes directly there; `/dev/stdout` is printed. */

import { resolve } from 'node:path';
import type { TemporaryFile } from '../../client/bulk/temporary-file.ts';
import { FileError } from '../../kit/files/errors.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { CHOOSE_ANOTHER, inspectTarget } from '../../kit/files/target.ts';
import type { Arguments, Input } from '../command/command.ts';
import type { Flag, FlagShape } from '../command/flag.ts';
import { companiesConflictError, UsageError } from '../errors/errors.ts';
import type { Context, OutputStream } from '../outside/context.ts';
import type { Changes, Invocation } from '../session/ports.ts';

export interface NewFile {
  readonly path: string;
  /** Name as the user gave it. */
  readonly name: string;
  /** Undefined for a command without `--force`. */
  readonly force?: boolean | undefined;
  /** Default: 0600. */
  readonly mode?: number;
}

type OwnStreams = Pick<Context, 'stdout' | 'stderr'>;

/** Runs before any request, and ends a dry run. @throws BulkError when the file exists and may not be replaced */
export async function checkNewFile(
  session: Invocation & Changes,
  name: string,
  force?: boolean,
): Promise<NewFile> {
  const { checkOutputCanBeWritten } = await import('../../client/bulk/temporary-file.ts');
  const path = resolve(session.context.cwd, name);
  if (ownStream(session.context, path) === undefined) checkOutputCanBeWritten(path, name, { force });
  session.beforeChange(`write ${name}`);
  return { path, name, force };
}

/** The file holds the data of one company. @throws UsageError with `--companies` */
export async function checkNewFileAndNoCompaniesFlag(
  session: Invocation & Changes,
  input: Input,
  fileFlag: Flag<string | undefined>,
  forceFlag: Flag<boolean>,
): Promise<NewFile | undefined> {
  const name = input.get(fileFlag);
  if (name === undefined) return undefined;
  if (session.globals.companies !== undefined) throw companiesConflictError(fileFlag.name);
  return checkNewFile(session, name, input.get(forceFlag));
}

/** @throws BulkError when the file can't be written, or has been created in the meantime */
export async function writeNewFile(
  invocation: Pick<Invocation, 'context'>,
  newFile: NewFile,
  content: string | Uint8Array,
): Promise<void> {
  const file = await openNewFile(invocation, newFile);
  try {
    await file.write(content);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** Writes piece by piece. @throws BulkError as `writeNewFile` does */
export async function openNewFile(
  { context }: Pick<Invocation, 'context'>,
  { path, name, force, mode }: NewFile,
): Promise<TemporaryFile> {
  const stream = ownStream(context, path);
  if (stream !== undefined) return writingTo(stream, name);
  const { openOutputFile } = await import('../../client/bulk/temporary-file.ts');
  return openOutputFile(path, name, { force, mode, signal: context.signal });
}

function writingTo(stream: OutputStream, name: string): TemporaryFile {
  return {
    write: (content) => {
      if (typeof content === 'string') return stream.write(content);
      throw new UsageError(`cannot write a picture to ${name}`, { hint: 'name a file' });
    },
    flush: async () => undefined,
    commit: async () => undefined,
    abort: async () => undefined,
  };
}

/**
 * Checks all given flags that name what the command writes.
 * @throws UsageError if a flag names a folder, a socket or a disk, or if it names a device or a pipe and the
 * command needs a file
 */
export function checkWrittenPaths(
  { context }: Pick<Invocation, 'context'>,
  flags: readonly FlagShape[],
  given: Arguments['flags'],
): void {
  for (const { name: flag, writes } of flags) {
    const name = given.get(flag);
    if (writes === undefined || typeof name !== 'string') continue;
    const path = resolve(context.cwd, name);
    if (writes === 'output' && isStreamPath(context, path)) continue;
    const { kind, words } = inspectTarget(path);
    if (kind === 'missing' || kind === (writes === 'folder' ? 'folder' : 'file')) continue;
    throw new UsageError(`--${flag}: cannot write to ${name}, because it is ${words}`, {
      hint: CHOOSE_ANOTHER,
    });
  }
}

/** Returns the created folders, the uppermost first. @throws UsageError */
export function makeOutputFolder(path: string): readonly string[] {
  try {
    return makeFolders(path);
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause;
    throw new UsageError(cause.message, { hints: cause.hints, cause });
  }
}

/** Text goes to a stream of this process, a device or a pipe, so that no file is made. */
export function isStreamPath(context: OwnStreams, path: string): boolean {
  return ownStream(context, path) !== undefined || inspectTarget(path).kind === 'stream';
}

/** Opening a path of svc's own stream fails for a socket, and overwrites the beginning of a file. */
function ownStream({ stdout, stderr }: OwnStreams, path: string): OutputStream | undefined {
  if (path === '/dev/stdout' || path === '/dev/fd/1') return stdout;
  return path === '/dev/stderr' || path === '/dev/fd/2' ? stderr : undefined;
}
