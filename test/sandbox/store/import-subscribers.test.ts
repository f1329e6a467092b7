/** Contract, "Sandbox": `subscriber import` creates missing subscribers, sets the fields of all and subscribes all. */

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { type ImportedRow, importSubscribers } from '../../../src/sandbox/store/import-subscribers.ts';
import { openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { insertRow } from '../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { createSubscriber, findSubscriber, subscribe } from '../../../src/sandbox/store/subscribers.ts';
import { ServiceError } from '../../../src/service/protocol/service-errors.ts';
import { postgresOfTests } from '../../support/postgres.ts';
import { createTestSandbox, IDS, NOW } from '../../support/sandbox.ts';

const ACCOUNT = IDS.company;
/** PostgreSQL keys every table by its account. */
const KEY =
  postgresOfTests() === undefined
    ? (['field_id', 'subscriber_id'] as const)
    : (['account_id', 'field_id', 'subscriber_id'] as const);
let store: Store;
beforeAll(async () => {
  ({ store } = (await createTestSandbox()).service);
});

type Db = Store['db'];

class Undone extends Error {}

interface Ground {
  readonly lists: readonly number[];
  readonly fields: readonly number[];
}

type Refused = readonly (readonly [number, string])[];
interface Outcome {
  readonly made: number;
  readonly subscribed: number;
  readonly refused: Refused;
}

/** Returns the records that `work` leaves, with the same initial records each time. */
async function after(
  limit: number | null,
  work: (db: Db, ground: Ground) => Promise<unknown>,
): Promise<unknown> {
  let left: unknown;
  const run = store.transaction(async (db) => {
    await db.run(sql`update account set subscriber_limit = ${limit} where id = ${ACCOUNT}`);
    const folder_id = await insertRow(db, 'folder', {
      account_id: ACCOUNT,
      name: 'F',
      cdate: NOW,
      mdate: NOW,
    });
    const list = { account_id: ACCOUNT, folder_id, cdate: NOW };
    const lists = [
      await insertRow(db, 'list', { ...list, name: 'L1' }),
      await insertRow(db, 'list', { ...list, name: 'L2' }),
    ];
    const field = (name: string) => insertRow(db, 'profile_field', { account_id: ACCOUNT, name });
    const ground = { lists, fields: [await field('F1'), await field('F2')] };
    for (const contactdata of ['no@x.example', 'blocked.example', '447700900666'])
      await insertRow(db, 'do_not_contact', { account_id: ACCOUNT, contactdata, cdate: NOW });
    const outcome = await work(db, ground);
    const people = await db.all(sql<Row<'subscriber'>>`select * from subscriber order by id`);
    const first = Number(people[0]?.id ?? 0);
    // PostgreSQL never gives an id twice, even if a transaction is rolled back.
    const own = ({ subscriber_id, ...row }: { readonly subscriber_id: number }) => ({
      ...row,
      subscriber: Number(subscriber_id) - first,
      ...('list_id' in row ? { list_id: ground.lists.indexOf(Number(row.list_id)) } : {}),
      ...('field_id' in row ? { field_id: ground.fields.indexOf(Number(row.field_id)) } : {}),
    });
    const values = await db.all(
      sql<Row<'profile_data'>>`select * from profile_data order by subscriber_id, field_id`,
    );
    const on = await db.all(
      sql<Row<'subscription'>>`select * from subscription order by subscriber_id, list_id`,
    );
    left = {
      outcome,
      people: people.map(({ id, ...row }) => ({ ...row, id: Number(id) - first })),
      values: values.map(own),
      // Ids of subscriptions come from a counter. Rows that are added together are numbered list by list.
      on: on.map(({ id: _, ...row }) => own(row)),
    };
    throw new Undone();
  });
  await run.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return left;
}

/** Adds each row separately, as the sandbox did before it added rows in batches. */
async function oneByOne(db: Db, { lists }: Ground, rows: readonly ImportedRow[]): Promise<Outcome> {
  const refused: (readonly [number, string])[] = [];
  const counts = { made: 0, subscribed: 0 };
  for (const [at, { contact, fields }] of rows.entries()) {
    try {
      const known = await findSubscriber(db, ACCOUNT, contact);
      const id = known?.id ?? (await createSubscriber(db, ACCOUNT, contact, NOW));
      for (const { fieldId, value } of fields)
        await db.run(sql`insert into profile_data (account_id, field_id, subscriber_id, value)
          values (${ACCOUNT}, ${fieldId}, ${id}, ${value})
          on conflict (${sql.join(KEY.map(sql.ref))}) do update set value = excluded.value`);
      for (const list of lists) if (await subscribe(db, list, id, NOW, 'import')) counts.subscribed += 1;
      if (!known) counts.made += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push([at, error.message]);
    }
  }
  return { ...counts, refused };
}

async function together(db: Db, { lists }: Ground, rows: readonly ImportedRow[]): Promise<Outcome> {
  const { refused, ...counts } = await importSubscribers(db, ACCOUNT, lists, rows, NOW);
  return { ...counts, refused: refused.map(({ row, error }) => [rows.indexOf(row), error.message] as const) };
}

const email = fc.constantFrom(
  'a@x.example',
  'A@x.example',
  'b@x.example',
  'c@y.example',
  'no@x.example',
  'd@blocked.example',
);
const msisdn = fc.constantFrom('447700900001', '447700900002', '447700900003', '447700900666');
const contact = fc.oneof(fc.record({ email }), fc.record({ msisdn }), fc.record({ email, msisdn }));
const fields = fc.array(fc.record({ fieldId: fc.constantFrom(0, 1), value: fc.constantFrom('x', 'y', '') }), {
  maxLength: 3,
});
const rows = fc.array(fc.record({ contact, fields }), { maxLength: 12 });

it('rows added together have the same result as one by one, over one batch and two, with and without a limit', async () => {
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.constantFrom(null, 0, 1, 3), async (first, second, limit) => {
      const by = (way: typeof together) =>
        after(limit, async (db, ground) => {
          const own = (batch: readonly ImportedRow[]) =>
            batch.map((row) => ({
              ...row,
              fields: row.fields.map(({ fieldId, value }) => ({
                fieldId: ground.fields[fieldId] ?? 0,
                value,
              })),
            }));
          return [await way(db, ground, own(first)), await way(db, ground, own(second))];
        });
      expect(await by(together)).toEqual(await by(oneByOne));
    }),
    { numRuns: 150 },
  );
});

