/**
 * Writes output to a temporary file next to its final path, and renames it when it is complete. Writes directly into a device or a named
 * pipe.
 */
import { type AtomicFile, createAtomicFile, fillFile } from '../../kit/files/atomic-file.ts';
import { FileError, systemErrorReason } from '../../kit/files/errors.ts';
import { openStreamTarget } from '../../kit/files/output-stream.ts';
import { CHOOSE_ANOTHER, inspectTarget } from '../../kit/files/target.ts';
import { BulkError, type BulkErrorKind } from './errors.ts';

export interface TemporaryFile {
  /** Text is kept in memory until there is enough for a large write. */
  readonly write: (content: string | Uint8Array) => Promise<void>;
  /** A full disk is then noticed before a file of several is moved to its final path. */
  readonly flush: () => Promise<void>;
  /** @throws BulkError if another run has put a temporary file in the place of this run's file */
  readonly commit: () => Promise<void>;
  /** Keeps a temporary file that another run has put in its place. */
  readonly abort: () => Promise<void>;
}

interface TemporaryFileOptions {
  /** A symbolic link of that name is replaced too, and never followed. Undefined, as false, for a command without `--force`. */
  readonly force: boolean | undefined;
  /** Default: 0600, because most files hold addresses of people. */
  readonly mode?: number | undefined;
}

interface OutputFileOptions extends TemporaryFileOptions {
  readonly signal?: AbortSignal | undefined;
}

const FULL = 64 * 1024;

/**
 * @param name the path as messages show it
 * @throws BulkError if the file exists, if a folder, device, pipe or socket is at the path, or if the file can't be written
 */
export async function openTemporaryFile(
  path: string,
  name: string,
  options: TemporaryFileOptions,
): Promise<TemporaryFile> {
  checkFileCanBeCreated(path, name, options);
  const file = begun(path, name, options);
  let pending: string[] = [];
  let size = 0;
  const flush = (): void => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') file.write(text);
  };
  return {
    write: async (content) => {
      if (typeof content === 'string') {
        pending.push(content);
        size += content.length;
        if (size >= FULL) written(name, flush);
      } else
        written(name, () => {
          flush();
          file.write(content);
        });
    },
    flush: async () => written(name, flush),
    commit: async () => written(name, () => fillFile(file, flush)),
    abort: async () => file.abort(),
  };
}

/** A device or a named pipe gets the output directly. */
export async function openOutputFile(
  path: string,
  name: string,
  { signal, ...options }: OutputFileOptions,
): Promise<TemporaryFile> {
  if (inspectTarget(path).kind !== 'stream') return openTemporaryFile(path, name, options);
  const stream = await openStreamTarget(path, signal).catch((cause) => throwUnwritable(name, cause, 'input'));
  return {
    write: (content) => stream.write(content).catch((cause) => throwUnwritable(name, cause)),
    flush: async () => undefined,
    commit: async () => stream.close(),
    abort: async () => stream.close(),
  };
}

/** @throws BulkError `input` if the file exists, or if a folder, device, pipe or socket is at the path */
function checkFileCanBeCreated(
  path: string,
  name: string,
  { force }: Pick<TemporaryFileOptions, 'force'>,
): void {
  const { kind, words } = inspectTarget(path);
  if (kind === 'missing' || (kind === 'file' && force)) return;
  const hint = kind === 'file' && force !== undefined ? '--force replaces it' : CHOOSE_ANOTHER;
  const message = kind === 'file' ? `${name} already exists` : `cannot write ${name}: the path is ${words}`;
  throw new BulkError('input', message, { hint });
}

export function checkOutputCanBeWritten(
  path: string,
  name: string,
  options: Pick<TemporaryFileOptions, 'force'>,
): void {
  if (inspectTarget(path).kind !== 'stream') checkFileCanBeCreated(path, name, options);
}

function begun(path: string, name: string, { mode }: TemporaryFileOptions): AtomicFile {
  try {
    return createAtomicFile(path, { suffix: '.part', ...(mode === undefined ? {} : { mode }) });
  } catch (error) {
    return throwUnwritable(name, error instanceof FileError ? (error.cause ?? error) : error, 'input');
  }
}

function written(name: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throwUnwritable(name, cause);
  }
}

function throwUnwritable(name: string, cause: unknown, kind: BulkErrorKind = 'unwritable-file'): never {
  if (cause instanceof Error && cause.name === 'AbortError') throw cause;
  const hints = cause instanceof FileError ? cause.hints : [];
  const isSpecial = cause instanceof FileError && cause.kind === 'not-a-file';
  throw new BulkError(isSpecial ? 'input' : kind, `cannot write ${name}: ${systemErrorReason(cause)}`, {
    hints,
    cause,
  });
}
