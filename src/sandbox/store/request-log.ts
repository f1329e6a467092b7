/** The log of the latest requests. */
import type { Selectable } from 'kysely';
import { insertRows } from './bulk.ts';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';
import { changedRows, firstRow } from './prepared.ts';
import type { Row, Tables } from './tables.ts';

/** Number of requests that are kept. */
export const MOST_REQUESTS = 10_000;

export type LoggedRow = Omit<Selectable<Tables['request_log']>, 'id'>;

/**
 * Adds rows, oldest first, and deletes all but the newest `MOST_REQUESTS`. Uses one cached statement per row: a busy sandbox logs every
 * request, and a statement with many rows takes three times as long.
 */
export async function logRequests(db: Db, rows: readonly LoggedRow[]): Promise<void> {
  // On PostgreSQL, a round trip per row would take longer than the request.
  if (differencesOf(db).name === 'postgres') await insertRows(db, 'request_log', rows);
  else await insertOneByOne(db, rows);
  const newest = await firstRow<{ readonly id: number | null }>(
    db,
    'select max(id) as id from request_log',
    [],
  );
  await changedRows(db, 'delete from request_log where id <= ?', [(newest?.id ?? 0) - MOST_REQUESTS]);
}

async function insertOneByOne(db: Db, rows: readonly LoggedRow[]): Promise<void> {
  for (const row of rows) {
    const { time, who, method, path, status, milliseconds } = row;
    const came = [time, who, method, path, status, milliseconds];
    if (row.why === null && row.problems === null) await changedRows(db, OF_MOST, came);
    else {
      const { failed, why, signed, signature, expected, problems } = row;
      await changedRows(db, WITH_REASON, [...came, failed, why, signed, signature, expected, problems]);
    }
  }
}

const OF_MOST = `insert into request_log (time, who, method, path, status, milliseconds) values (?, ?, ?, ?, ?, ?)`;
const WITH_REASON = `insert into request_log
  (time, who, method, path, status, milliseconds, failed, why, signed, signature, expected, problems)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Returns the newest `limit` rows, or those right before `before`, or those after `after`; oldest first. */
export async function listRequests(
  db: Db,
  {
    id,
    status,
    after,
    before,
    limit,
  }: {
    readonly id?: number | undefined;
    readonly status?: number | undefined;
    readonly after?: number | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<readonly Row<'request_log'>[]> {
  let query = db.selectFrom('request_log').selectAll().limit(limit);
  if (id !== undefined) query = query.where('id', '=', id);
  if (status !== undefined) query = query.where('status', '=', status);
  if (after !== undefined) return query.where('id', '>', after).orderBy('id').execute();
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.orderBy('id', 'desc').execute()).reverse();
}
