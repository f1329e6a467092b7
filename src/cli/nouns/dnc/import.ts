import { jobFlags } from '../../bulk/flags.ts';
import type { Verb } from '../../command/command.ts';
import { columnFlag, domainFlag } from './flags.ts';

export const dncImport: Verb = {
  name: 'import',
  summary: 'Add every row of a CSV or TSV file, or every line',
  about:
    'The service deletes every subscriber that matches. What stands twice, or is there already, is skipped; rows that ' +
    'are refused are written to FILE.rejects.csv with their line: exit 8. After Ctrl-C or a crash the same command ' +
    'goes on, from FILE.svc-journal, and sends no row twice. With --dry-run it tells what would be added, and of a ' +
    'sample of the rows how many are there already',
  example: 'dnc import unsubscribed.csv --column email --yes',
  positionals: [{ name: 'file', describe: 'The file, or - for standard input', completes: 'file' }],
  flags: [columnFlag, domainFlag, ...jobFlags],
  run: async (session, input) => (await import('./import-contacts.ts')).importContacts(session, input),
};
