/** Stores command aliases in `aliases.json`, mode 0600, next to the profiles. */
import { isProfileName } from './errors.ts';
import { openTextMapFile, type TextMapFile, type TextMapFileOptions } from './text-map-file.ts';

/** Aliases by name, each with its expansion: the words that replace the name. */
export type Aliases = ReadonlyMap<string, string>;

/** Reports whether the name may be an alias. Aliases use the same characters as profile names. */
export const isAliasName = isProfileName;

export const openAliasStore = (options: TextMapFileOptions): TextMapFile =>
  openTextMapFile(
    {
      fileName: 'aliases.json',
      member: 'aliases',
      noun: 'aliases',
      redo: 'set the aliases again',
      isEntry: isAliasName,
      describeSet: (name, expansion) => `make ${name} an alias of svc ${expansion}`,
      describeRemove: (name) => `remove the alias ${name}`,
    },
    options,
  );
