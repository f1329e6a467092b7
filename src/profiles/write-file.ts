/** Puts a new configuration file in the place of the old one: it is the one or the other at any moment. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { textOf } from './contents.ts';
import type { Owner } from './private-file.ts';

const BESIDE = '.new-';

export type WriteFile = (path: string, stored: Readonly<Record<string, unknown>>) => void;

/**
 * Loads conf, which is slow, ahead of the moment when others wait. conf writes into a directory of its own beside the
 * file and the result is renamed: by itself it goes through a symbolic link, and under snap it writes in place.
 */
export async function loadWriter(owner: Owner): Promise<WriteFile> {
  const { default: Conf } = await withoutSignalHandlers(() => import('conf'));
  return (path, stored) => {
    const directory = dirname(path);
    removeLeftovers(directory);
    const beside = mkdtempSync(join(directory, BESIDE));
    try {
      const conf = new Conf<Record<string, unknown>>({
        cwd: beside,
        configName: 'config',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
        serialize: textOf,
      });
      conf.store = { ...stored };
      chmodSync(conf.path, 0o600);
      sync(conf.path, 'r+');
      renameSync(conf.path, path);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
    // The rename itself is on disk only once the directory is. Windows can't open one.
    if (owner.platform !== 'win32') sync(directory, 'r');
  };
}

/**
 * conf brings a package that takes all signals over when it is loaded, and ends the process at the first one: nothing
 * in flight would be finished at Ctrl-C.
 */
async function withoutSignalHandlers<T>(load: () => Promise<T>): Promise<T> {
  const handlers = () =>
    process
      .eventNames()
      .filter((name): name is NodeJS.Signals => typeof name === 'string' && name.startsWith('SIG'))
      .flatMap((signal) => process.rawListeners(signal).map((handler) => ({ signal, handler })));
  const before = handlers();
  const loaded = await load();
  for (const { signal, handler } of handlers())
    if (!before.some((each) => each.signal === signal && each.handler === handler))
      process.off(signal, handler as () => void);
  return loaded;
}

/** Makes the directory, for this user alone whatever the umask. One that is there stays as it is. */
export function makeDirectory(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
}

// Of a writer that was killed. The lock is held, so nobody is at work in them.
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(BESIDE)) rmSync(join(directory, name), { recursive: true, force: true });
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
