import { forbidden } from '../../protocol/faults.ts';
import type { Behaviour } from '../behaviour.ts';
import { toSqlRow } from '../present.ts';
import { updateRow } from '../store/rows.ts';

export const smsDestination: Behaviour = {
  // Interface, smsDestination PUT: only the admin can set the keyword.
  permit: (call, method) => {
    if (method === 'PUT' && !call.caller.isAdmin) throw forbidden('Only the admin can set the keyword');
  },
  update: (call, current, values) =>
    updateRow(call.db, 'sms_destination', Number(current['id']), { ...toSqlRow(values), mdate: call.now }),
};
