/** Stores the names that a sandbox uses in its folder. A later start that is given no names uses the stored ones. */
import { rmSync } from 'node:fs';
import { DataDirError, readOwnFile } from '../../files/own-files.ts';
import { type Naming, NamingError, namingWith, overridesOf } from '../../protocol/naming.ts';
import { checkFieldNames } from '../../protocol/naming-fields.ts';
import { catalogue } from '../../resources/catalogue.ts';
import { companions } from '../../resources/companions/catalogue.ts';
import { isObject } from '../../text/json-object.ts';
import { type DataDir, writeWhole } from './data-dir.ts';

/** Returns the saved names, or the neutral ones if none are saved. @throws DataDirError if the file is invalid, or not this user's */
export function keptNaming({ naming: path }: Pick<DataDir, 'naming'>): Naming {
  const text = readOwnFile(path);
  if (text === undefined) return namingWith();
  try {
    const naming = namingWith(objectIn(text));
    checkFieldNames(naming, catalogue, companions);
    return naming;
  } catch (error) {
    if (!(error instanceof NamingError)) throw error;
    const hint = 'set other names with --naming FILE; a file with {} restores the default names';
    throw new DataDirError('unusable', `${path} has no valid names: ${error.message}`, hint, error);
  }
}

/** Saves the names for later starts. The neutral names need no file. */
export function keepNaming({ naming: path }: Pick<DataDir, 'naming'>, naming: Naming): void {
  const overrides = overridesOf(naming);
  if (overrides === undefined) rmSync(path, { force: true });
  else writeWhole(path, ({ write }) => write(`${JSON.stringify(overrides)}\n`));
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NamingError('it is not JSON');
  }
  if (isObject(value)) return value;
  throw new NamingError('it must hold one JSON object');
}
