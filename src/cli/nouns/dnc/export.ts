import { doNotContact } from '../../../resources/do-not-contact.ts';
import type { Verb } from '../../command/command.ts';
import { fileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { columnsOf } from '../../output/columns.ts';
import type { Rows } from '../../output/result.ts';
import { forceFlagFor } from '../../request/new-file.ts';

const outFlag = fileFlag('out', { describe: 'Write to this file instead of standard output' });
const forceFlag = forceFlagFor('out');

export const dncExport: Verb = {
  name: 'export',
  summary: 'Write all Do Not Contact entries (default: CSV)',
  about:
    'Streams lists of any size. With a file or --out, svc writes the complete file or none, in the format of -o',
  work: 'reads',
  methods: ['GET'],
  example: 'dnc export do-not-contact.csv',
  output: 'csv',
  positionals: [{ name: 'file', describe: 'Like --out', optional: true, completes: 'file' }],
  flags: [outFlag, forceFlag],
  companies: 'reads',
  run: async (session, input) => {
    const [named] = input.positionals;
    if (named !== undefined && input.has(outFlag)) throw new UsageError('cannot combine a file and --out');
    const file = input.get(outFlag) ?? named;
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
