/** Runs one measurement in a separate process, and prints JSON. Usage: `send-runner fill|engine|raw|bulk DATABASE RECIPIENTS`. */

import Database from 'libsql';
import { advanceClockTo } from '../src/sandbox/engine/tick.ts';
import { sql } from '../src/sandbox/store/driver/sql.ts';
import { openStore } from '../src/sandbox/store/open.ts';
import { selectRequiredRow } from '../src/sandbox/store/rows.ts';
import type { Row } from '../src/sandbox/store/schema/tables.ts';
import { fillLargeSend } from '../test/support/large-send.ts';

const NOW = 1_796_115_600;
/** Number of rows in a transaction, as in the engine. */
const BATCH = 5_000;
const INSERT = 'insert into task_recipient (task_id, subscriber_id, address, senttime)';

const [what, path = '', count] = process.argv.slice(2);
const recipients = Number(count);

switch (what) {
  case 'fill': {
    const store = await openStore(path);
    await fillLargeSend(store, { recipients, now: NOW });
    await store.close();
    break;
  }
  case 'engine': {
    const store = await openStore(path);
    const before = process.memoryUsage.rss();
    const start = performance.now();
    await advanceClockTo(store, NOW + 60, { machineNow: () => NOW * 1000 });
    report(performance.now() - start, before);
    const task = await selectRequiredRow(store.db, sql<Row<'task'>>`select * from task`);
    if (task.sent !== recipients || task.completed !== 1) throw new Error(`sent to ${task.sent} only`);
    break;
  }
  case 'raw':
  case 'bulk': {
    // The store opens its database with the same settings.
    const database = new Database(path);
    for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
      database.pragma(setting);
    const before = process.memoryUsage.rss();
    const start = performance.now();
    for (let from = 1; from <= recipients; from += BATCH) {
      const last = Math.min(from + BATCH - 1, recipients);
      database.exec('begin');
      if (what === 'raw') insertEach(database, from, last);
      else insertAll(database, from, last);
      database.exec('commit');
    }
    report(performance.now() - start, before);
    break;
  }
}

/** Inserts as many rows of the same size into the same table, with one statement per row. */
function insertEach(database: Database.Database, from: number, last: number): void {
  const insert = database.prepare(`${INSERT} values (?, ?, ?, ?)`);
  for (let id = from; id <= last; id += 1) insert.run(1, id, `s${id}@example.com`, NOW);
}

/** Inserts the rows as fast as SQLite can: with one statement and without reading any data. */
function insertAll(database: Database.Database, from: number, last: number): void {
  const insert = database.prepare(`with recursive n(i) as (select ? union all select i + 1 from n where i < ?)
    ${INSERT} select 1, i, 's' || i || '@example.com', ? from n`);
  insert.run(from, last, NOW);
}

function report(milliseconds: number, before: number): void {
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(
    `${JSON.stringify({ rate: (recipients / milliseconds) * 1000, before, peak: maxRSS * 1024 })}\n`,
  );
}
