/** Stores used nonces as rows, which alone decide. On SQLite the table has no index: `driver/used-nonces.ts` knows the rows to read. */
import { sql } from './driver/sql.ts';
import type { UsedNonces } from './driver/used-nonces.ts';
import { type Db, type Store, WITHOUT_LOCK } from './open.ts';
import type { Row } from './schema/tables.ts';

/** Reports whether a nonce is still remembered at `now`, in Unix seconds. */
export async function isNonceUsed(db: Db, identity: string, nonce: string, now: number): Promise<boolean> {
  if (db.nonces) return (await rowOf(db, db.nonces, identity, nonce, now)) !== undefined;
  const query = sql`select 1 from nonce where identity = ${identity} and nonce = ${nonce} and expires >= ${now}`;
  return (await db.first(query)) !== undefined;
}

/** Remembers a nonce until `expires` (Unix seconds). Returns false if it is remembered already and has not expired before `now`. */
export async function rememberNonce(
  db: Db,
  identity: string,
  nonce: string,
  { now, expires }: { readonly now: number; readonly expires: number },
): Promise<boolean> {
  const insert = sql`insert into nonce (identity, nonce, expires) values (${identity}, ${nonce}, ${expires})`;
  if (db.nonces) {
    if ((await rowOf(db, db.nonces, identity, nonce, now)) !== undefined) return false;
    const { id } = await db.run(insert, { keepsCache: true });
    db.nonces.add(identity, nonce, id, expires);
    return true;
  }
  const query = sql`${insert}
    on conflict (identity, nonce) do update set expires = excluded.expires where nonce.expires < ${now}`;
  return (await db.run(query, { keepsCache: true })).changes === 1;
}

export async function forgetNonce(db: Db, identity: string, nonce: string): Promise<void> {
  if (db.nonces) {
    const row = await rowOf(db, db.nonces, identity, nonce, 0);
    if (row === undefined) return;
    await db.run(sql`delete from nonce where rowid = ${row}`, { keepsCache: true });
    db.nonces.remove(identity, nonce, row);
    return;
  }
  await db.run(sql`delete from nonce where identity = ${identity} and nonce = ${nonce}`, {
    keepsCache: true,
  });
}

/** Deletes expired nonces of a shared store, apart from requests: two processes that delete the same rows would wait for each other. */
export async function forgetExpiredNonces({ transaction }: Store, now: number): Promise<void> {
  const query = sql`delete from nonce where (identity, nonce) in
    (select identity, nonce from nonce where expires < ${now} for update skip locked)`;
  await transaction((db) => db.run(query), WITHOUT_LOCK);
}

/** Returns the rowid of a nonce in SQLite; undefined if it is not remembered at `now`, in Unix seconds. */
async function rowOf(
  db: Db,
  nonces: UsedNonces,
  identity: string,
  nonce: string,
  now: number,
): Promise<number | undefined> {
  if (!nonces.isLoaded) await load(db, nonces);
  if (Math.abs(now - nonces.cleaned) >= SECONDS_BETWEEN_CLEANING) await clean(db, nonces, now);
  for (const row of nonces.rowsOf(identity, nonce)) {
    const query = sql`select 1 from nonce
      where rowid = ${row} and identity = ${identity} and nonce = ${nonce} and expires >= ${now}`;
    if ((await db.first(query)) !== undefined) return row;
  }
  return undefined;
}

async function load(db: Db, nonces: UsedNonces): Promise<void> {
  let last = 0;
  for (;;) {
    const rows = await db.all(sql<Row<'nonce'> & { readonly row: number }>`select rowid as row, * from nonce
      where rowid > ${last} order by rowid limit ${LOADED_AT_ONCE}`);
    for (const { identity, nonce, row, expires } of rows) nonces.add(identity, nonce, row, expires);
    if (rows.length < LOADED_AT_ONCE) break;
    last = rows.at(-1)?.row ?? 0;
  }
  nonces.isLoaded = true;
}

const LOADED_AT_ONCE = 10_000;

/** Deletes expired nonces, oldest first. It stops at the first one that has not expired. */
async function clean(db: Db, nonces: UsedNonces, now: number): Promise<void> {
  nonces.cleaned = now;
  nonces.dropExpired(now);
  const query = sql`delete from nonce where rowid <
    coalesce((select rowid from nonce where expires >= ${now} order by rowid limit 1), ${Number.MAX_SAFE_INTEGER})`;
  await db.run(query, { keepsCache: true });
}

const SECONDS_BETWEEN_CLEANING = 10;
