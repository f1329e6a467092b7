/** The Do Not Contact list: addresses, domains and numbers that are never sent to. */
import { type RawBuilder, sql } from 'kysely';
import { assertNever } from '../../schema/resource.ts';
import { domainOf, normaliseContactdata } from '../../text/address.ts';
import type { Db } from './open.ts';

/** The id of the entry for this value, compared without regard to case. */
export async function contactId(db: Db, accountId: number, contactdata: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('do_not_contact')
    .select('id')
    .where('account_id', '=', accountId)
    .where('contactdata', '=', normalised(contactdata))
    .executeTakeFirst();
  return row?.id;
}

/**
 * Adds an entry, or finds the one that is there; returns its id. All subscribers that match it are deleted
 * (interface, doNotContact POST).
 */
export async function addContact(
  db: Db,
  accountId: number,
  contactdata: string,
  now: number,
): Promise<number> {
  const value = normalised(contactdata);
  await db
    .insertInto('do_not_contact')
    .values({ account_id: accountId, contactdata: value, cdate: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await noteDeparture(db, accountId, matching(value));
  await noteFormerRecipients(db, accountId, matching(value));
  await sql`delete from subscriber where account_id = ${accountId} and ${matching(value)}`.execute(db);
  const id = await contactId(db, accountId, value);
  if (id === undefined) throw new Error(`${accountId} has no entry it has just been given`);
  return id;
}

/** Tasks that go on must know whom they have sent to, should one of these come back as another subscriber. */
async function noteDeparture(db: Db, accountId: number, condition: RawBuilder<unknown>): Promise<void> {
  await sql`insert or ignore into departed_recipient (task_id, address)
    select r.task_id, r.address from task k join subscriber s on s.account_id = k.account_id
    join task_recipient r on r.task_id = k.id and r.subscriber_id = s.id
    where k.account_id = ${accountId} and k.due is not null and k.started = 1 and ${condition}`.execute(db);
}

/** By whose ids the outbox finds what went to an address. */
async function noteFormerRecipients(
  db: Db,
  accountId: number,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert or ignore into former_recipient (account_id, address, subscriber_id)
    select s.account_id, r.address, s.id from subscriber s
    join task k on k.account_id = s.account_id
    join task_recipient r on r.task_id = k.id and r.subscriber_id = s.id
    where s.account_id = ${accountId} and ${condition}`.execute(db);
}

/** Whether an address, its domain, or a number is on the list; domains match exactly (wire, "Do Not Contact"). */
export async function isBlocked(
  db: Db,
  accountId: number,
  contact: { readonly email?: string | null | undefined; readonly msisdn?: string | null | undefined },
): Promise<boolean> {
  const values = [
    ...(contact.email ? [normalised(contact.email), domainOf(normalised(contact.email))] : []),
    ...(contact.msisdn ? [normalised(contact.msisdn)] : []),
  ];
  if (values.length === 0) return false;
  const row = await db
    .selectFrom('do_not_contact')
    .select('id')
    .where('account_id', '=', accountId)
    .where('contactdata', 'in', values)
    .executeTakeFirst();
  return row !== undefined;
}

const normalised = (contactdata: string): string =>
  normaliseContactdata(contactdata)?.value ?? contactdata.toLowerCase();

function matching(value: string) {
  const kind = normaliseContactdata(value)?.kind;
  switch (kind) {
    case 'email':
      return sql`email = ${value}`;
    case 'domain':
      return sql`email_domain = ${value}`;
    case 'msisdn':
    case undefined:
      return sql`msisdn = ${value}`;
    default:
      return assertNever(kind);
  }
}
