import { doNotContact } from '../../../resources/do-not-contact.ts';
import type { Verb } from '../../command/command.ts';
import { fileFlag } from '../../command/flag.ts';
import { columnsOf } from '../../output/columns.ts';
import type { Rows } from '../../output/result.ts';
import { forceFlagFor } from '../../request/new-file.ts';

const outFlag = fileFlag('out', { describe: 'Write to this file instead of standard output' });
const forceFlag = forceFlagFor('out');

export const dncExport: Verb = {
  name: 'export',
  summary: 'Write all Do Not Contact entries (default: CSV)',
  about: 'Streams lists of any size. With --out, svc writes the complete file or none, in the format of -o',
  work: 'reads',
  methods: ['GET'],
  example: 'dnc export --out do-not-contact.csv',
  output: 'csv',
  flags: [outFlag, forceFlag],
  companies: 'reads',
  run: async (session, input) => {
    const file = input.get(outFlag);
    const client = await session.client();
    const rows: Rows = {
      kind: 'rows',
      rows: client.list(doNotContact, {}),
      ...columnsOf(doNotContact),
      empty: 'Do Not Contact is empty.',
    };
    if (file === undefined) return { result: rows };
    return (await import('../../bulk/export-file.ts')).exportTo(session, rows, file, input.get(forceFlag));
  },
};
