import { folderPermanent, folderTargeted } from '../../protocol/service-errors.ts';
import { RECENT_TARGET_SECONDS } from '../../resources/task-targets.ts';
import { deleteList, listsInFolder, wasTargeted } from '../store/lists.ts';
import { deleteRow, insertRow } from '../store/rows.ts';
import type { Behaviour } from './behaviour.ts';
import { insertRecord, updateRecord } from './records.ts';

export const folder: Behaviour = {
  create: async (call, values) => {
    const id = await insertRecord(call, 'folder', values);
    // A user who sees only some folders must see a new folder of their own.
    if (call.caller.restricted && call.caller.userId !== null)
      await insertRow(call.db, 'folder_access', { user_id: call.caller.userId, folder_id: id });
    return id;
  },
  update: (call, current, values) => updateRecord(call, 'folder', current, values),
  // Interface, folder DELETE: its lists are deleted as if one by one; a permanent or targeted list prevents it.
  remove: async (call, current) => {
    const id = Number(current['id']);
    const lists = await listsInFolder(call.db, id);
    const permanent = lists.find((list) => list.permanent === 1);
    if (permanent) throw folderPermanent(permanent.id);
    const since = call.now - RECENT_TARGET_SECONDS;
    for (const list of lists) if (await wasTargeted(call.db, list, since)) throw folderTargeted(id);
    for (const list of lists) await deleteList(call.db, list, call.now);
    await deleteRow(call.db, 'folder', id);
  },
};
