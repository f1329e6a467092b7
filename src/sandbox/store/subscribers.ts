/** Reads and changes subscribers and their subscriptions. They are not part of the interface, but tasks and rules use them. */

import { domainOf } from '../../kit/text/address.ts';
import { createConflictError, createLimitReachedError } from '../../service/protocol/service-errors.ts';
import type { SubscriptionSource } from '../../service/resources/companions.ts';
import { isBlocked, recordFormerSubscriberAddresses } from './do-not-contact.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import {
  assignments,
  deleteRow,
  findId,
  findRowById,
  hasRow,
  insertRow,
  type SqlRow,
  selectRequiredRow,
  updateRow,
} from './rows.ts';
import type { Row } from './schema/tables.ts';
import { readSetting, writeSetting } from './settings.ts';

/** The addresses of a subscriber: at least one of the two. The e-mail address may have any case; the MSISDN is bare digits. */
export interface Contact {
  readonly email?: string | undefined;
  readonly msisdn?: string | undefined;
}

/**
 * Returns the id of the new subscriber.
 * @throws ServiceError 409 if an address is on Do Not Contact (wire, "Responses") or belongs to another subscriber, or at the limit
 */
export async function createSubscriber(
  db: Db,
  accountId: number,
  contact: Contact,
  now: number,
): Promise<number> {
  const email = contact.email?.toLowerCase();
  if (await isBlocked(db, accountId, contact))
    throw createConflictError(`${contact.email ?? contact.msisdn} is on Do Not Contact`);
  const same = await findSubscriber(db, accountId, contact);
  if (same) throw createConflictError(`Subscriber ${same.id} already has this address`, same.id);
  const { left, most } = await readSubscriberCapacity(db, accountId, 1);
  if (left <= 0) throw createLimitReachedError('subscriber_limit', most);
  return insertRow(db, 'subscriber', {
    account_id: accountId,
    email: email ?? null,
    email_domain: email === undefined ? null : domainOf(email),
    msisdn: contact.msisdn ?? null,
    cdate: now,
  });
}

export async function findSubscriber(
  db: Db,
  accountId: number,
  { email, msisdn }: Contact,
): Promise<Row<'subscriber'> | undefined> {
  const find = (condition: Sql): Promise<Row<'subscriber'> | undefined> =>
    db.first(sql`select * from subscriber where account_id = ${accountId} and ${condition}`);
  const byEmail = email === undefined ? undefined : await find(sql`email = ${email.toLowerCase()}`);
  return byEmail || msisdn === undefined ? byEmail : find(sql`msisdn = ${msisdn}`);
}

export interface SubscriberForRules
  extends Pick<Row<'subscriber'>, 'id' | 'email' | 'msisdn' | 'emailsuspended' | 'smssuspended'> {
  /** 1 if the e-mail address or its domain is on Do Not Contact, otherwise 0. */
  readonly emailblocked: number;
  /** 1 if the number is on Do Not Contact, otherwise 0. */
  readonly smsblocked: number;
}

