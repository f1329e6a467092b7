/** Apart from what opens it, so that `sandbox stop` doesn't load all of that. */
import Database from 'libsql';

/** An empty database in a file that is there. It is not empty as a file, as one is whose data was lost. */
export function createDatabase(path: string): void {
  const database = new Database(path);
  database.exec('vacuum');
  database.close();
}
