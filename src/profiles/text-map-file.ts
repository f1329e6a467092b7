/** Stores texts by name in a JSON file next to the profiles, mode 0600: the aliases, and the trusted `.svc.json` files. */
import { join, resolve } from 'node:path';
import { createAtomicFile } from '../files/atomic-file.ts';
import { checkDirectoryAccess, type Owner, thisUser } from '../files/directories.ts';
import { withLock } from '../files/lock.ts';
import { makeFolders } from '../files/make-folders.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { fits, objectWithAnyMemberNames, text } from '../schema/shape.ts';
import { isObject } from '../text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import { asStorageError, ProfileError } from './errors.ts';

/** Maximum size of the file in octets. A larger file is neither read nor written. */
const MAX_OCTETS = 256 * 1024;
const VERSION = 1;

type Texts = ReadonlyMap<string, string>;

/** Differences between the files. */
export interface TextMapFileKind {
  /** Name of the file, such as `aliases.json`. */
  readonly fileName: string;
  /** Name of the member of the file that holds the texts. */
  readonly member: string;
  /** Plural noun for the texts in messages, such as `aliases`. */
  readonly noun: string;
  /** Advice for a person who moved the file away, such as `set the aliases again`. */
  readonly redo: string;
  readonly isEntry: (name: string, value: string) => boolean;
  /** Returns what setting a text would do, such as `trust /work/.svc.json`, for `beforeWrite`. */
  readonly describeSet: (name: string, value: string) => string;
  readonly describeRemove: (name: string) => string;
}

/** Place of the file, and the check before a change. */
export interface TextMapFileOptions {
  /** Directory of the configuration file. An empty text means that there is no such directory. */
  readonly configDir: string;
  readonly platform: NodeJS.Platform;
  /** Called with the planned change, such as `remove the alias sale`. If it throws, nothing is written. */
  readonly beforeWrite?: ((change: string) => void) | undefined;
}

/** Open file. Every method throws ProfileError `storage` if the file is unsafe, was not written by svc, or is not accessible. */
export interface TextMapFile {
  /** Path of the file. Empty if there is no configuration directory. */
  readonly path: string;
  list(): Promise<Texts>;
  set(name: string, value: string): Promise<void>;
  /** Removes a text. Returns false if the file does not have it. */
  remove(name: string): Promise<boolean>;
}

export function openTextMapFile(
  kind: TextMapFileKind,
  { configDir, platform, beforeWrite }: TextMapFileOptions,
): TextMapFile {
  const owner: Owner = thisUser(platform);
  const directory = configDir === '' ? '' : resolve(configDir);
  const path = directory === '' ? '' : join(directory, kind.fileName);

  const read = (): Texts => {
    if (path === '') return new Map();
    checkDirectoryAccess(directory, owner);
    const found = readPrivateFile(path, owner, MAX_OCTETS);
    return found === undefined ? new Map() : parse(found, path, kind);
  };

  const write = (texts: Texts): void => {
    const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
    const content = `${JSON.stringify({ version: VERSION, [kind.member]: Object.fromEntries(sorted) }, undefined, 2)}\n`;
    if (Buffer.byteLength(content) > MAX_OCTETS)
      throw new ProfileError('usage', `${path} would be too large to read; nothing was written`);
    const file = createAtomicFile(path, { platform });
    file.write(content);
    file.commit();
  };

  /**
   * Changes the file while this process holds the lock of the file. Returns whether the file changed.
   * @param change returns the new texts, or undefined to leave them unchanged
   */
  const update = (purpose: string, change: (texts: Texts) => Texts | undefined): Promise<boolean> =>
    asStorageError(path, async () => {
      if (path === '')
        throw new ProfileError('storage', `cannot save ${kind.noun}: there is no home directory`, {
          hints: ['set SVC_CONFIG_DIR to a directory'],
        });
      if (change(read()) !== undefined) beforeWrite?.(purpose);
      makeFolders(directory);
      checkDirectoryAccess(directory, owner);
      return withLock(`${path}.lock`, () => {
        const next = change(read());
        if (next !== undefined) write(next);
        return next !== undefined;
      });
    });

  return {
    path,
    list: () => asStorageError(path, async () => read()),
    set: async (name, value) => {
      await update(kind.describeSet(name, value), (texts) => new Map(texts).set(name, value));
    },
    remove: (name) =>
      update(kind.describeRemove(name), (texts) =>
        texts.has(name) ? new Map([...texts].filter(([other]) => other !== name)) : undefined,
      ),
  };
}

/**
 * Parses the file.
 * @throws ProfileError `storage` if the text does not have the form that svc writes
 */
function parse(content: string, path: string, { member, noun, redo, isEntry }: TextMapFileKind): Texts {
  const mend = {
    hints: [`correct the file, or move it away and ${redo}; svc did not change the file`],
  };
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new ProfileError('storage', `${path} is not JSON`, mend);
  }
  const newer = explainTooNewFileVersion(path, isObject(value) ? value['version'] : undefined, VERSION);
  if (newer !== undefined) throw new ProfileError('storage', newer, { hint: UPDATE_SVC_HINT });
  const texts = isObject(value) && value['version'] === VERSION ? value[member] : undefined;
  if (!fits(textsShape, texts) || !Object.entries(texts).every(([name, each]) => isEntry(name, each)))
    throw new ProfileError('storage', `${path} is not a valid file of svc with ${noun}`, mend);
  return new Map(Object.entries(texts));
}

const textsShape = objectWithAnyMemberNames(text);
