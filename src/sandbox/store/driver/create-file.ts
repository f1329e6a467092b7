/** Creates database files. This file is separate, so that `sandbox stop` doesn't load the code that opens a store. */
import Database from 'libsql';

/** Creates an empty database in an existing file. The file then has content; an empty file would mean that its data was lost. */
export function createDatabase(path: string): void {
  const database = new Database(path);
  database.exec('vacuum');
  database.close();
}
