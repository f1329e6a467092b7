/** Replaces the configuration file atomically: at any moment, the file is either the old or the new one. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveIntoPlace } from '../files/atomic-file.ts';
import { formatProfilesFile } from './file-contents.ts';

const TEMPORARY_PREFIX = '.new-';

export type ConfigFileWriter = (path: string, stored: Readonly<Record<string, unknown>>) => void;

/**
 * Loads the npm package conf, and returns a function that writes the configuration file with conf. Loading conf is slow. So svc loads conf
 * before svc takes the lock on the file, and never loads conf to read the file. The file holds keys, and conf alone is not safe enough:
 * - conf follows links when conf reads or writes. So the returned function lets conf write into a new directory, and then moves the file
 *   into place.
 * - conf lets two writers overwrite each other. So the caller of the returned function must hold the lock.
 * - If the environment variable `SNAP` is set, conf writes the file in place, and a reader could find half a file. A program that was
 *   installed as a Snap package, such as a terminal, sets this variable. The new directory prevents this problem too.
 */
export async function loadConfigFileWriter(platform: NodeJS.Platform): Promise<ConfigFileWriter> {
  const { default: Conf } = await withoutSignalHandlers(() => import('conf'));
  return (path, stored) => {
    const directory = dirname(path);
    removeLeftovers(directory);
    const temporary = mkdtempSync(join(directory, TEMPORARY_PREFIX));
    try {
      const conf = new Conf<Record<string, unknown>>({
        cwd: temporary,
        configFileMode: 0o600,
        // A profile name is one literal key, not a path.
        accessPropertiesByDotNotation: false,
        serialize: formatProfilesFile,
      });
      conf.store = { ...stored };
      moveIntoPlace(conf.path, path, platform);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  };
}

/**
 * Loads conf, and removes the signal handlers that conf adds. The handlers come from the package when-exit, and remove unfinished files
 * when the process gets a signal. The handlers also end the process at the first signal, so Ctrl-C would not wait for requests in flight.
 * svc does not need the handlers: when svc next writes the configuration file, svc removes the unfinished files.
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

// These were left by a killed writer. The lock is held, so no other process uses them.
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(TEMPORARY_PREFIX)) rmSync(join(directory, name), { recursive: true, force: true });
}
