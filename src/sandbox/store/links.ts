/** Reads and changes the tracked links of e-mail messages. */
import { insertRows } from './bulk.ts';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';
import { firstRow } from './prepared.ts';
import type { Row } from './tables.ts';

export type LinkRow = Row<'email_message_link'>;
export type LinkType = 'html' | 'text';

/** Returns the links of an e-mail message, by id. */
export async function linksOf(db: Db, messageId: number): Promise<LinkRow[]> {
  return db
    .selectFrom('email_message_link')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('id')
    .execute();
}

/** Returns links of the account, from any of its messages. Ignores unknown ids. */
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

/** Adds links. Their ids rise in the order of `links`; the rows are returned in any order. */
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

/**
 * Adds links with ids computed in advance, which is safe because SQLite has one writer at a time. Reading 50,000 ids back would take a
 * second.
 */
async function addWithIds(db: Db, links: readonly NewLink[]): Promise<readonly Added[]> {
  const text = "select seq as last from sqlite_sequence where name = 'email_message_link'";
  const last = (await firstRow<{ readonly last: number }>(db, text, []))?.last ?? 0;
  const rows = links.map((link, at) => ({ id: last + 1 + at, ...link }));
  await insertRows(db, 'email_message_link', rows);
  return rows;
}

/** Removes the links with these ids, in batches. */
export async function removeLinks(db: Db, ids: readonly number[]): Promise<void> {
  for (const some of inParts(ids))
    await db.deleteFrom('email_message_link').where('id', 'in', some).execute();
}

/** Links per statement. SQLite accepts at most 32,766 values in a statement; a link has six. */
const MOST_AT_ONCE = 1_000;

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += MOST_AT_ONCE) yield all.slice(at, at + MOST_AT_ONCE);
}
