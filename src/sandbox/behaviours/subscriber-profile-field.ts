import { conflict } from '../../protocol/service-errors.ts';
import { toSqlRow } from '../request/present.ts';
import { listSearches } from '../store/control.ts';
import { createField, requireFreeFieldName } from '../store/profile-data.ts';
import { deleteRow } from '../store/rows.ts';
import type { Behaviour } from './behaviour.ts';
import { changeRow } from './list.ts';

/** Serves profile fields under /v1. Served only with `--companions`. */
export const subscriberProfileField: Behaviour = {
  create: (call, values) =>
    createField(call.db, call.caller.account, {
      ...toSqlRow(values),
      name: String(values['name']),
      cdate: call.now,
    }),
  update: async (call, current, values) => {
    const id = Number(current['id']);
    const { name, columnheader } = { ...current, ...toSqlRow(values) };
    await requireFreeFieldName(
      call.db,
      call.caller.accountId,
      { name: String(name), columnheader: columnheader ?? null },
      id,
    );
    await changeRow(call, 'profile_field', id, values);
  },
  remove: async (call, current) => {
    const id = Number(current['id']);
    const search = (await listSearches(call.db, call.caller.accountId)).find(
      ({ field_id }) => field_id === id,
    );
    if (search) throw conflict(`Search ${search.id} uses this field`);
    await deleteRow(call.db, 'profile_field', id);
  },
};
