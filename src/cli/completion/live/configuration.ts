/**
 * Reads the parts of the configuration file that completion needs. Completion does not use the usual reader, because it loads too slowly.
 */

import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectory, configDirOf } from '../../../files/directories.ts';
import { thisUser } from '../../../files/owner.ts';
import { readPrivateFile } from '../../../files/private-file.ts';
import { parseJson } from '../../../protocol/json.ts';
import { isObject } from '../../../text/json-object.ts';

export interface UserPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

export type Stored = Readonly<Record<string, unknown>>;

export interface Configuration {
  readonly profiles: Readonly<Record<string, Stored>>;
  readonly defaultName: string | undefined;
  /** Text that changes whenever the file changes. */
  readonly version: string;
}

const NONE: Configuration = { profiles: {}, defaultName: undefined, version: '' };
const MAX_OCTETS = 1024 * 1024;

/**
 * Reads the configuration. Returns an empty configuration for a file that `svc` itself would refuse, because the next command explains the
 * reason.
 */
export function readConfiguration(outside: UserPlace): Configuration {
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

/** Returns the user's aliases. Ignores a file that `svc` itself would refuse. */
export function readAliases(outside: UserPlace): readonly (readonly [name: string, expansion: string])[] {
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

/** Returns the folder of the profiles. @throws Error when the system has no place for them */
export function configFolder({ env, homeDir, platform }: UserPlace): string {
  const directory = configDirOf(env, homeDir, platform);
  if (directory === '') throw new Error('there is no home directory');
  return resolve(directory);
}

export function recordOf(value: unknown): Stored {
  return isObject(value) ? value : {};
}
