/**
 * A disk that loses unsynced data when its power is cut. It plays a trace of system calls, because the test machines have no layer that
 * drops writes (dm-log-writes, FUSE).
 */

import { basename } from 'node:path';

/** The options of strace for a trace that a disk can play: complete data in hexadecimal, and paths of descriptors. */
export const TRACE_OPTIONS: readonly string[] = [
  ...['-f', '-qq', '-y', '-xx', '-s', '1000000'],
  ...[
    '-e',
    'trace=pwrite64,pwritev,write,writev,ftruncate,fsync,fdatasync,unlink,unlinkat,rename,sendto,sendmsg',
  ],
];

type Change = { readonly at: number; readonly octets: Buffer } | { readonly size: number };

interface Content {
  /** The contents, at least as long as the file, with zeros after its end. */
  octets: Buffer;
  size: number;
}

interface File {
  readonly synced: Content;
  /** Changes since the last sync, in order. */
  waiting: Change[];
}

export class LossyDisk {
  readonly #database: string;
  readonly #files = new Map<string, File>();
  /** The file whose sync has begun, by thread. */
  readonly #syncing = new Map<string, string>();

  /** @param database the path of a database. The disk holds it and the files beside it whose names begin with its name. */
  constructor(database: string) {
    this.#database = database;
  }

  /** Plays a line of the trace. Returns the data that it sends over a socket. */
  play(line: string): string | undefined {
    const [, thread = '', call = '', rest = ''] = /^([0-9]+) +([a-z0-9]+)\((.*)$/s.exec(line) ?? [];
    if (call === '') {
      const [, other = ''] = /^([0-9]+) +<\.\.\. f(?:data)?sync resumed>/.exec(line) ?? [];
      this.#sync(this.#syncing.get(other));
      this.#syncing.delete(other);
      return undefined;
    }
    const texts = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) => octetsOf(text));
    const path = octetsOf(/^[0-9]+<((?:\\x[0-9a-f]{2})*)>/.exec(rest)?.[1] ?? '').toString();
    const file = this.#nameOf(path);
    if (path.startsWith('socket:')) return Buffer.concat(texts).toString('latin1');
    if (call === 'unlink' || call === 'unlinkat')
      this.#files.delete(this.#nameOf(String(texts.at(-1))) ?? '');
    if (file === undefined) return undefined;
    switch (call) {
      case 'fsync':
      case 'fdatasync':
        if (rest.includes('<unfinished')) this.#syncing.set(thread, file);
        else this.#sync(file);
        break;
      case 'ftruncate':
        this.#of(file).waiting.push({ size: Number(/, ([0-9]+)/.exec(rest)?.[1]) });
        break;
      case 'pwrite64': {
        const at = Number(/", [0-9]+, ([0-9]+)(?:\)| <)/.exec(rest)?.[1]);
        this.#of(file).waiting.push({ at, octets: texts[0] ?? Buffer.alloc(0) });
        break;
      }
      default:
        throw new Error(`the disk knows no ${call} of ${file}`);
    }
    return undefined;
  }

  /**
   * Returns the files by name after a cut of the power: all synced data, and the part of each later change that `keeps` returns, in
   * sectors.
   * @param keeps returns the part of a change that reached the disk, from 0 to 1
   */
  cut(keeps: () => number): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.#files].map(([name, { synced, waiting }]) => {
        const kept = waiting.flatMap((change): readonly Change[] => {
          if ('size' in change) return keeps() === 1 ? [change] : [];
          const most = SECTOR * Math.floor((change.octets.length * keeps()) / SECTOR);
          return most === 0 ? [] : [{ at: change.at, octets: change.octets.subarray(0, most) }];
        });
        const after = { octets: Buffer.from(synced.octets), size: synced.size };
        for (const change of kept) apply(after, change);
        return [basename(name), after.octets.subarray(0, after.size)];
      }),
    );
  }

  #nameOf(path: string): string | undefined {
    // SQLite makes the index of its log again.
    return path.startsWith(this.#database) && !path.endsWith('-shm') ? path : undefined;
  }

  #of(name: string): File {
    const found = this.#files.get(name) ?? { synced: { octets: Buffer.alloc(0), size: 0 }, waiting: [] };
    this.#files.set(name, found);
    return found;
  }

  #sync(name: string | undefined): void {
    const file = name === undefined ? undefined : this.#files.get(name);
    if (!file) return;
    for (const change of file.waiting) apply(file.synced, change);
    file.waiting = [];
  }
}

const SECTOR = 512;

const octetsOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

function apply(content: Content, change: Change): void {
  const size = 'size' in change ? change.size : Math.max(content.size, change.at + change.octets.length);
  if (size > content.octets.length) {
    const larger = Buffer.alloc(2 * size);
    content.octets.copy(larger);
    content.octets = larger;
  }
  if ('octets' in change) change.octets.copy(content.octets, change.at);
  else content.octets.fill(0, size);
  content.size = size;
}
