/** Whose eyes see the rows, and which lists they see. */
import type { Condition } from './rows.ts';
import { sql } from './sql.ts';

/** Whose eyes: the account, and within it the user. */
export interface Viewer {
  readonly accountId: number;
  /** Null while a new account has no admin yet. */
  readonly userId: number | null;
  readonly isAdmin: boolean;
  /** Sees only the folders given to them, what is in those, and their own messages. */
  readonly restricted: boolean;
}

/** The lists that a restricted viewer may not see are left out. */
export const visibleLists = (viewer: Viewer): Condition =>
  viewer.restricted
    ? sql`(select l.id from list l join folder_access a on a.folder_id = l.folder_id where a.user_id = ${viewer.userId})`
    : sql`(select l.id from list l where l.account_id = ${viewer.accountId})`;
