/** The database that a sandbox was started on, kept in its folder: a later start that is given none uses the same. */
import { shellWord } from '../../text/shell-word.ts';
import { readPostgresUrl, withoutPassword } from '../store/dialects/postgres-url.ts';
import { type DataDir, writeWhole } from './data-dir.ts';
import { checkOwnFile, DataDirError, readOwnFile } from './own-files.ts';

/** Its URL without a password; undefined where the folder has a database of its own, or is new. @throws DataDirError where the file can't be read as one */
export function keptStore({ store: path }: Pick<DataDir, 'store'>): string | undefined {
  const text = readOwnFile(path);
  if (text === undefined) return undefined;
  const url = urlIn(text);
  if (url !== undefined) return url;
  const hint = '--store URL says it anew';
  throw new DataDirError('unusable', `${path} holds no URL of a database`, hint);
}

function urlIn(text: string): string | undefined {
  try {
    const { url } = Object(JSON.parse(text));
    return typeof url === 'string' && readPostgresUrl(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Without its password, which no file is to hold: PGPASSWORD or ~/.pgpass gives it to later starts. */
export function keepStore({ store: path }: Pick<DataDir, 'store'>, url: string): void {
  writeWhole(path, ({ write }) => write(`${JSON.stringify({ url: withoutPassword(url) })}\n`));
}

/** @throws DataDirError where the folder holds the data of a sandbox of its own, which nobody would find again */
export function refuseOwnDatabase({ database, path }: DataDir): void {
  if (!checkOwnFile(database)) return;
  const folder = shellWord(path);
  throw new DataDirError(
    'in-use',
    `${path} holds the data of a sandbox of its own`,
    `--data DIR names another folder for --store; svc sandbox reset --data ${folder} removes that data`,
  );
}
