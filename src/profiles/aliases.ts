/** Stores command aliases in `aliases.json`, mode 0600, next to the profiles. */
import { isProfileName } from './errors.ts';
import { openTextMapFile, type TextMapFileKind, type TextMapFileOptions } from './text-map-file.ts';

/** Aliases by name, each with its expansion: the words that replace the name. */
export type Aliases = ReadonlyMap<string, string>;

/** Store of aliases. Every method throws ProfileError `storage` if the file is unsafe, was not written by svc, or is not accessible. */
export interface AliasStore {
  /** Path of the file. Empty if there is no configuration directory. */
  readonly path: string;
  list(): Promise<Aliases>;
  set(name: string, expansion: string): Promise<void>;
  /** Removes an alias. Returns false if the alias did not exist. */
  remove(name: string): Promise<boolean>;
}

/** Reports whether the name may be an alias. Aliases use the same characters as profile names. */
export const isAliasName = isProfileName;

const ALIASES: TextMapFileKind = {
  fileName: 'aliases.json',
  member: 'aliases',
  noun: 'aliases',
  redo: 'set the aliases again',
  isEntry: isAliasName,
};

export function openAliasStore(options: TextMapFileOptions): AliasStore {
  const { path, list, update } = openTextMapFile(ALIASES, options);
  return {
    path,
    list,
    set: async (name, expansion) => {
      await update(`make ${name} an alias of svc ${expansion}`, (aliases) =>
        new Map(aliases).set(name, expansion),
      );
    },
    remove: (name) =>
      update(`remove the alias ${name}`, (aliases) =>
        aliases.has(name) ? new Map([...aliases].filter(([other]) => other !== name)) : undefined,
      ),
  };
}
