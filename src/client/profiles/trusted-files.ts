/**
 * Stores which `.svc.json` files a person trusts, in `trusted-files.json` next to the profiles, mode 0600: the real path of each file, and
 * the SHA-256 of the content that the person accepted. A changed file is no longer trusted.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { createAtomicFile, fillFile } from '../../kit/files/atomic-file.ts';
import { checkDirectoryAccess, type Owner, thisUser } from '../../kit/files/directories.ts';
import { withLock } from '../../kit/files/lock.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { readPrivateFile } from '../../kit/files/private-file.ts';
import {
  fits,
  objectWithAnyMemberNames,
  objectWithAtLeast,
  oneOfValues,
  text,
} from '../../kit/schema/shape.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import { asStorageError, ProfileError } from './errors.ts';
import { TRUSTED_FILES_FILE } from './folder-pin.ts';

/** Maximum size of the file in octets. A larger file is neither read nor written. */
const MAX_OCTETS = 256 * 1024;
const VERSION = 1;

/** Accepted contents, as SHA-256 in hexadecimal, by the real path of each file. */
type TrustedFiles = ReadonlyMap<string, string>;

interface TrustedFileStoreOptions {
  /** Directory of the configuration file. An empty text means that there is no such directory. */
  readonly configDir: string;
  readonly platform: NodeJS.Platform;
  /** Called with the planned change, such as `trust /home/ada/.svc.json`. If it throws, nothing is written. */
  readonly beforeWrite?: ((change: string) => void) | undefined;
}

/** Open file. Every method throws ProfileError `storage` if the file is unsafe, was not written by svc, or is not accessible. */
export interface TrustedFileStore {
  list(): Promise<TrustedFiles>;
  set(path: string, sha256: string): Promise<void>;
  /** Removes a file. Returns false if it was not trusted. */
  remove(path: string): Promise<boolean>;
}

export function openTrustedFileStore({
  configDir,
  platform,
  beforeWrite,
}: TrustedFileStoreOptions): TrustedFileStore {
  const owner: Owner = thisUser(platform);
  const directory = configDir === '' ? '' : resolve(configDir);
  const store = directory === '' ? '' : join(directory, TRUSTED_FILES_FILE);

  const read = (): TrustedFiles => {
    if (store === '') return new Map();
    checkDirectoryAccess(directory, owner);
    const found = readPrivateFile(store, owner, MAX_OCTETS);
    return found === undefined ? new Map() : parse(found, store);
  };

  const write = (files: TrustedFiles): void => {
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    const content = `${JSON.stringify({ version: VERSION, files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
    if (Buffer.byteLength(content) > MAX_OCTETS)
      throw new ProfileError('usage', `${store} would be too large to read; nothing was written`);
    fillFile(createAtomicFile(store, { platform }), (file) => file.write(content));
  };

  /**
   * Changes the file while this process holds the lock of the file. Returns whether the file changed.
   * @param change returns the new content, or undefined to leave it unchanged
   */
  const update = (
    purpose: string,
    change: (files: TrustedFiles) => TrustedFiles | undefined,
  ): Promise<boolean> =>
    asStorageError(store, async () => {
      if (store === '')
        throw new ProfileError('storage', 'cannot save trusted files: there is no home directory', {
          hints: ['set SVC_CONFIG_DIR to a directory'],
        });
      if (change(read()) !== undefined) beforeWrite?.(purpose);
      makeFolders(directory);
      checkDirectoryAccess(directory, owner);
      return withLock(`${store}.lock`, () => {
        const next = change(read());
        if (next !== undefined) write(next);
        return next !== undefined;
      });
    });

  return {
    list: () => asStorageError(store, async () => read()),
    set: async (path, sha256) => {
      await update(`trust ${path}`, (files) => new Map(files).set(path, sha256));
    },
    remove: (path) =>
      update(`stop trusting ${path}`, (files) =>
        files.has(path) ? new Map([...files].filter(([other]) => other !== path)) : undefined,
      ),
  };
}

/** @throws ProfileError `storage` if the text does not have the form that svc writes */
function parse(content: string, store: string): TrustedFiles {
  const mend = {
    hints: ['correct the file, or move it away and run svc profile trust again; svc did not change the file'],
  };
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new ProfileError('storage', `${store} is not JSON`, mend);
  }
  const newer = explainNewerFile(store, value, VERSION);
  if (newer !== undefined) throw new ProfileError('storage', newer, { hint: UPDATE_SVC_HINT });
  if (!fits(storeShape, value) || !Object.entries(value.files).every(isEntry))
    throw new ProfileError('storage', `${store} is not a valid file of svc with trusted files`, mend);
  return new Map(Object.entries(value.files));
}

const storeShape = objectWithAtLeast({
  version: oneOfValues(VERSION),
  files: objectWithAnyMemberNames(text),
});

const isEntry = ([path, sha256]: readonly [string, string]): boolean =>
  isAbsolute(path) && /^[0-9a-f]{64}$/.test(sha256);
