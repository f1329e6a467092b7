/** Notices what tests changed outside the folder of their run. Tests run as any user, who may be root. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../.config/suites.ts';

/** Folders of the machine to compare before and after a run. */
export interface Watched {
  /** Folder of devices: no entry may become another kind of file. */
  readonly devices: string;
  /** Folders in which no new entry may appear. */
  readonly folders: readonly string[];
  /** Paths that must not come into existence: folders of svc in the user's home, and homes that tests invent. */
  readonly absent: readonly string[];
}

/** The folders of this machine. */
export const MACHINE: Watched = {
  devices: '/dev',
  folders: [ROOT, '/'],
  absent: ['.config/svc', '.local/state/svc', '.zshrc', '.bashrc'].map((name) => join(homedir(), name)),
};

/** Remembers the present state. The returned function lists what has changed since, as sentences. */
export function watchMachine({ devices, folders, absent }: Watched): () => readonly string[] {
  const kinds = new Map(namesIn(devices).map((name) => [name, kindOf(join(devices, name))]));
  const names = new Map(folders.map((folder) => [folder, new Set(namesIn(folder))]));
  const missing = absent.filter((path) => statsOf(path) === undefined);
  return () => [
    ...[...kinds].flatMap(([name, before]) => {
      const now = kindOf(join(devices, name));
      // Devices of terminals and disks come and go.
      return now === before || now === undefined
        ? []
        : [`${join(devices, name)} was ${before}, and is ${now}`];
    }),
    ...namesIn(devices)
      .filter((name) => !kinds.has(name) && kindOf(join(devices, name)) === 'a file')
      .map((name) => `${join(devices, name)} is a new file`),
    ...folders.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => !names.get(folder)?.has(name))
        .map((name) => `${join(folder, name)} is new`),
    ),
    ...missing.filter((path) => statsOf(path) !== undefined).map((path) => `${path} is new`),
  ];
}

/** Returns what is wrong with `/dev/null`, which every user must be able to read and write. */
export function faultOfNullDevice(path = '/dev/null'): string | undefined {
  if (process.platform === 'win32') return undefined;
  const stats = statsOf(path);
  if (stats?.isCharacterDevice() && (stats.mode & 0o777) === 0o666) return undefined;
  const mode = stats && `, mode ${(stats.mode & 0o777).toString(8)}`;
  return `${path} is ${kindOf(path) ?? 'missing'}${mode ?? ''}; it must be a device with mode 666`;
}

function kindOf(path: string): string | undefined {
  const stats = statsOf(path);
  if (stats === undefined) return undefined;
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a link';
  return `a node of type ${(stats.mode & 0o170000).toString(8)} and number ${stats.rdev}`;
}

const statsOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
