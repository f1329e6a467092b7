/** The whole store as one file, and back. */
import { type Kysely, sql } from 'kysely';
import { type Db, openStore } from './open.ts';
import type { Tables } from './tables.ts';

/** Writes all that the store holds at this moment to `path`, an empty file or none. */
export async function copyTo(db: Db, path: string): Promise<void> {
  await sql`vacuum into ${path}`.execute(db);
}

/**
 * Puts what the file holds in the place of everything in the store, in one transaction: whatever ends in the middle,
 * the store holds all of the one or all of the other. Nonces that were used stay used, requests that
 * came stay logged, and tokens of the control plane stay created or revoked.
 * @throws StoreError when the file is damaged, no copy of a store, or of a newer version
 */
export async function replaceWith(db: Db, path: string): Promise<void> {
  // Checked, and brought to today's tables.
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

/** Rows refer to each other, so that keys are checked at the end and not row by row. */
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

/** `sqlite_sequence` holds the ids that were given out. */
async function tablesOf(connection: Kysely<Tables>): Promise<readonly string[]> {
  const query = sql<{ readonly name: string }>`select name from main.sqlite_master
    where type = 'table' and name not in ('nonce', 'request_log', 'control_token') and (name = 'sqlite_sequence' or name not like 'sqlite\\_%' escape '\\')
    order by name`;
  return (await query.execute(connection)).rows.map(({ name }) => name);
}
