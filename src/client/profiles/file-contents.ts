/** Parses and formats the configuration file. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveIntoPlace } from '../../kit/files/atomic-file.ts';
import { checked, ShapeError } from '../../kit/schema/shape.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { explainTooNewFileVersion } from '../../kit/text/svc-error.ts';
import { formatJson, parseJson as readJson } from '../../service/protocol/json.ts';
import { isProfileName, ProfileError } from './errors.ts';
import { PROFILE_MEMBERS, type Profile, profileShape } from './profile.ts';

export interface StoredProfiles {
  readonly defaultName: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const NO_PROFILES: StoredProfiles = { defaultName: undefined, profiles: new Map() };

const VERSION = 1;

/**
 * @param path path of the file, for the messages of errors
 * @throws ProfileError `storage` if the text is not JSON, has a newer version, or does not have the shape that svc writes
 */
export function parseProfilesFile(text: string, path: string): StoredProfiles {
  const config = recordOf(parseJson(text, path));
  if (config === undefined) throw notAsWritten(path, 'the file must hold a JSON object');
  const version = config.get('version');
  const newer = explainTooNewFileVersion(path, version, VERSION);
  if (newer !== undefined)
    throw new ProfileError('storage', newer, {
      hints: ['update svc, or name another directory in SVC_CONFIG_DIR; the file was left as it is'],
    });
  if (version !== VERSION) throw notAsWritten(path, `version must be ${VERSION}`);
  for (const key of config.keys())
    if (!['version', 'default', 'profiles'].includes(key))
      throw notAsWritten(path, `the file must not have ${JSON.stringify(key)}`);
  const stored = recordOf(config.get('profiles'));
  if (stored === undefined) throw notAsWritten(path, 'profiles must be an object');
  const profiles = new Map(
    [...stored].map(([name, value]) => [name, readProfile(name, value, path)] as const).sort(byName),
  );
  const defaultName = config.get('default');
  if (defaultName !== undefined && typeof defaultName !== 'string')
    throw notAsWritten(path, 'default must be the name of a profile');
  return { profiles, defaultName: profiles.has(defaultName ?? '') ? defaultName : undefined };
}

export function profilesToStoredObject({ defaultName, profiles }: StoredProfiles): Record<string, unknown> {
  const entries = [...profiles].sort(byName).map(([name, { name: _, ...rest }]) => [name, rest] as const);
  return {
    version: VERSION,
    // JSON omits undefined values.
    default: defaultName,
    profiles: Object.fromEntries(entries),
  };
}

export function formatProfilesFile(stored: Readonly<Record<string, unknown>>): string {
  return `${formatJson(stored, 2)}\n`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

// The parser's own message quotes the content, which may be a key. Only the position is kept.
function parseJson(text: string, path: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    const position = /at position ([0-9]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw new ProfileError('storage', `${path} is not JSON${line === undefined ? '' : ` (line ${line})`}`, {
      hints: [
        'correct the file, or move it away and add the profiles again (svc profile add); svc did not change the file',
      ],
    });
  }
}

function readProfile(name: string, value: unknown, path: string): Profile {
  if (!isProfileName(name)) throw notAsWritten(path, `${JSON.stringify(name)} is not a valid profile name`);
  const place = `profiles.${name}`;
  const unknown = isObject(value)
    ? Object.keys(value).find((key) => !PROFILE_MEMBERS.includes(key))
    : undefined;
  if (unknown !== undefined)
    throw notAsWritten(path, `${place} must not have the key ${JSON.stringify(unknown)}`);
  try {
    return { ...checked(profileShape, value, place), name };
  } catch (error) {
    throw error instanceof ShapeError ? notAsWritten(path, error.message) : error;
  }
}

function recordOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}

function notAsWritten(path: string, what: string): ProfileError {
  return new ProfileError('storage', `${path} is not a valid profile file of svc: ${what}`, {
    hints: ['correct the file, or move it away and add the profiles again; svc did not change the file'],
  });
}

const TEMPORARY_PREFIX = '.new-';

type ConfigFileWriter = (path: string, stored: Readonly<Record<string, unknown>>) => void;

/**
 * Loads the npm package conf, and returns a function that writes the configuration file with it. Loading is
 * slow, so svc does it before it takes the lock, and never to read the file. The file holds keys, and conf
 * alone is not safe enough:
 * - It follows links. So it writes into a new directory, and svc moves the file into place.
 * - It lets two writers overwrite each other. So the caller must hold the lock.
 * - With `SNAP` in the environment, as in a terminal that was installed as a Snap, it writes in place, and a
 *   reader could find half a file. The new directory prevents this too.
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
 * Loads conf, and removes the signal handlers of its package when-exit. They end the process at the first
 * signal, so Ctrl-C would not wait for requests in flight. They would remove unfinished files; svc removes
 * these when it next writes the file.
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
