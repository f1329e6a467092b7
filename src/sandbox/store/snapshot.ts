/** Copies the whole store to a file, and restores it. */
import { type Kysely, sql } from 'kysely';
import { type Db, openStore } from './open.ts';
import type { Tables } from './tables.ts';

/** Writes the current data of the store to `path`, which must be an empty or a missing file. */
export async function copyTo(db: Db, path: string): Promise<void> {
  await sql`vacuum into ${path}`.execute(db);
}

/**
 * Replaces all data of the store with the file's, in one transaction, so that a crash leaves the old or the new data. Used nonces, logged
 * requests and tokens of the control plane are not replaced.
 * @throws StoreError when the file is damaged, no copy of a store, or of a newer version
 */
export async function replaceWith(db: Db, path: string): Promise<void> {
  // Opening the file checks it and migrates it to the current tables.
  await (await openStore(path)).close();
  await db.connection().execute(async (connection) => {
    await sql`attach database ${path} as snapshot`.execute(connection);
    try {
      await swap(connection);
    } finally {
      await sql`detach database snapshot`.execute(connection);
    }
  });
}

/** Copies all tables. Rows reference each other, so foreign keys are checked at the end instead of row by row. */
async function swap(connection: Kysely<Tables>): Promise<void> {
  await sql`pragma foreign_keys = off`.execute(connection);
  try {
    await sql`begin immediate`.execute(connection);
    try {
      for (const table of await tablesOf(connection)) {
        await sql`delete from main.${sql.ref(table)}`.execute(connection);
        await sql`insert into main.${sql.ref(table)} select * from snapshot.${sql.ref(table)}`.execute(
          connection,
        );
      }
      await sql`commit`.execute(connection);
    } catch (error) {
      await sql`rollback`.execute(connection);
      throw error;
    }
  } finally {
    await sql`pragma foreign_keys = on`.execute(connection);
  }
}

/** Returns the tables to copy, including `sqlite_sequence`, which holds the last ids. */
async function tablesOf(connection: Kysely<Tables>): Promise<readonly string[]> {
  const query = sql<{ readonly name: string }>`select name from main.sqlite_master
    where type = 'table' and name not in ('nonce', 'request_log', 'control_token') and (name = 'sqlite_sequence' or name not like 'sqlite\\_%' escape '\\')
    order by name`;
  return (await query.execute(connection)).rows.map(({ name }) => name);
}
