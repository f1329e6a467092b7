/**
 * Reads `.svc.json` in a working folder. It pins a profile and a company, and nothing else. It counts once a person has accepted its content
 * with `svc profile trust`, because the file may come from a repository that somebody else wrote.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Owner, octalFileMode } from '../../kit/files/directories.ts';
import { codeOf } from '../../kit/files/errors.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { isAccountId, isProfileName, ProfileError } from './errors.ts';

export const PIN_FILE = '.svc.json';

export const TRUSTED_FILES_FILE = 'trusted-files.json';

/** SHA-256 of the accepted content in hexadecimal, by the real path of the file. */
export type TrustedFiles = ReadonlyMap<string, string>;

export interface PinFile {
  readonly filePath: string;
  readonly profile: string | undefined;
  /** Company that the folder is pinned to: its id, or its exact name in the profile's roster. */
  readonly company: string | undefined;
  /** SHA-256 of the file's content, in hexadecimal. */
  readonly sha256: string;
}

export interface PinnedFolder extends PinFile {
  /** `trusted`: the user has accepted this content. `changed`: the user has accepted other content of this file. */
  readonly trust: 'trusted' | 'changed' | 'unknown';
}

const MAX_OCTETS = 64 * 1024;

/**
 * Searches `folder` and the folders above it for the nearest `.svc.json`, which pins a profile and a company. Returns the pinned profile
 * and company, or undefined if there is no such file. Files further up are ignored.
 * @throws ProfileError `usage`, which names the file, if the file is not valid or if other users may have written it
 */
export function findFolderPinnedToProfile(folder: string, owner: Owner): PinFile | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = readPinFile(join(at, PIN_FILE), owner);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

/**
 * Reads one `.svc.json`. Returns undefined if the file does not exist.
 * @throws ProfileError `usage` as `findFolderPinnedToProfile` does
 */
export function readPinFile(filePath: string, owner: Owner): PinFile | undefined {
  const octets = readPin(filePath, owner);
  if (octets === undefined) return undefined;
  const sha256 = createHash('sha256').update(octets).digest('hex');
  return { filePath, ...parsePin(octets.toString('utf8'), filePath), sha256 };
}

export function withTrust(pin: PinFile, trusted: TrustedFiles): PinnedFolder {
  const accepted = trusted.get(realPathOfPin(pin.filePath));
  if (accepted === undefined) return { ...pin, trust: 'unknown' };
  return { ...pin, trust: accepted === pin.sha256 ? 'trusted' : 'changed' };
}

/** Returns the path under which svc stores the trust in a `.svc.json`: with symbolic links resolved. The file may be missing. */
export function realPathOfPin(filePath: string): string {
  try {
    return realpathSync.native(filePath);
  } catch {
    const folder = dirname(filePath);
    return folder === filePath ? filePath : join(realPathOfPin(folder), basename(filePath));
  }
}

/** @throws ProfileError `usage` */
export function requireTrustedPin(pin: PinnedFolder): void {
  if (pin.trust === 'trusted') return;
  const why = pin.trust === 'changed' ? 'has changed since you trusted it' : 'is not trusted yet';
  const flags = [
    ...(pin.profile === undefined ? [] : ['--profile']),
    ...(pin.company === undefined ? [] : ['--company']),
  ];
  throw pinError(
    `${pin.filePath} ${why}, so svc does not use ${describePin(pin)}; nothing was sent`,
    'read the file, then run svc profile trust',
    `or give ${flags.join(' and ')}, and svc ignores the file`,
  );
}

const pinError = (message: string, ...hints: readonly string[]): ProfileError =>
  new ProfileError('usage', message, { hints });

export function describePin({ profile, company }: Pick<PinFile, 'profile' | 'company'>): string {
  const parts = [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(company === undefined
      ? []
      : [`company ${/^[0-9]+$/.test(company) ? company : JSON.stringify(company)}`]),
  ];
  return parts.join(' and ');
}

function readPin(path: string, owner: Owner): Buffer | undefined {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would block the program for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ProfileError('usage', `can't read ${path} (${code ?? String(cause)})`, { cause });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw pinError(`${path} is not a regular file`);
    refuseOthers(path, stats, owner);
    if (stats.size > MAX_OCTETS) throw pinError(`${path} is larger than 64 KiB`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Rejects a `.svc.json` that another user wrote or could change. It can't hold a key, but it decides which company's customers receive
 * messages. Write permission for a group is accepted, because it is the default on systems where each user has a group of their own.
 */
function refuseOthers(path: string, stats: Stats, { platform, uid }: Owner): void {
  if (platform === 'win32' || uid === undefined) return;
  if (stats.uid !== uid && stats.uid !== 0)
    throw pinError(
      `${path} belongs to another user (uid ${stats.uid}), so svc does not use the file`,
      `take it over with chown, or ${INSTEAD}`,
    );
  if ((stats.mode & 0o002) !== 0)
    throw pinError(
      `every user can write to ${path} (mode ${octalFileMode(stats)}), so svc does not use the file`,
      `chmod o-w ${path}, or ${INSTEAD}`,
    );
  const folder = statSync(dirname(path));
  const isSticky = (folder.mode & 0o1000) !== 0;
  if ((folder.mode & 0o002) === 0 || isSticky) return;
  throw pinError(
    `every user can replace ${path} (mode ${octalFileMode(folder)} of its folder), so svc does not use the file`,
    `chmod o-w ${dirname(path)}, or ${INSTEAD}`,
  );
}

const INSTEAD = 'give both --profile and --company, and svc ignores the file';

function parsePin(text: string, filePath: string): Pick<PinFile, 'profile' | 'company'> {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  const settings = recordIn(json, filePath);
  refuseRepeated(json, filePath);
  const newer = explainNewerFile(filePath, settings);
  if (newer !== undefined) throw pinError(newer, UPDATE_SVC_HINT);
  for (const key of Object.keys(settings))
    if (key !== 'profile' && key !== 'company')
      throw pinError(
        `${filePath}: ${JSON.stringify(key.slice(0, 40))} is not a setting of this file`,
        'the file can hold only two settings, profile and company; to store keys and addresses, run svc profile add',
      );
  const { profile, company } = settings;
  if (profile !== undefined && (typeof profile !== 'string' || !isProfileName(profile)))
    throw pinError(`${filePath}: profile must be the name of a profile`);
  const isCompany = isAccountId(company) || (typeof company === 'string' && company.trim() !== '');
  if (company !== undefined && !isCompany)
    throw pinError(`${filePath}: company must be an id or the name of a company`);
  return {
    profile: typeof profile === 'string' ? profile : undefined,
    company: company === undefined ? undefined : String(company),
  };
}

/** Rejects JSON with two members of the same name. JSON.parse uses the last one, while a person may read the first. */
function refuseRepeated(json: string, path: string): void {
  const names = (json.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g) ?? []).map((name) => String(JSON.parse(name)));
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated === undefined) return;
  throw pinError(
    `${path}: ${JSON.stringify(repeated.slice(0, 40))} is given twice`,
    'give each setting only once',
  );
}

function recordIn(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw pinError(`${path} is not JSON`, EXAMPLE);
  }
  if (isObject(value)) return value;
  throw pinError(`${path} must hold a JSON object`, EXAMPLE);
}

const EXAMPLE = 'for example {"profile": "agency", "company": 12}';
