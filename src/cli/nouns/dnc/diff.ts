import type { Verb } from '../../command/command.ts';
import { columnFlag } from './flags.ts';

export const dncDiff: Verb = {
  name: 'diff',
  summary: 'Compare a file with Do Not Contact',
  about:
    'Prints a row for each entry that is in only one of the two, first those of the list, then those of the file. ' +
    'Exits 0 with or without differences',
  work: 'reads',
  methods: ['GET'],
  example: 'dnc diff unsubscribed.csv -o ndjson',
  positionals: [
    { name: 'file', describe: 'CSV or TSV file, or a file with one entry per line', completes: 'file' },
  ],
  flags: [columnFlag],
  companies: 'reads',
  run: async (session, input) => (await import('./diff-contacts.ts')).compareContacts(session, input),
};
