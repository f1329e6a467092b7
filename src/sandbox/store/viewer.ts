/** Defines the viewer, the user for whom rows are read, and selects the lists that a viewer may see. */

import { sql } from './driver/sql.ts';
import type { SqlCondition } from './rows.ts';

/** The account and user on whose behalf rows are read. */
export interface Viewer {
  readonly accountId: number;
  /** Id of the user. Null while a new account has no admin yet. */
  readonly userId: number | null;
  readonly isAdmin: boolean;
  /** True if the user sees only certain folders, the lists in them, and the user's own messages. */
  readonly restricted: boolean;
}

/** Returns a select of the ids of lists that the viewer may see. */
export const createVisibleListIdsSubquery = (viewer: Viewer): SqlCondition =>
  viewer.restricted
    ? sql`(select l.id from list l join folder_access a on a.folder_id = l.folder_id where a.user_id = ${viewer.userId})`
    : sql`(select l.id from list l where l.account_id = ${viewer.accountId})`;
