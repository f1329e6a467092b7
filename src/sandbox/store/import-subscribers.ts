/** Imports many subscribers with no more statements than one subscriber needs. On PostgreSQL each statement is a round trip. */

import { domainOf } from '../../kit/text/address.ts';
import {
  createConflictError,
  createLimitReachedError,
  type ServiceError,
} from '../../service/protocol/service-errors.ts';
import { createDoNotContactCheck } from './do-not-contact.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { insertRows } from './rows.ts';
import { type Contact, readSubscriberCapacity } from './subscribers.ts';

export interface ImportedRow {
  readonly contact: Contact;
  readonly fields: readonly { readonly fieldId: number; readonly value: string }[];
}

/**
 * Creates missing subscribers, sets their fields, and subscribes them to each list, with the same result as row by row. Counts new
 * subscribers (`made`) and new subscriptions.
 */
export async function importSubscribers(
  db: Db,
  accountId: number,
  lists: readonly number[],
  rows: readonly ImportedRow[],
  now: number,
) {
  const contacts = rows.map(({ contact }) => contact);
  const people = await peopleAmong(db, accountId, contacts);
  const isBlocked = await createDoNotContactCheck(db, accountId, contacts);
  const room = await readSubscriberCapacity(db, accountId, rows.length);
  const taken: (readonly [ImportedRow, Person])[] = [];
  const added: Person[] = [];
  const refused: { readonly row: ImportedRow; readonly error: ServiceError }[] = [];
  for (const row of rows) {
    const { contact } = row;
    const known = people.find(contact);
    const error =
      known !== undefined
        ? undefined
        : isBlocked(contact)
          ? createConflictError(`${contact.email ?? contact.msisdn} is on Do Not Contact`)
          : added.length >= room.left
            ? createLimitReachedError('subscriber_limit', room.most)
            : undefined;
    if (error !== undefined) {
      refused.push({ row, error });
      continue;
    }
    const person = known ?? people.add(contact);
    if (known === undefined) added.push(person);
    taken.push([row, person]);
  }
  await insertPeople(db, accountId, added, now);
  const isNew = new Set(added);
  const known = taken.map(([, person]) => person).filter((person) => !isNew.has(person));
  await setFields(db, accountId, taken, new Set(known.map(({ id }) => id)));
  const ids = [...new Set(taken.map(([, { id }]) => id))];
  let subscribed = 0;
  for (const listId of lists) subscribed += await subscribeAll(db, { accountId, listId }, ids, now);
  if (added.length > 0) await refreshStatistics(db);
  return { made: added.length, subscribed, refused };
}

const GROWN = ['profile_data', 'subscriber', 'subscription'];

/** Number of database pages below which a table needs no statistics, because any query plan is fast. */
const FEW_PAGES = 8;

/**
 * Updates PostgreSQL's statistics for tables that have doubled in size. It would otherwise check foreign keys with a scan of a whole table
 * for each row: an import of 27,000 rows took five times as long.
 */
