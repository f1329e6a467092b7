import { forbidden, messageLocked } from '../../protocol/service-errors.ts';
import { authorOf, requireFeature } from '../request/call.ts';
import { hideMessage } from '../store/messages.ts';
import type { Behaviour } from './behaviour.ts';
import { insertRecord, updateRecord } from './records.ts';

export const sms: Behaviour = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    // Interface, sms `senddate`: null or omitted means immediately; a past time is treated the same.
    const due = Math.max(call.now, Math.ceil(Number(values['senddate'] ?? call.now)));
    return insertRecord(call, 'sms', values, { user_id: authorOf(call), due });
  },
};

export const smsDestination: Behaviour = {
  // Interface, smsDestination PUT: only the admin can set the keyword.
  permit: (call, method) => {
    if (method === 'PUT' && !call.caller.isAdmin) throw forbidden('Only the admin can set the keyword');
  },
  update: (call, current, values) => updateRecord(call, 'sms_destination', current, values),
};

export const smsMessage: Behaviour = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    return insertRecord(call, 'sms_message', values, { user_id: authorOf(call) });
  },
  update: async (call, current, values) => {
    requireFeature(call.caller.account, 'enablesms');
    if (current['editable'] !== 1) throw messageLocked(Number(current['id']));
    await updateRecord(call, 'sms_message', current, values);
  },
  // Interface, "States": hidden from GET, still available to its tasks, which are not cancelled.
  remove: async (call, current) => hideMessage(call.db, 'sms', Number(current['id']), call.now),
};
