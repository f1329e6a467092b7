/**
 * Stores profiles in `config.json`, a file in a directory of this user. Only this user can read the file: the mode is 0600
 * (docs/acceptance.md, S2).
 */
import { join, resolve } from 'node:path';
import { checkDirectoryAccess, type Owner, thisUser } from '../../kit/files/directories.ts';
import type { FileErrorKind } from '../../kit/files/errors.ts';
import { withLock } from '../../kit/files/lock.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { readPrivateFile } from '../../kit/files/private-file.ts';
import { asStorageError, isProfileName, ProfileError } from './errors.ts';
import {
  formatProfilesFile,
  loadConfigFileWriter,
  NO_PROFILES,
  parseProfilesFile,
  profilesToStoredObject,
  type StoredProfiles,
} from './file-contents.ts';
import { keepLimitsOfReplacedProfile, type Profile, profileProblem } from './profile.ts';

/** Maximum size of the file in octets. A larger file is neither read nor written. */
const MAX_OCTETS = 1024 * 1024;

/** Store of profiles. Every method throws ProfileError `storage` if the file is unsafe, was not written by svc, or is not accessible. */
export interface ProfileStore {
  /** Path of the file. Empty if there is no configuration directory. */
  readonly path: string;
  list(): Promise<{ readonly profiles: readonly Profile[]; readonly defaultName: string | undefined }>;
  get(name: string): Promise<Profile | undefined>;
  /**
   * Creates or replaces a profile. If the replaced profile is for the same account, the new profile keeps the limits and the roster of the
   * replaced profile. The roster is the list of companies that a partner knows. The first profile becomes the default unless `makeDefault`
   * is false.
   */
  save(profile: Profile, options?: { readonly makeDefault?: boolean }): Promise<void>;
  /**
   * Changes a stored profile while holding a lock, so that two processes never overwrite each other's changes.
   * @param words description of the change for people, such as `make shop the default profile`
   * @param apply returns the changed profile; svc may call this function more than once
   * @returns the changed profile
   */
  change(name: string, words: string, apply: (profile: Profile) => Profile): Promise<Profile>;
  setDefault(name: string): Promise<void>;
  /** Returns false if the profile did not exist. If it was the default and one profile is left, that profile becomes the default. */
  remove(name: string): Promise<boolean>;
}

interface ProfileStoreOptions {
  /** Directory of the configuration file. Empty if there is no home directory: then there are no profiles, and none can be saved. */
  readonly configDir: string;
  readonly platform: NodeJS.Platform;
  /** User whose files are trusted. Default: the user of this process. */
  readonly uid?: number | undefined;
  /** Called with the planned change, such as `make shop the default profile`. If it throws, nothing is written. */
  readonly beforeWrite?: ((change: string) => void) | undefined;
  readonly lockWaitMs?: number | undefined;
}

