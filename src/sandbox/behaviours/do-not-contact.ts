import { conflict } from '../../protocol/service-errors.ts';
import { addContact, contactId } from '../store/do-not-contact.ts';
import type { Behaviour } from './behaviour.ts';
import { removeFrom } from './records.ts';

export const doNotContact: Behaviour = {
  create: async (call, values) => {
    const contactdata = String(values['contactdata']);
    const existing = await contactId(call.db, call.caller.accountId, contactdata);
    if (existing !== undefined) throw conflict(`${contactdata} is on the Do Not Contact list`, existing);
    return addContact(call.db, call.caller.accountId, contactdata, call.now);
  },
  remove: removeFrom('do_not_contact'),
};
