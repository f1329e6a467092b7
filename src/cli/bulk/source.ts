/** The octets of a file or of standard input, checked to be UTF-8 and hashed on their way. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { wordsFor } from '../sources.ts';

export interface Source {
  /** As it was named: the word for messages. */
  readonly name: string;
  /** Absolute; undefined for standard input, which can be read once only. */
  readonly path: string | undefined;
  /** @throws UsageError for what can't be read or isn't UTF-8 */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** SHA-256 of what `chunks` brought, hexadecimal; undefined before its end. */
  readonly digest: () => string | undefined;
}

const CHUNK = 64 * 1024;

/** @param file a path, or `-` for standard input */
export function sourceOf(context: Context, file: string): Source {
  const path = file === '-' ? undefined : resolve(context.cwd, file);
  const name = path === undefined ? 'standard input' : file;
  let digest: string | undefined;
  return {
    name,
    path,
    digest: () => digest,
    async *chunks() {
      const hash = createHash('sha256');
      const decoder = new TextDecoder('utf-8', { fatal: true });
      const octets = path === undefined ? context.stdin.chunks() : readFile(path, name);
      for await (const chunk of octets) {
        hash.update(chunk);
        check(() => decoder.decode(chunk, { stream: true }), name);
        yield chunk;
      }
      check(() => decoder.decode(), name);
      digest = hash.digest('hex');
    },
  };
}

async function* readFile(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${name}: ${wordsFor(cause)}`, { cause });
  });
  try {
    if ((await file.stat()).isDirectory()) throw new UsageError(`cannot read ${name}: it is a folder`);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function check(decode: () => string, name: string): void {
  try {
    decode();
  } catch (cause) {
    throw new UsageError(`${name} is not UTF-8 text`, { hint: 'convert it, with iconv for instance', cause });
  }
}