export function openProfileStore(options: ProfileStoreOptions): ProfileStore {
  const { configDir, platform, lockWaitMs, beforeWrite } = options;
  const owner: Owner = { platform, uid: options.uid ?? thisUser(platform).uid };
  const directory = configDir === '' ? '' : resolve(configDir);
  const path = directory === '' ? '' : join(directory, 'config.json');
  const guarded = <T>(work: () => Promise<T>): Promise<T> => asStorageError(path, work, HINTS);
  let queue: Promise<unknown> = Promise.resolve();

  function read(): StoredProfiles {
    if (path === '') return NO_PROFILES;
    checkDirectoryAccess(directory, owner);
    const text = readPrivateFile(path, owner, MAX_OCTETS);
    return text === undefined ? NO_PROFILES : parseProfilesFile(text, path);
  }

  /** Returns the contents to write, or undefined to leave the file unchanged. Never returns contents that a later read would reject. */
  function changed(change: Change): StoredProfiles | undefined {
    const next = change(read());
    if (next === undefined) return undefined;
    const text = formatProfilesFile(profilesToStoredObject(next));
    if (Buffer.byteLength(text) > MAX_OCTETS) throw tooLarge(path);
    parseProfilesFile(text, path);
    return next;
  }

  /**
   * Changes the configuration file while this process holds the lock of the file. `change` returns the contents to write, or undefined to
   * leave the file unchanged.
   * @param words description of the change for people, such as `make shop the default profile`
   */
  async function update(words: string, change: Change): Promise<boolean> {
    await guarded(async () => {
      if (beforeWrite && changed(change) !== undefined) beforeWrite(words);
    });
    const write = await loadConfigFileWriter(platform);
    return guarded(async () => {
      makeFolders(directory);
      checkDirectoryAccess(directory, owner);
      return withLock(
        `${path}.lock`,
        () => {
          const next = changed(change);
          if (next !== undefined) write(path, profilesToStoredObject(next));
          return next !== undefined;
        },
        lockWaitMs,
      );
    });
  }

  // Several changes of one process queue here rather than at the lock.
  function inTurn(words: string, change: Change): Promise<boolean> {
    if (path === '') return Promise.reject(noPlace());
    const result = queue.then(() => update(words, change));
    queue = result.catch(() => undefined);
    return result;
  }

  return {
    path,
    list: () =>
      guarded(async () => {
        const { profiles, defaultName } = read();
        return { profiles: [...profiles.values()], defaultName };
      }),
    get: (name) => guarded(async () => read().profiles.get(name)),
    save: async (profile, { makeDefault } = {}) => {
      const problem = profileProblem(profile);
      if (problem !== undefined) throw new ProfileError('usage', problem);
      const asDefault = makeDefault ? ' as the default' : '';
      await inTurn(`save profile ${profile.name} in ${path}${asDefault}`, ({ profiles, defaultName }) => ({
        profiles: new Map([
          ...profiles,
          [profile.name, keepLimitsOfReplacedProfile(profile, profiles.get(profile.name))],
        ]),
        defaultName: (makeDefault ?? profiles.size === 0) ? profile.name : defaultName,
      }));
    },
    change: async (name, words, apply) => {
      let changed: Profile | undefined;
      await inTurn(words, ({ profiles, defaultName }) => {
        const before = profiles.get(name);
        if (before === undefined) throw profileNotFoundError(name, [...profiles.keys()]);
        changed = apply(before);
        const problem = profileProblem(changed);
        if (problem !== undefined) throw new ProfileError('usage', problem);
        return { profiles: new Map([...profiles, [name, changed]]), defaultName };
      });
      if (changed === undefined) throw profileNotFoundError(name, []);
      return changed;
    },
    setDefault: async (name) => {
      await inTurn(`make ${name} the default profile`, ({ profiles }) => {
        if (!profiles.has(name)) throw profileNotFoundError(name, [...profiles.keys()]);
        return { profiles, defaultName: name };
      });
    },
    remove: (name) =>
      inTurn(`remove profile ${name} and its key`, ({ profiles, defaultName }) => {
        if (!profiles.has(name)) return undefined;
        const left = new Map([...profiles].filter(([other]) => other !== name));
        const [only] = left.size === 1 ? left.keys() : [];
        return { profiles: left, defaultName: defaultName === name ? only : defaultName };
      }),
  };
}

type Change = (contents: StoredProfiles) => StoredProfiles | undefined;

export function profileNotFoundError(name: string, names: readonly string[], source?: string): ProfileError {
  const from = source === undefined ? '' : ` (${source})`;
  const message = isProfileName(name)
    ? `profile ${name}${from} not found`
    : `${JSON.stringify(name)} is not a valid profile name${from}`;
  return new ProfileError('usage', message, {
    hints: [names.length === 0 ? 'run svc init to create a profile' : `profiles: ${names.join(', ')}`],
  });
}

const HINTS: Partial<Readonly<Record<FileErrorKind, string>>> = {
  'not-own': 'or set SVC_CONFIG_DIR to another directory, or set the credentials in the environment',
  'no-folder': 'or set SVC_CONFIG_DIR to it, or set the credentials in the environment',
  'not-text': 'if you move the file away, add the profiles again (svc profile add)',
};

function tooLarge(path: string): ProfileError {
  return new ProfileError(
    'usage',
    `${path} would be larger than ${MAX_OCTETS / 1024 / 1024} MiB, too large to read; nothing was written`,
    {
      hints: [
        'shorten the value of the setting key-command, shorten the names in the setting naming, or remove unused profiles or companies',
      ],
    },
  );
}

function noPlace(): ProfileError {
  return new ProfileError('storage', 'cannot save profiles: there is no home directory', {
    hints: ['set SVC_CONFIG_DIR to a directory'],
  });
}
