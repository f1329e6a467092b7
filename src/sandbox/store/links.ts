/** The tracked links of e-mail messages. */
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

export type LinkRow = Row<'email_message_link'>;
export type LinkType = 'html' | 'text';

export async function linksOf(db: Db, messageId: number): Promise<LinkRow[]> {
  return db
    .selectFrom('email_message_link')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('id')
    .execute();
}

export async function addLink(
  db: Db,
  link: {
    readonly account_id: number;
    readonly message_id: number;
    readonly name: string | null;
    readonly target: string;
    readonly type: LinkType;
    readonly cdate: number;
  },
): Promise<number> {
  const { insertId } = await db.insertInto('email_message_link').values(link).executeTakeFirstOrThrow();
  return Number(insertId);
}

export async function removeLinks(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('email_message_link').where('id', 'in', ids).execute();
}

/** The links of a message name its newest task. */
export async function assignLinks(db: Db, messageId: number, taskId: number): Promise<void> {
  await db
    .updateTable('email_message_link')
    .set({ task_id: taskId })
    .where('message_id', '=', messageId)
    .execute();
}
