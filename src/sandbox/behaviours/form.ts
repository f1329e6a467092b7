import { forbidden } from '../../protocol/service-errors.ts';
import { deleteRow } from '../store/rows.ts';
import type { Behaviour } from './behaviour.ts';

export const form: Behaviour = {
  // Interface, form DELETE: a non-admin user can delete only forms they created.
  remove: async (call, current) => {
    if (!call.caller.isAdmin && current['user_id'] !== call.caller.userId)
      throw forbidden(`Form ${current['id']} was made by another user`);
    await deleteRow(call.db, 'form', Number(current['id']));
  },
};
