/** Opens what a person names as a file, without ever waiting for it to be one. */
import { close, closeSync, constants, fstatSync, openSync, read, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { BulkError } from './errors.ts';

export interface OpenedFile {
  readonly descriptor: number;
  /** A file with an end, that can be read again. Otherwise a pipe, a terminal or a device. */
  readonly isRegular: boolean;
}

/** Octets that are read at once, and of which a `Source` keeps a digest each. */
export const PIECE = 64 * 1024;

const readInto = promisify(read);
export const closeFile = promisify(close);

/**
 * O_NONBLOCK: to open a named pipe waits for its writer otherwise, in a thread that no Ctrl-C reaches.
 * @param name what people know it by
 * @throws BulkError for what can't be opened, and for a folder
 */
export function openToRead(path: string, name: string): OpenedFile {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (cause) {
    throw new BulkError('input', `cannot read ${name}: ${wordsFor(cause as NodeJS.ErrnoException)}`, {
      cause,
    });
  }
  let stats: Stats;
  try {
    stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new BulkError('input', `cannot read ${name}: it is a folder`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { descriptor, isRegular: stats.isFile() };
}

/** All of it, once, from where it stands; closed at the end. Ctrl-C ends it, even where a pipe brings nothing. */
export async function* octetsOf(
  { descriptor, isRegular }: OpenedFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const waits = !isRegular && (fstatSync(descriptor).isFIFO() || isatty(descriptor));
  if (waits) {
    yield* streamed(descriptor, signal);
    return;
  }
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await readInto(descriptor, Buffer.allocUnsafe(PIECE), 0, PIECE, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await closeFile(descriptor);
  }
}

/** The pieces of a regular file from its beginning: all of `PIECE` octets but the last. The file stays open. */
export async function* piecesOf({ descriptor }: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; at += PIECE) {
    signal.throwIfAborted();
    const piece = Buffer.allocUnsafe(PIECE);
    let length = 0;
    for (;;) {
      const { bytesRead } = await readInto(descriptor, piece, length, PIECE - length, at + length);
      length += bytesRead;
      if (bytesRead === 0 || length === PIECE) break;
    }
    if (length > 0) yield piece.subarray(0, length);
    if (length < PIECE) return;
  }
}

async function* streamed(descriptor: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = isatty(descriptor)
    ? new ReadStream(descriptor)
    : new Socket({ fd: descriptor, readable: true, writable: false });
  const end = (): void => void stream.destroy(asError(signal.reason));
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stream) yield chunk as Buffer;
  } finally {
    signal.removeEventListener('abort', end);
    stream.destroy();
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** Why a file can't be opened, as part of a sentence. */
export function wordsFor(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
    case 'ERR_FS_EISDIR':
      return 'it is a folder';
    case 'ENXIO':
      return 'it is a socket, or a device that is not there';
    default:
      return error.code ?? error.message;
  }
}
