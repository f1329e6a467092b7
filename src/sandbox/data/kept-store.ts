/** Stores the database URL that a sandbox was started with, in its folder. A later start that is given no URL uses the stored one. */

import { checkOwnFile, DataDirError, readOwnFile } from '../../files/own-files.ts';
import { objectIn } from '../../text/json-object.ts';
import { shellWord } from '../../text/words.ts';
import { readPostgresUrl, withoutPassword } from '../store/driver/postgres-url.ts';
import { type DataDir, writeWhole } from './data-dir.ts';

/**
 * Returns the URL without its password. Returns undefined if the folder is new or has its own database.
 * @throws DataDirError if the file holds no such URL
 */
export function keptStore({ store: path }: Pick<DataDir, 'store'>): string | undefined {
  const text = readOwnFile(path);
  if (text === undefined) return undefined;
  const url = urlIn(text);
  if (url !== undefined) return url;
  const hint = 'set it again with --store URL';
  throw new DataDirError('unusable', `${path} does not hold the URL of a database`, hint);
}

function urlIn(text: string): string | undefined {
  const url = objectIn(text)?.['url'];
  return typeof url === 'string' && readPostgresUrl(url) ? url : undefined;
}

/** Saves the URL without its password, which must not be in any file. Later starts read it from PGPASSWORD or ~/.pgpass. */
export function keepStore({ store: path }: Pick<DataDir, 'store'>, url: string): void {
  writeWhole(path, ({ write }) => write(`${JSON.stringify({ url: withoutPassword(url) })}\n`));
}

/** Checks that the folder has no database of its own. @throws DataDirError if it has one, because `--store` would hide its data */
export function refuseOwnDatabase({ database, path }: DataDir): void {
  if (!checkOwnFile(database)) return;
  const folder = shellWord(path);
  throw new DataDirError(
    'in-use',
    `${path} holds the data of another sandbox`,
    `--data DIR names another folder for --store; svc sandbox reset --data ${folder} removes that data`,
  );
}

/** Returns the port of the last start; undefined in a new folder, or if the file holds no port. */
export function keptPort({ port: path }: Pick<DataDir, 'port'>): number | undefined {
  const text = readOwnFile(path);
  if (text === undefined) return undefined;
  const port = objectIn(text)?.['port'];
  return Number.isInteger(port) && Number(port) > 0 && Number(port) <= 65_535 ? Number(port) : undefined;
}

export function keepPort({ port: path }: Pick<DataDir, 'port'>, port: number): void {
  writeWhole(path, ({ write }) => write(`${JSON.stringify({ port })}\n`));
}
