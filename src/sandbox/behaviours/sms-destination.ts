import { forbidden } from '../../protocol/service-errors.ts';
import type { Behaviour } from './behaviour.ts';
import { updateRecord } from './records.ts';

export const smsDestination: Behaviour = {
  // Interface, smsDestination PUT: only the admin can set the keyword.
  permit: (call, method) => {
    if (method === 'PUT' && !call.caller.isAdmin) throw forbidden('Only the admin can set the keyword');
  },
  update: (call, current, values) => updateRecord(call, 'sms_destination', current, values),
};