it('needs few statements for many rows', async () => {
  let statements = 0;
  const counted = await openStore(':memory:', { onQuery: () => (statements += 1) });
  try {
    await createTestSandbox({ store: counted });
    await counted.transaction(async (db) => {
      const account_id = ACCOUNT;
      const folder_id = await insertRow(db, 'folder', { account_id, name: 'F', cdate: NOW, mdate: NOW });
      const list = await insertRow(db, 'list', { account_id, folder_id, name: 'L', cdate: NOW });
      const field = await insertRow(db, 'profile_field', { account_id, name: 'City' });
      statements = 0;
      const many = Array.from({ length: 1_000 }, (_, at) => ({
        contact: { email: `p${at}@x.example`, msisdn: String(447_700_000_000 + at) },
        fields: [{ fieldId: field, value: String(at) }],
      }));
      const { made, subscribed } = await importSubscribers(db, account_id, [list], many, NOW);
      expect([made, subscribed]).toEqual([1_000, 1_000]);
    });
    // An insert into SQLite has at most 64 rows, because SQLite caches those statements. The other statements do not depend on the rows.
    expect(statements).toBeLessThan(30);
  } finally {
    await counted.close();
  }
});

/** A count of all subscribers for each batch would make the time of an import grow with the square of its rows. */
it('counts each subscriber once while there is room, and exactly if there is none', async () => {
  const { service, rows: tableOf } = await createTestSandbox();
  const [most, size] = [50, 10];
  await service.store.transaction(async (db) => {
    await db.run(sql`update account set subscriber_limit = ${most} where id = ${ACCOUNT}`);
    const list = await insertRow(db, 'list', { account_id: ACCOUNT, name: 'L', cdate: NOW });
    const spied: number[] = [];
    const watched: Db = {
      ...db,
      first: async (query) => {
        const { text, values } = query.compile(db.dialect);
        const found = await db.first(query);
        if (text.includes('count(*) as added')) spied.push(Number(Object(found)['added']), Number(values[1]));
        return found;
      },
    };
    const batch = (from: number) =>
      importSubscribers(
        watched,
        ACCOUNT,
        [list],
        Array.from({ length: size }, (_, at) => ({
          contact: { email: `p${from + at}@x.example` },
          fields: [],
        })),
        NOW,
      );
    for (let from = 0; from < most; from += size) expect((await batch(from)).refused).toEqual([]);
    const counted = spied.filter((_, at) => at % 2 === 0);
    expect(counted).toEqual([0, ...counted.slice(1).map(() => size)]);
    await db.run(
      sql`delete from subscriber where account_id = ${ACCOUNT} and email in ('p3@x.example', 'p4@x.example')`,
    );
    expect(await batch(most)).toMatchObject({ made: 2 });
    expect((await batch(2 * most)).made).toBe(0);
  });
  expect(await tableOf('subscriber')).toHaveLength(most);
});
