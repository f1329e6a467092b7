import { conflict, limitReached, notFound } from '../../protocol/service-errors.ts';
import { RECENT_TARGET_SECONDS } from '../../resources/task-targets.ts';
import { countOf, hasFolder, type ListView, listLists } from '../store/control.ts';
import { deleteList, listById, wasTargeted } from '../store/lists.ts';
import { insertRow } from '../store/rows.ts';
import type { ControlCall, OperationsOf } from './operation.ts';

export const listOperations = {
  'list create': async (call, { name, folder, permanent }) => {
    const { db, account, now } = call;
    if ((await countOf(db, 'list', account.id)) >= account.list_limit)
      throw limitReached('list_limit', account.list_limit);
    if (folder !== undefined && !(await hasFolder(db, account.id, folder)))
      throw notFound(`Folder ${folder}`);
    const row = { name, folder_id: folder ?? null, permanent: permanent ? 1 : 0, cdate: now };
    return shownList(call, await insertRow(db, 'list', { account_id: account.id, ...row }));
  },
  'list list': async ({ db, account }) => (await listLists(db, account.id)).map(asList),
  'list delete': async ({ db, account, now }, { id }) => {
    const list = await listById(db, account.id, id);
    if (!list) throw notFound(`List ${id}`);
    if (list.permanent === 1) throw conflict(`List ${id} is permanent`);
    if (await wasTargeted(db, list, now - RECENT_TARGET_SECONDS))
      throw conflict(`List ${id} is to be or has been targeted`);
    await deleteList(db, list, now);
    return { id };
  },
} satisfies OperationsOf<'list'>;

async function shownList({ db, account }: ControlCall, id: number) {
  const [row] = await listLists(db, account.id, id);
  if (!row) throw notFound(`List ${id}`);
  return asList(row);
}

const asList = (row: ListView) => ({ ...row, permanent: row.permanent === 1 });
