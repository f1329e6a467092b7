/** Stores how a sandbox was started: database URL, port, names of headers and fields. A later start uses them by default. */

import { rmSync } from 'node:fs';
import {
  DataDirError,
  readSandboxDataFile,
  refuseFileFromNewerSvc,
  sandboxDataFileExists,
} from '../../kit/files/own-files.ts';
import { fits, nonNegativeInteger, objectWithAtLeast, text } from '../../kit/schema/shape.ts';
import { isObject, parseJsonObject } from '../../kit/text/json-object.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import {
  type Naming,
  NamingError,
  namingOverridesOf,
  namingWithOverrides,
} from '../../service/protocol/naming.ts';
import { checkFieldNames } from '../../service/protocol/naming-fields.ts';
import { catalogue } from '../../service/resources/catalogue.ts';
import { sandboxOnlyResources } from '../../service/resources/companions.ts';
import { readPostgresUrl, removeUrlPassword } from '../store/driver/postgres-url.ts';
import { type DataDir, writeFileAtomically } from './data-dir.ts';

const URL_SHAPE = objectWithAtLeast({ url: text });
const PORT_SHAPE = objectWithAtLeast({ port: nonNegativeInteger });

/** Returns the stored URL without password, if any. Throws `DataDirError` if the file holds no such URL. */
export function readStoredDatabaseUrl({ store: path }: Pick<DataDir, 'store'>): string | undefined {
  const stored = readSandboxDataFile(path);
  if (stored === undefined) return undefined;
  const content = parseJsonObject(stored);
  refuseFileFromNewerSvc(path, content);
  if (fits(URL_SHAPE, content) && readPostgresUrl(content.url)) return content.url;
  const hint = 'set it again with --store URL';
  throw new DataDirError('unusable', `${path} does not hold the URL of a database`, hint);
}

/** Saves the URL without its password, which must not be in any file. Later starts read the password from PGPASSWORD or ~/.pgpass. */
export function saveDatabaseUrl({ store: path }: Pick<DataDir, 'store'>, url: string): void {
  writeFileAtomically(path, ({ write }) => write(`${JSON.stringify({ url: removeUrlPassword(url) })}\n`));
}

/** Throws `DataDirError` if the folder has its own database, because `--store` would hide its data. */
export function refuseExistingSqliteFile({ database, path }: DataDir): void {
  if (!sandboxDataFileExists(database)) return;
  const folder = quoteShellWord(path);
  throw new DataDirError(
    'in-use',
    `${path} holds the data of another sandbox`,
    `--data DIR names another folder for --store; svc sandbox reset --data ${folder} removes that data`,
  );
}

/** Returns the port of the last start; undefined in a new folder, or if the file holds no port. */
export function readStoredPort({ port: path }: Pick<DataDir, 'port'>): number | undefined {
  const stored = readSandboxDataFile(path);
  if (stored === undefined) return undefined;
  const content = parseJsonObject(stored);
  refuseFileFromNewerSvc(path, content);
  return fits(PORT_SHAPE, content) && content.port > 0 && content.port <= 65_535 ? content.port : undefined;
}

export function saveSandboxPort({ port: path }: Pick<DataDir, 'port'>, port: number): void {
  writeFileAtomically(path, ({ write }) => write(`${JSON.stringify({ port })}\n`));
}

/** Returns the stored names, or the interface's. Throws `DataDirError` if the file is invalid or another user's. */
export function readStoredFieldNaming({ naming: path }: Pick<DataDir, 'naming'>): Naming {
  const stored = readSandboxDataFile(path);
  if (stored === undefined) return namingWithOverrides();
  try {
    const names = namesIn(stored);
    refuseFileFromNewerSvc(path, names);
    const naming = namingWithOverrides(names);
    checkFieldNames(naming, catalogue, sandboxOnlyResources);
    return naming;
  } catch (error) {
    if (!(error instanceof NamingError)) throw error;
    const hint = 'set other names with --naming FILE; a file with {} restores the default names';
    throw new DataDirError('unusable', `${path} has no valid names: ${error.message}`, hint, error);
  }
}

/** Stores the header and field names for later starts. Stores no file if they are the interface's own names. */
export function storeFieldNaming({ naming: path }: Pick<DataDir, 'naming'>, naming: Naming): void {
  const overrides = namingOverridesOf(naming);
  if (overrides === undefined) rmSync(path, { force: true });
  else writeFileAtomically(path, ({ write }) => write(`${JSON.stringify(overrides)}\n`));
}

function namesIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NamingError('it is not JSON');
  }
  if (isObject(value)) return value;
  throw new NamingError('it must hold one JSON object');
}