/** Returns the subscribers of this company with these ids, in any order. */
export async function findSubscribersForRules(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<readonly SubscriberForRules[]> {
  const isListed = (values: Sql): Sql => sql`exists (select 1 from do_not_contact d
    where d.account_id = ${accountId} and d.contactdata in (${values}))`;
  return await db.all(sql<SubscriberForRules>`select s.id, s.email, s.msisdn, s.emailsuspended, s.smssuspended,
      ${isListed(sql`lower(s.email), s.email_domain`)} as emailblocked, ${isListed(sql`s.msisdn`)} as smsblocked
    from subscriber s where ${sql.noIndex('s.account_id')} = ${accountId} and s.id in ${sql.ids(ids)}`);
}

/** Returns false if the subscriber is on the list already. Triggers no rule; the engine does that. */
export async function subscribe(
  db: Db,
  listId: number,
  subscriberId: number,
  now: number,
  source: SubscriptionSource | null = null,
): Promise<boolean> {
  const { changes } = await db.run(
    sql`insert into subscription (list_id, subscriber_id, cdate, source)
      values (${listId}, ${subscriberId}, ${now}, ${source}) on conflict do nothing`,
    { keepsCache: true },
  );
  return changes > 0;
}

/** Changes columns of a subscriber, and normalises addresses. Throws `ServiceError` 409 as `createSubscriber` does. */
export async function changeSubscriber(
  db: Db,
  current: Row<'subscriber'>,
  { email, msisdn, ...columns }: SqlRow & { readonly email?: string | null; readonly msisdn?: string | null },
): Promise<void> {
  const { id, account_id } = current;
  const address = typeof email === 'string' ? email.toLowerCase() : email;
  const contact = {
    email: address === current.email ? undefined : address,
    msisdn: msisdn === current.msisdn ? undefined : msisdn,
  };
  if (await isBlocked(db, account_id, contact))
    throw createConflictError(`${contact.email ?? contact.msisdn} is on Do Not Contact`);
  for (const each of [{ email: contact.email ?? undefined }, { msisdn: contact.msisdn ?? undefined }]) {
    const same = await findSubscriber(db, account_id, each);
    if (same) throw createConflictError(`Subscriber ${same.id} already has this address`, same.id);
  }
  if (contact.email !== undefined || contact.msisdn !== undefined)
    await recordFormerSubscriberAddresses(db, account_id, 'id', id);
  const addresses = {
    ...(contact.email === undefined
      ? {}
      : { email: contact.email, email_domain: contact.email === null ? null : domainOf(contact.email) }),
    ...(contact.msisdn === undefined ? {} : { msisdn: contact.msisdn }),
  };
  await updateRow(db, 'subscriber', id, { ...columns, ...addresses });
}

/** Deletes a subscriber with all subscriptions and profile values. Records of messages sent to them are kept. */
export async function removeSubscriber(db: Db, accountId: number, id: number): Promise<void> {
  await recordFormerSubscriberAddresses(db, accountId, 'id', id);
  await deleteRow(db, 'subscriber', id);
}

export const subscriptionIdOf = (db: Db, listId: number, subscriberId: number): Promise<number | undefined> =>
  findId(db, sql`select id from subscription where list_id = ${listId} and subscriber_id = ${subscriberId}`);

/** Marks a subscription and its subscriber as confirmed. Returns undefined if the subscription no longer exists. */
export async function confirmSubscription(
  db: Db,
  id: number,
  now: number,
): Promise<Row<'subscription'> | undefined> {
  const found = await findRowById(db, 'subscription', id);
  if (found?.confirmed === 0) await updateRow(db, 'subscription', id, { confirmed: 1, changed: now });
  if (found) await updateRow(db, 'subscriber', found.subscriber_id, { confirmed: 1 });
  return found;
}

export async function changeSubscription(
  db: Db,
  listId: number,
  subscriberId: number,
  columns: Partial<Pick<Row<'subscription'>, 'confirmed' | 'confirmationredirect' | 'source' | 'changed'>>,
): Promise<void> {
  await db.run(
    sql`update subscription set ${assignments(columns)} where list_id = ${listId} and subscriber_id = ${subscriberId}`,
  );
}

export interface SubscriberWithLists extends Row<'subscriber'> {
  /** Ids of the subscriber's lists, in ascending order. */
  readonly lists: readonly number[];
}

/** Returns a page of an account's subscribers in order of their ids: those after `after`, or the last before `before`. */
export async function listSubscribers(
  db: Db,
  accountId: number,
  {
    listId,
    after,
    before,
    limit,
  }: {
    readonly listId?: number | undefined;
    readonly after: number;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<SubscriberWithLists[]> {
  const place = before === undefined ? sql`> ${after}` : sql`< ${before}`;
  const order = before === undefined ? sql`asc` : sql`desc`;
  const from =
    listId === undefined
      ? sql`subscriber s where s.id ${place} and s.account_id = ${accountId} order by s.id ${order}`
      : sql`subscription l join subscriber s on s.id = l.subscriber_id
          where l.list_id = ${listId} and l.subscriber_id ${place} and ${sql.noIndex('s.account_id')} = ${accountId}
          order by l.subscriber_id ${order}`;
  const query = sql<Row<'subscriber'>>`select s.* from ${from} limit ${limit}`;
  const rows = await db.all(query);
  if (before !== undefined) rows.reverse();
  const lists = await listsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, lists: lists.get(row.id) ?? [] }));
}

async function listsOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const rows = await db.all(
      sql<
        Pick<Row<'subscription'>, 'subscriber_id' | 'list_id'>
      >`select subscriber_id, list_id from subscription where subscriber_id in (${sql.join(ids.slice(at, at + IDS_AT_ONCE))})`,
    );
    for (const { subscriber_id, list_id } of rows)
      found.set(subscriber_id, [...(found.get(subscriber_id) ?? []), list_id]);
  }
  for (const lists of found.values()) lists.sort((a, b) => a - b);
  return found;
}

const IDS_AT_ONCE = 500;

/** Returns how many subscribers can be added (`left`), and the limit (`most`); infinite without one. `left` is exact below `wanted`. */
export async function readSubscriberCapacity(
  db: Db,
  accountId: number,
  wanted: number,
): Promise<{ readonly left: number; readonly most: number }> {
  const { subscriber_limit: most } = await selectRequiredRow(
    db,
    sql<
      Pick<Row<'account'>, 'subscriber_limit'>
    >`select subscriber_limit from account where id = ${accountId}`,
  );
  if (most === null) return { left: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  const estimate = await subscribersAtMost(db, accountId, false);
  if (most - estimate >= wanted) return { left: most - estimate, most };
  return { left: most - (await subscribersAtMost(db, accountId, true)), most };
}

/**
 * Returns an upper bound: the last exact count plus every row added since, or an exact count. It is a setting that is written in the
 * transaction of the rows, so a rollback or a snapshot restores both.
 */
async function subscribersAtMost(db: Db, accountId: number, isExact: boolean): Promise<number> {
  const key = `subscribers.counted.${accountId}`;
  const [last = 0, before = 0] = isExact
    ? []
    : ((await readSetting(db, key)) ?? '0 0').split(' ').map(Number);
  const { added, highest } = await selectRequiredRow(
    db,
    sql<{
      readonly added: number;
      readonly highest: number | null;
    }>`select count(*) as added, max(id) as highest
      from subscriber where account_id = ${accountId} and id > ${last}`,
  );
  const count = before + added;
  if (added > 0 || isExact) await writeSetting(db, key, `${highest ?? last} ${count}`);
  return count;
}

export async function unsubscribe(db: Db, listId: number, subscriberId: number): Promise<boolean> {
  const { changes } = await db.run(
    sql`delete from subscription where list_id = ${listId} and subscriber_id = ${subscriberId}`,
    { keepsCache: true },
  );
  return changes > 0;
}

export const isSubscribed = (db: Db, listId: number, subscriberId: number): Promise<boolean> =>
  hasRow(db, sql`select 1 from subscription where list_id = ${listId} and subscriber_id = ${subscriberId}`);
