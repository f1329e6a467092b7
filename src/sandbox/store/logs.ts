/** The log of the latest requests, and the log of events that are shown to the user. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { containsText } from './outbox-entry.ts';
import { insertRows } from './rows.ts';
import type { Row } from './schema/tables.ts';

export const MAX_LOGGED_REQUESTS = 10_000;

/** Number of latest requests that have headers and bodies. */
export const MAX_DETAILED_REQUESTS = 1_000;

export type RequestLogRow = Omit<Row<'request_log'>, 'id'>;

/** Adds rows, oldest first, and keeps `MAX_LOGGED_REQUESTS`. On SQLite, a statement for each row is three times as fast as one. */
export async function logRequests(db: Db, rows: readonly RequestLogRow[]): Promise<void> {
  // On PostgreSQL, a round trip per row would take longer than the request.
  if (db.dialect === 'postgres') await insertRows(db, 'request_log', rows);
  else await insertOneByOne(db, rows);
  const newest = await db.first(sql<{ readonly id: number | null }>`select max(id) as id from request_log`);
  const old = (newest?.id ?? 0) - MAX_LOGGED_REQUESTS;
  await db.run(sql`delete from request_log where id <= ${old}`, { keepsCache: true });
  // Rows below this range have lost their details already.
  const last = (newest?.id ?? 0) - MAX_DETAILED_REQUESTS;
  await db.run(
    sql`update request_log set headers = null, body = null, answer = null
      where id <= ${last} and id > ${last - MAX_DETAILED_REQUESTS - rows.length} and headers is not null`,
    { keepsCache: true },
  );
}

async function insertOneByOne(db: Db, rows: readonly RequestLogRow[]): Promise<void> {
  for (const row of rows) {
    const { time, who, method, path, status, milliseconds } = row;
    const { failed, why, signed, signature, expected, problems, headers, body, answer } = row;
    const query =
      why === null && problems === null && headers === null
        ? sql`insert into request_log (time, who, method, path, status, milliseconds)
            values (${time}, ${who}, ${method}, ${path}, ${status}, ${milliseconds})`
        : sql`insert into request_log
            (time, who, method, path, status, milliseconds, failed, why, signed, signature, expected, problems,
              headers, body, answer)
            values (${time}, ${who}, ${method}, ${path}, ${status}, ${milliseconds},
              ${failed}, ${why}, ${signed}, ${signature}, ${expected}, ${problems},
              ${headers}, ${body}, ${answer})`;
    await db.run(query, { keepsCache: true });
  }
}

export async function findLoggedRequest(db: Db, id: number): Promise<Row<'request_log'> | undefined> {
  return db.first(sql`select * from request_log where id = ${id}`);
}

/** A row of the log without headers and bodies. */
export type ListedRequest = Omit<Row<'request_log'>, 'headers' | 'body' | 'answer'>;

/** Returns rows, oldest first: those after the id `after`, or the last ones before `before`, or the newest. */
export async function listLoggedRequests(
  db: Db,
  {
    status,
    group,
    path,
    people,
    after,
    before,
    limit,
  }: {
    readonly status?: number | undefined;
    /** Group of the response status, such as `4xx`. */
    readonly group?: string | undefined;
    /** Text that the path contains, in any case. */
    readonly path?: string | undefined;
    /** True to leave out the requests that svc sent on its own: for shell completion and `svc doctor`. */
    readonly people?: boolean | undefined;
    readonly after?: number | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<readonly ListedRequest[]> {
  const hundreds = group === undefined ? undefined : Number.parseInt(group, 10) * 100;
  const conditions = [
    sql`id > ${after ?? 0}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(hundreds === undefined ? [] : [sql`status >= ${hundreds} and status < ${hundreds + 100}`]),
    ...(path === undefined ? [] : [containsText(sql`path`, path)]),
    ...(people ? [sql`(who is null or who not like '%)')`] : []),
    ...(before === undefined || after !== undefined ? [] : [sql`id < ${before}`]),
  ];
  const order = after === undefined ? sql`id desc` : sql`id`;
  const rows = await db.all(sql<ListedRequest>`select id, time, who, method, path, status,
      milliseconds, failed, why, signed, signature, expected, problems from request_log
    where ${sql.join(conditions, ' and ')} order by ${order} limit ${limit}`);
  return after === undefined ? rows.reverse() : rows;
}

export async function listLogLines(db: Db, limit: number): Promise<Row<'log'>[]> {
  const newest = await db.all(
    sql<Row<'log'>>`select * from log where id > 0 order by id desc limit ${limit}`,
  );
  return newest.reverse();
}
