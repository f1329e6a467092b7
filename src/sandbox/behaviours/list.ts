import { createForbiddenError, createInvalidRequestError } from '../../protocol/service-errors.ts';
import type { Values } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import { toSqlRow } from '../request/present.ts';
import { createList, deleteListIfAllowed, mayUseFolder } from '../store/lists.ts';
import { findRowOfAccount, updateRow } from '../store/rows.ts';
import type { ResourceBehaviour } from './behaviour.ts';

/**
 * Serves lists under /v1. Only a sandbox started with `--companions` (an option that adds resources to those of the interface) has this
 * resource.
 */
export const list: ResourceBehaviour = {
  create: async (call, { folder_id = null, ...values }) => {
    await requireFolder(call, folder_id);
    const row = { ...toSqlRow(values), name: String(values['name']), cdate: call.now };
    return createList(call.db, call.caller.account, { ...row, ...toSqlRow({ folder_id }) });
  },
  update: async (call, current, values) => {
    if (values['folder_id'] !== undefined) await requireFolder(call, values['folder_id']);
    await updateListOrField(call, 'list', Number(current['id']), values);
  },
  remove: async (call, current) => {
    const row = await findRowOfAccount(call.db, 'list', call.caller.accountId, Number(current['id']));
    if (row) await deleteListIfAllowed(call.db, row, call.now);
  },
};

/** Writes the values that the client sent, and the time of the change. */
export async function updateListOrField(
  call: Call,
  table: 'list' | 'profile_field',
  id: number,
  values: Values,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await updateRow(call.db, table, id, { ...toSqlRow(values), changed: call.now });
}

/** Checks the folder of a list. A user who sees only some folders must still see the list after the change. */
async function requireFolder({ db, caller }: Call, folderId: unknown): Promise<void> {
  if (folderId === null) {
    if (caller.restricted)
      throw createInvalidRequestError([
        { attribute: 'folder_id', reason: 'is required: this user can see only some folders' },
      ]);
    return;
  }
  const id = Number(folderId);
  if (!(await findRowOfAccount(db, 'folder', caller.accountId, id)))
    throw createInvalidRequestError([
      { attribute: 'folder_id', value: folderId, reason: `is not a folder: ${String(folderId)}` },
    ]);
  if (caller.restricted && !(await mayUseFolder(db, caller.userId ?? 0, id)))
    throw createForbiddenError(`Folder ${id} is not accessible`);
}
