import type { Verb } from '../../command/command.ts';
import { columnFlag } from './flags.ts';

export const dncDiff: Verb = {
  name: 'diff',
  summary: 'Compare a file with Do Not Contact',
  about:
    'A row for each entry that is only in one of the two: first those of the list, then those of the file. Exit 0 ' +
    'whatever there is; count the rows to know',
  example: 'dnc diff unsubscribed.csv -o ndjson',
  positionals: [{ name: 'file', describe: 'A CSV or TSV file, or one of plain lines', completes: 'file' }],
  flags: [columnFlag],
  companies: 'reads',
  run: async (session, input) => (await import('./diff-contacts.ts')).compareContacts(session, input),
};
