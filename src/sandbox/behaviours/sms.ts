import { requireFeature } from '../request/call.ts';
import { authorOf } from './author.ts';
import type { Behaviour } from './behaviour.ts';
import { insertRecord } from './records.ts';

export const sms: Behaviour = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    // Interface, sms `senddate`: null or omitted means immediately; a past time is treated the same.
    const due = Math.max(call.now, Math.ceil(Number(values['senddate'] ?? call.now)));
    return insertRecord(call, 'sms', values, { user_id: authorOf(call), due });
  },
};
