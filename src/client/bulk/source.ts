/**
 * Reads the octets of a file or of standard input as UTF-8, and hashes them. UTF-16 with a byte order mark is converted. A file is read
 * twice: once to check it and ask for confirmation, once to send it. The sent data is always the checked data. The first reading keeps a
 * SHA-256 of each piece of 64 KiB. Before the first row is sent, `verify` compares the whole file with them. Every piece is compared again
 * in memory before its rows are yielded. svc does not rely on the times or the size of the file.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { BulkError } from './errors.ts';
import {
  closeFileDescriptor,
  type OpenedFile,
  openToRead,
  readFileOctets,
  readRegularFileChunks,
} from './opened-file.ts';

export interface InputSource {
  readonly name: string;
  /** Undefined for standard input, which can be read only once. */
  readonly path: string | undefined;
  /**
   * After the first complete reading of a file, each later reading yields the same octets.
   * @throws BulkError for data that svc can't read, and for data in other encodings than UTF-8 and UTF-16 with a byte order mark. If the
   * file has changed since the first reading, throws a BulkError of kind `changed` before it yields changed data
   */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** Returns undefined before the first reading has ended. */
  readonly digest: () => string | undefined;
  readonly verify: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface InputSourceContext {
  readonly cwd: string;
  readonly stdin: { readonly chunks: () => AsyncIterable<Uint8Array> };
  readonly signal: AbortSignal;
}

/**
 * @param file a path, or `-` for standard input
 * @param rereadHint hint for an input that can't be read twice; undefined if the command reads it only once
 */
export function openInputSource(context: InputSourceContext, file: string, rereadHint?: string): InputSource {
  const { signal } = context;
  const path = file === '-' ? undefined : resolve(context.cwd, file);
  const name = path === undefined ? 'standard input' : file;
  let known: FirstReading | undefined;
  let verified: OpenedFile | undefined;

  const openPath = (there: string): OpenedFile => {
    const opened = openToRead(there, name);
    if (rereadHint === undefined || (opened.isRegular && !OPEN_DESCRIPTOR.test(there))) return opened;
    void closeFileDescriptor(opened.descriptor);
    throw new BulkError('input', `${name} is not a regular file, and svc must read the file twice`, {
      hint: rereadHint,
    });
  };
  const reading = (): AsyncIterable<Uint8Array> => {
    if (path === undefined) return context.stdin.chunks();
    const opened = openPath(path);
    return opened.isRegular
      ? closedAfter(opened, readRegularFileChunks(opened, signal))
      : readFileOctets(opened, signal);
  };
  const verify = async (): Promise<void> => {
    if (path === undefined || known === undefined) return;
    const opened = openPath(path);
    try {
      for await (const _ of compared(opened, known, name, signal));
    } catch (error) {
      await closeFileDescriptor(opened.descriptor);
      throw error;
    }
    await close();
    verified = opened;
  };
  const close = async (): Promise<void> => {
    const opened = verified;
    verified = undefined;
    if (opened !== undefined) await closeFileDescriptor(opened.descriptor);
  };
  return {
    name,
    path,
    digest: () => known?.sha256,
    verify,
    close,
    async *chunks() {
      if (known === undefined) {
        const first = withDigests(reading(), (whole) => {
          known = whole;
        });
        yield* toUtf8(first, name);
        return;
      }
      if (verified === undefined) await verify();
      const opened = verified;
      if (opened === undefined) throw new Error('standard input can be read only once');
      verified = undefined;
      yield* toUtf8(closedAfter(opened, compared(opened, known, name, signal)), name);
    },
  };
}

/** No checkpoint can be created next to such a path, even if it refers to a regular file. */
const OPEN_DESCRIPTOR = /^\/(dev\/(fd\/|stdin$)|proc\/)/;

interface FirstReading {
  readonly sha256: string;
  readonly pieces: readonly string[];
}

async function* withDigests(
  octets: AsyncIterable<Uint8Array>,
  done: (known: FirstReading) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const pieces: string[] = [];
  for await (const chunk of octets) {
    hash.update(chunk);
    pieces.push(digestOf(chunk));
    yield chunk;
  }
  done({ sha256: hash.digest('hex'), pieces });
}

async function* compared(
  opened: OpenedFile,
  { pieces }: FirstReading,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of readRegularFileChunks(opened, signal)) {
    // If the file has grown, the additional piece is compared with undefined and differs.
    if (digestOf(piece) !== pieces[at]) throw changed(name);
    at += 1;
    yield piece;
  }
  if (at !== pieces.length) throw changed(name);
}

async function* closedAfter(
  { descriptor }: OpenedFile,
  octets: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* octets;
  } finally {
    await closeFileDescriptor(descriptor);
  }
}

const digestOf = (piece: Uint8Array): string => createHash('sha256').update(piece).digest('base64');

const changed = (name: string): BulkError =>
  new BulkError('changed', `${name} has changed since it was checked`, {
    hint: 'no new row was sent; do not change the file while svc is reading it',
  });

/**
 * Converts UTF-16 with a byte order mark to UTF-8 without a byte order mark.
 * @throws BulkError for other octets
 */
async function* toUtf8(octets: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let format: Format | undefined;
  let held = Buffer.alloc(0);
  for await (const chunk of octets) {
    held = Buffer.concat([held, chunk]);
    // The byte order mark has two octets.
    if (held.length < 2) continue;
    format ??= formatOf(held);
    yield* decoded(format, held, name, true);
    held = Buffer.alloc(0);
  }
  yield* decoded(format ?? formatOf(held), held, name, false);
}

interface Format {
  readonly encoding: 'UTF-8' | 'UTF-16';
  readonly decoder: InstanceType<typeof TextDecoder>;
}

function formatOf(start: Buffer): Format {
  const label = MARKS[start.subarray(0, 2).toString('hex')];
  return {
    encoding: label === undefined ? 'UTF-8' : 'UTF-16',
    decoder: new TextDecoder(label ?? 'utf-8', { fatal: true }),
  };
}

const MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

function* decoded(
  { encoding, decoder }: Format,
  octets: Buffer,
  name: string,
  stream: boolean,
): Generator<Uint8Array> {
  let text: string;
  try {
    text = decoder.decode(octets, { stream });
  } catch (cause) {
    throw new BulkError('input', `${name} is not ${encoding} text`, {
      hint: 'save the file as UTF-8, or convert it with iconv',
      cause,
    });
  }
  if (encoding === 'UTF-8') yield octets;
  else if (text !== '') yield Buffer.from(text);
}
