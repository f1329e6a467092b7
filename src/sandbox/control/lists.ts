import { conflict, limitReached, notFound } from '../../protocol/faults.ts';
import { countOf, hasFolder, listLists } from '../store/control.ts';
import { deleteList, listById, wasTargeted } from '../store/lists.ts';
import { insertRow, type SqlRow } from '../store/rows.ts';
import { flag, id, optional, text } from './arguments.ts';
import { type ControlCall, type Operations, ofCompany } from './operation.ts';

/** Interface, folder DELETE: lists targeted within so many seconds are held. */
const RECENT_TARGET_SECONDS = 72 * 3600;

export const listOperations: Operations = {
  'list create': ofCompany(async (call, args) => {
    const { db, account, now } = call;
    const name = text(args, 'name');
    const folderId = optional(args, 'folder', id);
    const permanent = flag(args, 'permanent') ? 1 : 0;
    if ((await countOf(db, 'list', account.id)) >= account.list_limit)
      throw limitReached('list_limit', account.list_limit);
    if (folderId !== undefined && !(await hasFolder(db, account.id, folderId)))
      throw notFound(`Folder ${folderId}`);
    const row = { account_id: account.id, name, folder_id: folderId ?? null, permanent, cdate: now };
    return shownList(call, await insertRow(db, 'list', row));
  }),
  'list list': ofCompany(async ({ db, account }) => (await listLists(db, account.id)).map(asList)),
  'list delete': ofCompany(async ({ db, account, now }, args) => {
    const listId = id(args, 'id');
    const list = await listById(db, account.id, listId);
    if (!list) throw notFound(`List ${listId}`);
    if (list.permanent === 1) throw conflict(`List ${listId} is permanent`);
    if (await wasTargeted(db, listId, now - RECENT_TARGET_SECONDS))
      throw conflict(`List ${listId} is to be or has been targeted`);
    await deleteList(db, listId, now);
    return { id: listId };
  }),
};

async function shownList({ db, account }: ControlCall, listId: number) {
  const row = (await listLists(db, account.id)).find((each) => each['id'] === listId);
  if (!row) throw notFound(`List ${listId}`);
  return asList(row);
}

const asList = (row: SqlRow) => ({ ...row, permanent: row['permanent'] === 1 });
