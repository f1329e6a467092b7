/** Reads and changes Do Not Contact: addresses, domains and phone numbers that never receive a message. */
import { assertNever } from '../../kit/schema/resource.ts';
import { domainOf, normaliseContactdata } from '../../kit/text/address.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { findId } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Returns the id of the entry for this value, ignoring case. */
export async function findDoNotContactId(
  db: Db,
  accountId: number,
  contactdata: string,
): Promise<number | undefined> {
  return findId(
    db,
    sql`select id from do_not_contact where account_id = ${accountId} and contactdata = ${normalised(contactdata)}`,
  );
}

/** Adds an entry or finds the existing one, and deletes all subscribers that match it (interface, doNotContact POST). Returns its id. */
export async function addDoNotContact(
  db: Db,
  accountId: number,
  contactdata: string,
  now: number,
): Promise<number> {
  const value = normalised(contactdata);
  const insert = sql`insert into do_not_contact (account_id, contactdata, cdate)
    values (${accountId}, ${value}, ${now}) on conflict do nothing`;
  await db.run(insert, { keepsCache: true });
  await deleteSubscribers(db, accountId, columnFor(value), value);
  const id = await findDoNotContactId(db, accountId, value);
  if (id === undefined) throw new Error(`${accountId} has no entry it has just been given`);
  return id;
}

async function deleteSubscribers(
  db: Db,
  accountId: number,
  column: 'email' | 'email_domain' | 'msisdn',
  value: string,
): Promise<void> {
  const matching = sql`subscriber where account_id = ${accountId} and ${sql.ref(column)} = ${value}`;
  // Most added values match no subscriber.
  if (!(await db.first(sql`select 1 from ${matching} limit 1`))) return;
  await recordFormerSubscriberAddresses(db, accountId, column, value);
  await db.run(sql`delete from ${matching}`);
}

/**
 * Records the addresses of subscribers before they are deleted or change their address. If an address comes back with another subscriber,
 * a task in progress must not send to it again; the outbox finds earlier deliveries by it. Selects the rows where `column` is `value`.
 */
export async function recordFormerSubscriberAddresses(
  db: Db,
  accountId: number,
  column: 'id' | 'email' | 'email_domain' | 'msisdn',
  value: string | number,
): Promise<void> {
  await db.run(sql`insert into departed_recipient (task_id, address)
      select r.task_id, r.address from task k join subscriber s on s.account_id = k.account_id
      join task_recipient r on r.task_id = k.id and r.subscriber_id = s.id
      where k.account_id = ${accountId} and k.due is not null and k.started = 1 and s.${sql.ref(column)} = ${value}
      on conflict do nothing`);
  await db.run(sql`insert into former_recipient (account_id, address, subscriber_id)
      select s.account_id, r.address, s.id from subscriber s
      join task k on k.account_id = s.account_id
      join task_recipient r on r.task_id = k.id and r.subscriber_id = s.id
      where s.account_id = ${accountId} and s.${sql.ref(column)} = ${value}
      on conflict do nothing`);
}

/** Reports whether an address, its domain or a phone number is on the list. Domains match exactly (wire, "Do Not Contact"). */
export async function isBlocked(db: Db, accountId: number, contact: Addresses): Promise<boolean> {
  return (await createDoNotContactCheck(db, accountId, [contact]))(contact);
}

interface Addresses {
  readonly email?: string | null | undefined;
  readonly msisdn?: string | null | undefined;
}

/** Returns a function that does the same as `isBlocked`. It looks up all contacts with one query. */
export async function createDoNotContactCheck(
  db: Db,
  accountId: number,
  contacts: readonly Addresses[],
): Promise<(contact: Addresses) => boolean> {
  const entriesFor = ({ email, msisdn }: Addresses): readonly string[] => [
    ...(email ? [normalised(email), domainOf(normalised(email))] : []),
    ...(msisdn ? [normalised(msisdn)] : []),
  ];
  const values = [...new Set(contacts.flatMap(entriesFor))];
  if (values.length === 0) return () => false;
  const rows = await db.all(
    sql<
      Pick<Row<'do_not_contact'>, 'contactdata'>
    >`select contactdata from do_not_contact where account_id = ${accountId} and ${sql.isOneOf('contactdata', values)}`,
  );
  const listed = new Set(rows.map(({ contactdata }) => contactdata));
  return (contact) => entriesFor(contact).some((entry) => listed.has(entry));
}

const normalised = (contactdata: string): string =>
  normaliseContactdata(contactdata)?.value ?? contactdata.toLowerCase();

function columnFor(value: string): 'email' | 'email_domain' | 'msisdn' {
  const kind = normaliseContactdata(value)?.kind;
  switch (kind) {
    case 'email':
      return 'email';
    case 'domain':
      return 'email_domain';
    case 'msisdn':
    case undefined:
      return 'msisdn';
    default:
      return assertNever(kind);
  }
}
