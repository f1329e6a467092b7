import { doNotContact } from '../../resources/do-not-contact.ts';
import { columnsOf } from '../output/columns.ts';
import type { Verb } from '../verb.ts';

export const dncExport: Verb = {
  name: 'export',
  summary: 'Write the whole of Do Not Contact, as CSV unless said otherwise',
  example: 'dnc export > do-not-contact.csv',
  output: 'csv',
  flags: [],
  run: async (session) => {
    const client = await session.client();
    const rows = client.list(doNotContact, {});
    return { result: { kind: 'rows', rows, ...columnsOf(doNotContact), empty: 'It is empty.' } };
  },
};
