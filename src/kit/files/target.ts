/**
 * Looks at the path of a file that svc is about to write. svc never replaces a device, a pipe or a socket, because other programs use
 * these: a machine whose `/dev/null` became a file is broken.
 */
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { FileError } from './errors.ts';

interface Target {
  /** A `stream` is a character device or a named pipe, into which a program can write. */
  readonly kind: 'missing' | 'file' | 'folder' | 'stream' | 'other';
  readonly words: string;
}

/** A link counts as what it names, and a link to nowhere as a file, because svc replaces both. */
export function inspectTarget(path: string): Target {
  const named = statsOf(() => lstatSync(path, { throwIfNoEntry: false }));
  if (named === undefined) return { kind: 'missing', words: 'missing' };
  if (!named.isSymbolicLink()) return targetOf(named);
  const linked = targetOf(statsOf(() => statSync(path, { throwIfNoEntry: false })));
  // Links such as /dev/stdout name an open file of this process. Replacing the link would change the machine.
  return linked.kind === 'file' && readlinkSync(path).startsWith('/proc/')
    ? { kind: 'other', words: 'a link to an open file' }
    : linked;
}

/**
 * Call it before the first write, and again before the file is moved to the path.
 * @throws FileError `not-a-file`
 */
export function checkReplaceable(path: string): void {
  const { kind, words } = inspectTarget(path);
  if (kind === 'missing' || kind === 'file') return;
  throw new FileError('not-a-file', `cannot replace ${path}, which is ${words}`, CHOOSE_ANOTHER);
}

export const CHOOSE_ANOTHER = 'choose another path, or move it away';

function targetOf(stats: Stats | undefined): Target {
  if (stats === undefined || stats.isFile()) return { kind: 'file', words: 'a regular file' };
  if (stats.isDirectory()) return { kind: 'folder', words: 'a folder' };
  if (stats.isFIFO()) return { kind: 'stream', words: 'a named pipe' };
  if (stats.isCharacterDevice()) return { kind: 'stream', words: 'a device' };
  // Text in a block device would destroy the file system on it.
  if (stats.isBlockDevice()) return { kind: 'other', words: 'a block device' };
  return { kind: 'other', words: stats.isSocket() ? 'a socket' : 'not a regular file' };
}

/** Returns undefined if the system does not tell. Writing to the path then fails for the same reason, and that error names it. */
function statsOf(look: () => Stats | undefined): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
