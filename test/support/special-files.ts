/** Paths that are no regular files: what svc must never replace. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, lstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export type SpecialKind = 'pipe' | 'device' | 'socket' | 'folder';

/** How messages of svc name each kind. */
export const SPECIAL_KIND_WORDS: Readonly<Record<SpecialKind, string>> = {
  pipe: 'a named pipe',
  device: 'a device',
  socket: 'a socket',
  folder: 'a folder',
};

export interface SpecialFiles {
  /** A device like `/dev/null` is missing if this user, or the file system of the folder, permits none. */
  readonly paths: Readonly<Partial<Record<SpecialKind, string>>>;
  /** Makes one of them again, at another path. */
  readonly makeAt: (kind: SpecialKind, path: string) => void;
  readonly close: () => void;
}

/** Makes one of each kind in the folder, named after its kind. */
export async function makeSpecialFiles(folder: string): Promise<SpecialFiles> {
  const at = (kind: SpecialKind): string => join(folder, kind);
  execFileSync('mkfifo', [at('pipe')]);
  mkdirSync(at('folder'));
  const hasDevice = makeNullDevice(at('device'));
  const sockets = [createServer()];
  await new Promise<void>((resolve) => sockets[0]?.listen(at('socket'), resolve));
  const paths = { pipe: at('pipe'), folder: at('folder'), socket: at('socket') };
  return {
    paths: hasDevice ? { ...paths, device: at('device') } : paths,
    makeAt: (kind, path) => {
      if (kind === 'pipe') execFileSync('mkfifo', [path]);
      else if (kind === 'folder') mkdirSync(path);
      else if (kind === 'device') makeNullDevice(path);
      else sockets.push(createServer().listen(path));
    },
    close: () => {
      for (const socket of sockets) socket.close();
    },
  };
}

/** Makes a node of its own for the device behind `/dev/null`. Returns false if that is not permitted. */
export function makeNullDevice(path: string): boolean {
  try {
    execFileSync('mknod', ['-m', '666', path, 'c', '1', '3'], { stdio: 'ignore' });
    closeSync(openSync(path, 'w'));
    return true;
  } catch {
    return false;
  }
}

/** Returns what must not change when a program writes to the path. */
export function identityOf(path: string): object {
  const { ino, mode, rdev, uid } = lstatSync(path);
  return { ino, mode, rdev, uid };
}

/** Opens a pipe for reading without waiting for a writer. `text` returns what was written so far. */
export function readerOf(pipe: string): { readonly text: () => string; readonly close: () => void } {
  const file = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  let text = '';
  return {
    text: () => {
      const octets = Buffer.alloc(1 << 16);
      try {
        for (let count = -1; count !== 0; ) {
          count = readSync(file, octets);
          text += octets.toString('utf8', 0, count);
        }
      } catch (error) {
        // No more is in the pipe, and its writer has not closed it.
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      }
      return text;
    },
    close: () => closeSync(file),
  };
}
