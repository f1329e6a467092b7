/** Keeps the port of a sandbox in its folder, since links in messages that it has sent lead there. A later start uses the same. */

import { objectIn } from '../../text/json-object.ts';
import { type DataDir, writeWhole } from './data-dir.ts';
import { readOwnFile } from './own-files.ts';

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
