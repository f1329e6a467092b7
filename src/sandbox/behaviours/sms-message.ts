import { messageLocked } from '../../protocol/service-errors.ts';
import { requireFeature } from '../request/call.ts';
import { hideMessage } from '../store/messages.ts';
import { authorOf } from './author.ts';
import type { Behaviour } from './behaviour.ts';
import { insertRecord, updateRecord } from './records.ts';

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
