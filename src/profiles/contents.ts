/** What stands in the configuration file, from text and back. Strict: what isn't ours is not guessed at. */
import { ProfileError } from './errors.ts';
import { isId, isProfileName, type Profile } from './profile.ts';

export interface Contents {
  readonly defaultName: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const EMPTY: Contents = { defaultName: undefined, profiles: new Map() };

const VERSION = 1;

/**
 * @param path for the messages
 * @throws ProfileError `storage`: not JSON, a newer version, or not the shape that svc writes
 */
export function parseContents(text: string, path: string): Contents {
  const config = recordOf(parseJson(text, path));
  if (config === undefined) throw notOurs(path, 'it must hold a JSON object');
  const version = config.get('version');
  if (isId(version) && version > VERSION)
    throw new ProfileError('storage', `${path} was written by a newer svc (version ${version} of the file)`, {
      hints: ['update svc, or name another directory in SVC_CONFIG_DIR; the file was left as it is'],
    });
  if (version !== VERSION) throw notOurs(path, `version must be ${VERSION}`);
  for (const key of config.keys())
    if (!['version', 'default', 'profiles'].includes(key))
      throw notOurs(path, `it has no ${JSON.stringify(key)}`);
  const stored = recordOf(config.get('profiles'));
  if (stored === undefined) throw notOurs(path, 'profiles must be an object');
  const profiles = new Map(
    [...stored].map(([name, value]) => [name, readProfile(name, value, path)] as const).sort(byName),
  );
  const defaultName = config.get('default');
  if (defaultName !== undefined && typeof defaultName !== 'string')
    throw notOurs(path, 'default must be the name of a profile');
  return { profiles, defaultName: profiles.has(defaultName ?? '') ? defaultName : undefined };
}

/** The object that goes into the file. */
export function toStored({ defaultName, profiles }: Contents): Record<string, unknown> {
  const entries = [...profiles].sort(byName).map(([name, { name: _, ...rest }]) => [name, rest] as const);
  return {
    version: VERSION,
    ...(defaultName === undefined ? {} : { default: defaultName }),
    profiles: Object.fromEntries(entries),
  };
}

/** The text of the file. */
export function textOf(stored: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(stored, undefined, 2)}\n`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

// The parser's own message quotes what stands there, which may be a key: only the place is kept.
function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position ([0-9]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw new ProfileError('storage', `${path} is not JSON${line === undefined ? '' : ` (line ${line})`}`, {
      hints: [
        'mend it by hand, or move it away and add the profiles again (svc profile add); it was left as it is',
      ],
    });
  }
}

type Kind = 'text' | 'id' | 'object' | 'sandbox' | 'kind';
const SHAPE: ReadonlyMap<string, Kind> = new Map<keyof Profile, Kind>([
  ['kind', 'kind'],
  ['baseUrl', 'text'],
  ['companyId', 'id'],
  ['userId', 'id'],
  ['partnerId', 'id'],
  ['apiKey', 'text'],
  ['keyCommand', 'text'],
  ['output', 'text'],
  ['tz', 'text'],
  ['naming', 'object'],
  ['sandbox', 'sandbox'],
]);
const MEANING: Readonly<Record<Kind, string>> = {
  text: 'must be text',
  id: 'must be a whole number of at least 1',
  object: 'must be an object',
  sandbox: 'must be an object with dataDir and controlToken',
  kind: 'must be "company" or "partner"',
};

function readProfile(name: string, value: unknown, path: string): Profile {
  if (!isProfileName(name)) throw notOurs(path, `${JSON.stringify(name)} can't be the name of a profile`);
  const stored = recordOf(value);
  if (stored === undefined) throw notOurs(path, `profiles.${name} must be an object`);
  for (const [key, entry] of stored) {
    const kind = SHAPE.get(key);
    if (kind === undefined) throw notOurs(path, `profiles.${name} has no ${JSON.stringify(key)}`);
    if (!fits(kind, entry)) throw notOurs(path, `profiles.${name}.${key} ${MEANING[kind]}`);
  }
  for (const key of ['kind', 'baseUrl'])
    if (!stored.has(key)) throw notOurs(path, `profiles.${name}.${key} is missing`);
  return { ...Object.fromEntries(stored), name } as unknown as Profile;
}

function fits(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'id':
      return isId(value);
    case 'kind':
      return value === 'company' || value === 'partner';
    case 'object':
      return recordOf(value) !== undefined;
    case 'sandbox': {
      const sandbox = recordOf(value);
      return typeof sandbox?.get('dataDir') === 'string' && typeof sandbox.get('controlToken') === 'string';
    }
  }
}

function recordOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

function notOurs(path: string, what: string): ProfileError {
  return new ProfileError('storage', `${path} is not as svc writes it: ${what}`, {
    hints: ['mend it by hand, or move it away and add the profiles again; it was left as it is'],
  });
}
