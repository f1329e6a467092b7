import { jobFlags } from '../../bulk/flags.ts';
import type { Verb } from '../../command/command.ts';
import { columnFlag, domainFlag } from './flags.ts';

export const dncImport: Verb = {
  name: 'import',
  summary: 'Add every row of a CSV or TSV file',
  about:
    'The service deletes all matching subscribers. Skips duplicates and existing entries, and writes rejected rows ' +
    'to FILE.rejects.csv (exit 8). After Ctrl-C or a crash, run the same command to continue: it sends no row ' +
    'twice. --dry-run shows what would be added, and checks a sample for existing entries',
  work: 'sends rows',
  exits: { 8: 'rows failed' },
  methods: ['POST'],
  example: 'dnc import unsubscribed.csv --column email --yes',
  positionals: [{ name: 'file', describe: 'File, or - for standard input', completes: 'file' }],
  flags: [columnFlag, domainFlag, ...jobFlags],
  run: async (session, input) => (await import('./import-contacts.ts')).importContacts(session, input),
};
