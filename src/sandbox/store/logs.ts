/** The log of the latest requests, and the log of events that are shown to the user. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { insertRows } from './rows.ts';
import type { Row } from './schema/tables.ts';

export const MAX_LOGGED_REQUESTS = 10_000;

export type RequestLogRow = Omit<Row<'request_log'>, 'id'>;

/** Adds rows, oldest first, and keeps `MAX_LOGGED_REQUESTS`. On SQLite, a statement for each row is three times as fast as one. */
export async function logRequests(db: Db, rows: readonly RequestLogRow[]): Promise<void> {
  // On PostgreSQL, a round trip per row would take longer than the request.
  if (db.dialect === 'postgres') await insertRows(db, 'request_log', rows);
  else await insertOneByOne(db, rows);
  const newest = await db.first(sql<{ readonly id: number | null }>`select max(id) as id from request_log`);
  const old = (newest?.id ?? 0) - MAX_LOGGED_REQUESTS;
  await db.run(sql`delete from request_log where id <= ${old}`, { keepsCache: true });
}

async function insertOneByOne(db: Db, rows: readonly RequestLogRow[]): Promise<void> {
  for (const row of rows) {
    const { time, who, method, path, status, milliseconds } = row;
    const { failed, why, signed, signature, expected, problems } = row;
    const query =
      why === null && problems === null
        ? sql`insert into request_log (time, who, method, path, status, milliseconds)
            values (${time}, ${who}, ${method}, ${path}, ${status}, ${milliseconds})`
        : sql`insert into request_log
            (time, who, method, path, status, milliseconds, failed, why, signed, signature, expected, problems)
            values (${time}, ${who}, ${method}, ${path}, ${status}, ${milliseconds},
              ${failed}, ${why}, ${signed}, ${signature}, ${expected}, ${problems})`;
    await db.run(query, { keepsCache: true });
  }
}

/** Returns rows, oldest first: those after the id `after`, or the last ones before `before`, or the newest. */
export async function listLoggedRequests(
  db: Db,
  {
    id,
    status,
    people,
    after,
    before,
    limit,
  }: {
    readonly id?: number | undefined;
    readonly status?: number | undefined;
    /** True to leave out the requests that svc sent on its own: for shell completion and `svc doctor`. */
    readonly people?: boolean | undefined;
    readonly after?: number | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<readonly Row<'request_log'>[]> {
  const conditions = [
    sql`id > ${after ?? 0}`,
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(people ? [sql`(who is null or who not like '%)')`] : []),
    ...(before === undefined || after !== undefined ? [] : [sql`id < ${before}`]),
  ];
  const order = after === undefined ? sql`id desc` : sql`id`;
  const rows = await db.all(sql<Row<'request_log'>>`select * from request_log
    where ${sql.join(conditions, ' and ')} order by ${order} limit ${limit}`);
  return after === undefined ? rows.reverse() : rows;
}

export async function listLogLines(db: Db, limit: number): Promise<Row<'log'>[]> {
  const newest = await db.all(
    sql<Row<'log'>>`select * from log where id > 0 order by id desc limit ${limit}`,
  );
  return newest.reverse();
}
