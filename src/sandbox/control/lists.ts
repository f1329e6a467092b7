import { notFound } from '../../protocol/service-errors.ts';
import { hasFolder, type ListView, listLists } from '../store/control.ts';
import { createList, listById, removeList } from '../store/lists.ts';
import type { ControlCall, OperationsOf } from './operation.ts';

export const listOperations = {
  'list create': async (call, { name, folder, permanent }) => {
    const { db, account, now } = call;
    if (folder !== undefined && !(await hasFolder(db, account.id, folder)))
      throw notFound(`Folder ${folder}`);
    const row = { name, folder_id: folder ?? null, permanent: permanent ? 1 : 0, cdate: now };
    return shownList(call, await createList(db, account, row));
  },
  'list list': async ({ db, account }) => (await listLists(db, account.id)).map(asList),
  'list delete': async ({ db, account, now }, { id }) => {
    const list = await listById(db, account.id, id);
    if (!list) throw notFound(`List ${id}`);
    await removeList(db, list, now);
    return { id };
  },
} satisfies OperationsOf<'list'>;

async function shownList({ db, account }: ControlCall, id: number) {
  const [row] = await listLists(db, account.id, id);
  if (!row) throw notFound(`List ${id}`);
  return asList(row);
}

const asList = (row: ListView) => ({ ...row, permanent: row.permanent === 1 });
