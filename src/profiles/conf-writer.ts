/** Puts a new configuration file in the place of the old one: it is the one or the other at any moment. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveIntoPlace } from '../files/atomic-file.ts';
import { textOf } from './file-contents.ts';

const BESIDE = '.new-';

export type ConfWriter = (path: string, stored: Readonly<Record<string, unknown>>) => void;

/**
 * Loads conf, which stores the profiles: their text, its mode, and a write that is whole. It is slow to load, so that
 * happens ahead of the moment when others wait, and never to read. Three things are not left to it, since the file holds
 * keys: it reads and writes through links, so what it wrote in a directory of its own is moved into place; it lets two
 * writers overwrite each other, so the caller holds a lock; and in a terminal of a snap (`SNAP`) it writes in place, where
 * a reader would find half a file, which that directory keeps from sight too.
 */
export async function loadConfWriter(platform: NodeJS.Platform): Promise<ConfWriter> {
  const { default: Conf } = await withoutSignalHandlers(() => import('conf'));
  return (path, stored) => {
    const directory = dirname(path);
    removeLeftovers(directory);
    const beside = mkdtempSync(join(directory, BESIDE));
    try {
      const conf = new Conf<Record<string, unknown>>({
        cwd: beside,
        configFileMode: 0o600,
        // A name of a profile is a key as it stands, and no path.
        accessPropertiesByDotNotation: false,
        serialize: textOf,
      });
      conf.store = { ...stored };
      moveIntoPlace(conf.path, path, platform);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  };
}

/**
 * A package of conf (when-exit) listens to all signals from the moment when it is loaded, to remove files that it has not
 * finished, and ends the process at the first one: nothing in flight would be finished at Ctrl-C. Its files are cleared
 * away by the next writer, so its listeners go.
 */
async function withoutSignalHandlers<T>(load: () => Promise<T>): Promise<T> {
  const before = new Set(signalHandlers().map(({ handler }) => handler));
  const loaded = await load();
  for (const { signal, handler } of signalHandlers()) if (!before.has(handler)) process.off(signal, handler);
  return loaded;
}

function signalHandlers(): readonly { readonly signal: NodeJS.Signals; readonly handler: () => void }[] {
  return process
    .eventNames()
    .filter((name): name is NodeJS.Signals => typeof name === 'string' && name.startsWith('SIG'))
    .flatMap((signal) =>
      process.rawListeners(signal).map((handler) => ({ signal, handler: handler as () => void })),
    );
}

// Of a writer that was killed. The lock is held, so nobody is at work in them.
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(BESIDE)) rmSync(join(directory, name), { recursive: true, force: true });
}
