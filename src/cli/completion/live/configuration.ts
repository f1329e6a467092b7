/** What completion reads of the configuration file: as little as it needs, since the whole reader takes too long. */

import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectory, configDirOf } from '../../../files/directories.ts';
import { thisUser } from '../../../files/owner.ts';
import { readPrivateFile } from '../../../files/private-file.ts';
import { parseJson } from '../../../protocol/json.ts';

export interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

export type Stored = Readonly<Record<string, unknown>>;

export interface Configuration {
  readonly profiles: Readonly<Record<string, Stored>>;
  readonly defaultName: string | undefined;
  /** Another one whenever the file has changed. */
  readonly version: string;
}

const NONE: Configuration = { profiles: {}, defaultName: undefined, version: '' };
const MAX_OCTETS = 1024 * 1024;

/** Nothing of a file that `svc` itself would refuse: whoever runs a command is told why. */
export function readConfiguration(outside: Outside): Configuration {
  try {
    const directory = configFolder(outside);
    const path = join(directory, 'config.json');
    const owner = thisUser(outside.platform);
    checkDirectory(directory, owner);
    const text = readPrivateFile(path, owner, MAX_OCTETS);
    if (text === undefined) return NONE;
    const { mtimeMs, size } = lstatSync(path);
    const { profiles, default: defaultName } = recordOf(parseJson(text));
    return {
      profiles: Object.fromEntries(
        Object.entries(recordOf(profiles)).map(([name, profile]) => [name, recordOf(profile)]),
      ),
      defaultName: typeof defaultName === 'string' ? defaultName : undefined,
      version: `${path} ${mtimeMs} ${size}`,
    };
  } catch {
    return NONE;
  }
}

/** The person's own words for commands; nothing of a file that `svc` itself would refuse. */
export function readAliases(outside: Outside): readonly (readonly [name: string, expansion: string])[] {
  try {
    const directory = configFolder(outside);
    const owner = thisUser(outside.platform);
    checkDirectory(directory, owner);
    const text = readPrivateFile(join(directory, 'aliases.json'), owner, MAX_OCTETS);
    const { aliases } = recordOf(JSON.parse(text ?? '{}'));
    return Object.entries(recordOf(aliases)).map(([name, expansion]) => [name, String(expansion)]);
  } catch {
    return [];
  }
}

/** Where the profiles are. @throws Error where the system knows no place for them */
export function configFolder({ env, homeDir, platform }: Outside): string {
  const directory = configDirOf(env, homeDir, platform);
  if (directory === '') throw new Error('there is no home directory');
  return resolve(directory);
}

export function recordOf(value: unknown): Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : {};
}
