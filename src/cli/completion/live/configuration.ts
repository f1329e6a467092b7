/** Reads the profiles and aliases for completion. Completion does not use the profile store, because that module loads too slowly. */

import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectoryAccess, configDirOf } from '../../../files/directories.ts';
import { thisUser } from '../../../files/owner.ts';
import { readPrivateFile } from '../../../files/private-file.ts';
import { parseJson } from '../../../protocol/json.ts';
import { isObject } from '../../../text/json-object.ts';

export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** Profile or other object of the configuration file. Its values are not checked. */
export type UncheckedConfigObject = Readonly<Record<string, unknown>>;

export interface Configuration {
  readonly profiles: Readonly<Record<string, UncheckedConfigObject>>;
  /** Name of the default profile. */
  readonly defaultName: string | undefined;
  /** Text that changes whenever the configuration file changes. */
  readonly version: string;
}

const NONE: Configuration = { profiles: {}, defaultName: undefined, version: '' };
const MAX_OCTETS = 1024 * 1024;

/**
 * Reads the configuration file. Returns an empty configuration if svc would refuse the file, because the next command explains the reason.
 */
export function readProfileConfiguration(place: UserEnvironment): Configuration {
  try {
    const directory = configFolder(place);
    const path = join(directory, 'config.json');
    const owner = thisUser(place.platform);
    checkDirectoryAccess(directory, owner);
    const text = readPrivateFile(path, owner, MAX_OCTETS);
    if (text === undefined) return NONE;
    const { mtimeMs, size } = lstatSync(path);
    const { profiles, default: defaultName } = objectOrEmpty(parseJson(text));
    return {
      profiles: Object.fromEntries(
        Object.entries(objectOrEmpty(profiles)).map(([name, profile]) => [name, objectOrEmpty(profile)]),
      ),
      defaultName: typeof defaultName === 'string' ? defaultName : undefined,
      version: `${path} ${mtimeMs} ${size}`,
    };
  } catch {
    return NONE;
  }
}

/** Returns the user's aliases. Returns an empty list if svc would refuse the file. */
export function readAliases(place: UserEnvironment): readonly (readonly [name: string, expansion: string])[] {
  try {
    const directory = configFolder(place);
    const owner = thisUser(place.platform);
    checkDirectoryAccess(directory, owner);
    const text = readPrivateFile(join(directory, 'aliases.json'), owner, MAX_OCTETS);
    const { aliases } = objectOrEmpty(JSON.parse(text ?? '{}'));
    return Object.entries(objectOrEmpty(aliases)).map(([name, expansion]) => [name, String(expansion)]);
  } catch {
    return [];
  }
}

/** Returns the folder of the profiles. @throws Error if there is no home folder */
export function configFolder({ env, homeDir, platform }: UserEnvironment): string {
  const directory = configDirOf(env, homeDir, platform);
  if (directory === '') throw new Error('there is no home directory');
  return resolve(directory);
}

export function objectOrEmpty(value: unknown): UncheckedConfigObject {
  return isObject(value) ? value : {};
}