async function refreshStatistics(db: Db): Promise<void> {
  if (db.dialect !== 'postgres') return;
  const rows = await db.all(sql<{ readonly name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relname in (${sql.join(GROWN)})
      and pg_relation_size(oid) > 2 * greatest(relpages, ${FEW_PAGES}::bigint) * current_setting('block_size')::bigint
    order by relname`);
  for (const { name } of rows) await db.exec(sql`analyze ${sql.ref(name)}`);
}

interface Person {
  /** Id of the subscriber; 0 until the subscriber is created. */
  id: number;
  readonly email: string | null;
  readonly msisdn: string | null;
}

/** Returns functions that find the person with an address, and that add a person who is not in the database yet. */
async function peopleAmong(db: Db, accountId: number, contacts: readonly Contact[]) {
  const byEmail = new Map<string, Person>();
  const byMsisdn = new Map<string, Person>();
  const keep = (person: Person): Person => {
    if (person.email !== null) byEmail.set(person.email, person);
    if (person.msisdn !== null) byMsisdn.set(person.msisdn, person);
    return person;
  };
  const emails = contacts.flatMap(({ email }) => email?.toLowerCase() ?? []);
  const msisdns = contacts.flatMap(({ msisdn }) => msisdn ?? []);
  for (const [column, values] of [
    ['email', emails],
    ['msisdn', msisdns],
  ] as const) {
    if (values.length === 0) continue;
    const found = await db.all(sql<Person>`select id, email, msisdn from subscriber
      where account_id = ${accountId} and ${sql.isOneOf(column, values)}`);
    for (const row of found) if (byEmail.get(row.email ?? '')?.id !== row.id) keep({ ...row });
  }
  return {
    find: ({ email, msisdn }: Contact): Person | undefined =>
      byEmail.get(email?.toLowerCase() ?? '') ?? byMsisdn.get(msisdn ?? ''),
    add: ({ email, msisdn }: Contact): Person =>
      keep({ id: 0, email: email?.toLowerCase() ?? null, msisdn: msisdn ?? null }),
  };
}

/** Inserts the subscribers and sets their ids. The ids rise in the order of `added`. */
async function insertPeople(db: Db, accountId: number, added: readonly Person[], now: number): Promise<void> {
  if (added.length === 0) return;
  const domains = added.map(({ email }) => (email === null ? null : domainOf(email)));
  const columns = sql`account_id, email, email_domain, msisdn, cdate`;
  const made = await db.all(
    sql<Person>`insert into subscriber (${columns}) ${sql.either({
      sqlite: sql`values ${sql.join(
        added.map(
          ({ email, msisdn }, at) => sql`(${accountId}, ${email}, ${domains[at]}, ${msisdn}, ${now})`,
        ),
      )}`,
      postgres: sql`select ${accountId}::bigint, p.email, p.email_domain, p.msisdn, ${now}::double precision
        from unnest(${added.map(({ email }) => email)}::text[], ${domains}::text[],
          ${added.map(({ msisdn }) => msisdn)}::text[]) with ordinality as p(email, email_domain, msisdn, place)
        order by p.place`,
    })} returning id, email, msisdn`,
  );
  const ids = new Map(made.map(({ id, email, msisdn }) => [email ?? `+${msisdn}`, id]));
  for (const person of added) person.id = ids.get(person.email ?? `+${person.msisdn}`) ?? 0;
}

/** Sets the profile fields of the accepted rows (`taken`). The last value of a field wins. `known`: ids from before the import. */
async function setFields(
  db: Db,
  account_id: number,
  taken: readonly (readonly [ImportedRow, Person])[],
  known: ReadonlySet<number>,
): Promise<void> {
  const values = new Map<number, Map<number, string>>();
  for (const [{ fields }, { id }] of taken)
    for (const { fieldId, value } of fields) {
      const ofField = values.get(fieldId) ?? new Map<number, string>();
      values.set(fieldId, ofField.set(id, value));
    }
  for (const [field_id, ofField] of values) {
    const before = [...ofField.keys()].filter((id) => known.has(id));
    if (before.length > 0)
      await db.run(
        sql`delete from profile_data where field_id = ${field_id} and subscriber_id in (${sql.join(before)})`,
      );
    const rows = [...ofField].map(([subscriber_id, value]) => ({
      account_id,
      field_id,
      subscriber_id,
      value,
    }));
    await insertRows(db, 'profile_data', rows);
  }
}

async function subscribeAll(
  db: Db,
  { accountId, listId }: { readonly accountId: number; readonly listId: number },
  ids: readonly number[],
  now: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  // PostgreSQL has the account in this table too. A trigger would look it up for each row that leaves it out.
  const { changes } = await db.run(
    sql.either({
      sqlite: sql`insert into subscription (list_id, subscriber_id, cdate, source)
        values ${sql.join(ids.map((id) => sql`(${listId}, ${id}, ${now}, 'import')`))} on conflict do nothing`,
      postgres: sql`insert into subscription (account_id, list_id, subscriber_id, cdate, source)
        select ${accountId}::bigint, ${listId}::bigint, p.id, ${now}::double precision, 'import'
        from unnest(${ids}::bigint[]) with ordinality as p(id, place) order by p.place on conflict do nothing`,
    }),
  );
  return changes;
}
