/** The tracked links of e-mail messages. */
import { insertRows } from './bulk.ts';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';
import { firstRow } from './prepared.ts';
import type { Row } from './tables.ts';

export type LinkRow = Row<'email_message_link'>;
export type LinkType = 'html' | 'text';

/** The links of an e-mail message, by id. */
export async function linksOf(db: Db, messageId: number): Promise<LinkRow[]> {
  return db
    .selectFrom('email_message_link')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('id')
    .execute();
}

/** Of the account, whatever message they are of; ids that there are none of are passed over. */
export async function linksByIds(db: Db, accountId: number, ids: readonly number[]): Promise<LinkRow[]> {
  const found: LinkRow[] = [];
  for (const some of inParts(ids))
    found.push(
      ...(await db
        .selectFrom('email_message_link')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', 'in', some)
        .execute()),
    );
  return found;
}

export interface NewLink {
  readonly account_id: number;
  readonly message_id: number;
  readonly name: string | null;
  readonly target: string;
  readonly type: LinkType;
  readonly cdate: number;
}

type Added = NewLink & { readonly id: number };

/** Ids rise in the order of `links`. The rows come back in any order. */
export async function addLinks(
  db: Db,
  links: readonly NewLink[],
): Promise<readonly Pick<LinkRow, 'id' | 'type' | 'target' | 'name'>[]> {
  if (links.length > MOST_AT_ONCE && differencesOf(db).name === 'sqlite') return addWithIds(db, links);
  const added: Pick<LinkRow, 'id' | 'type' | 'target' | 'name'>[] = [];
  for (const some of inParts(links))
    added.push(
      ...(await db
        .insertInto('email_message_link')
        .values([...some])
        .returning(['id', 'type', 'target', 'name'])
        .execute()),
    );
  return added;
}

/** One transaction writes at a time, so the ids are known beforehand. Reading 50,000 of them back takes a second. */
async function addWithIds(db: Db, links: readonly NewLink[]): Promise<readonly Added[]> {
  const text = "select seq as last from sqlite_sequence where name = 'email_message_link'";
  const last = (await firstRow<{ readonly last: number }>(db, text, []))?.last ?? 0;
  const rows = links.map((link, at) => ({ id: last + 1 + at, ...link }));
  await insertRows(db, 'email_message_link', rows);
  return rows;
}

/** Removes the links with these ids, however many. */
export async function removeLinks(db: Db, ids: readonly number[]): Promise<void> {
  for (const some of inParts(ids))
    await db.deleteFrom('email_message_link').where('id', 'in', some).execute();
}

/** SQLite takes at most 32,766 values in a statement; a link has six. */
const MOST_AT_ONCE = 1_000;

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += MOST_AT_ONCE) yield all.slice(at, at + MOST_AT_ONCE);
}

/** The links of a message name its newest task. */
export async function assignLinks(db: Db, messageId: number, taskId: number): Promise<void> {
  await db
    .updateTable('email_message_link')
    .set({ task_id: taskId })
    .where('message_id', '=', messageId)
    .execute();
}
