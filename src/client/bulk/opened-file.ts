import { close, closeSync, constants, fstatSync, openSync, read, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { systemErrorReason } from '../../kit/files/errors.ts';
import { BulkError } from './errors.ts';

export interface OpenedFile {
  readonly descriptor: number;
  /** False for a pipe, a terminal or a device, which have no end and can't be read again. */
  readonly isRegular: boolean;
}

/** A `Source` keeps a digest of each piece of this size. */
const CHUNK_OCTETS = 64 * 1024;

const readInto = promisify(read);
export const closeFileDescriptor = promisify(close);

/**
 * O_NONBLOCK is needed because opening a named pipe would wait for its writer, in a thread that Ctrl-C does not reach.
 * @throws BulkError for a path that can't be opened, and for a folder
 */
export function openToRead(path: string, name: string): OpenedFile {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (cause) {
    throw new BulkError('input', `cannot read ${name}: ${systemErrorReason(cause)}`, { cause });
  }
  let stats: Stats;
  try {
    stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new BulkError('input', `cannot read ${name}: the path is a folder`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { descriptor, isRegular: stats.isFile() };
}

/** Ctrl-C ends the reading, even if the file is a pipe that sends nothing. */
export async function* readFileOctets(
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
      const { bytesRead, buffer } = await readInto(
        descriptor,
        Buffer.allocUnsafe(CHUNK_OCTETS),
        0,
        CHUNK_OCTETS,
        null,
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await closeFileDescriptor(descriptor);
  }
}

/** Yields pieces of `CHUNK_OCTETS` octets, of which the last may be shorter. The file stays open. */
export async function* readRegularFileChunks(
  { descriptor }: OpenedFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; at += CHUNK_OCTETS) {
    signal.throwIfAborted();
    const piece = Buffer.allocUnsafe(CHUNK_OCTETS);
    let length = 0;
    for (;;) {
      const { bytesRead } = await readInto(descriptor, piece, length, CHUNK_OCTETS - length, at + length);
      length += bytesRead;
      if (bytesRead === 0 || length === CHUNK_OCTETS) break;
    }
    if (length > 0) yield piece.subarray(0, length);
    if (length < CHUNK_OCTETS) return;
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
    const chunks: AsyncIterable<Uint8Array> = stream;
    yield* chunks;
  } finally {
    signal.removeEventListener('abort', end);
    stream.destroy();
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
