/** Copies the whole store to a file, and restores it. */
import { sql } from './driver/sql.ts';
import { type Db, openStore, type Store } from './open.ts';

/** Writes the current data of the store to `path`, which must be an empty or a missing file. */
export async function copyStore({ db }: Store, path: string): Promise<void> {
  await db.exec(sql`vacuum into ${path}`);
}

/**
 * Replaces all data of the store with the data of the file at `path`. Uses one transaction, so that a crash leaves either the old or the
 * new data. Used nonces, logged requests and tokens of the control plane are not replaced.
 * @throws StoreError if the file is damaged, is not a copy of a store, or has a version that can't be upgraded
 */
export async function restoreStore(store: Store, path: string): Promise<void> {
  // Opening the file checks it, and upgrades its tables if they are older.
  await (await openStore(path)).close();
  await store.alone(async (db) => {
    await db.exec(sql`attach database ${path} as snapshot`);
    try {
      await replaceAllRows(db);
    } finally {
      await db.exec(sql`detach database snapshot`);
    }
  });
}

/**
 * Replaces the rows of all tables with those of the attached snapshot. Foreign keys are off meanwhile, because rows reference each other.
 */
async function replaceAllRows(db: Db): Promise<void> {
  await db.exec(sql`pragma foreign_keys = off`);
  try {
    await db.run(sql`begin immediate`);
    try {
      for (const table of await tablesOf(db)) {
        await db.run(sql`delete from main.${sql.ref(table)}`);
        await db.run(sql`insert into main.${sql.ref(table)} select * from snapshot.${sql.ref(table)}`);
      }
      await db.run(sql`commit`);
    } catch (error) {
      await db.run(sql`rollback`);
      throw error;
    }
  } finally {
    await db.exec(sql`pragma foreign_keys = on`);
  }
}

/** Returns the tables to copy, including `sqlite_sequence`, which holds the last ids. */
async function tablesOf(db: Db): Promise<readonly string[]> {
  const rows = await db.all(sql<{ readonly name: string }>`select name from main.sqlite_master
    where type = 'table' and name not in ('nonce', 'request_log', 'control_token') and (name = 'sqlite_sequence' or name not like 'sqlite\\_%' escape '\\')
    order by name`);
  return rows.map(({ name }) => name);
}
