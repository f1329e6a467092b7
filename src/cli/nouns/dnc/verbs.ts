import { doNotContact } from '../../../service/resources/do-not-contact.ts';
import { bulkJobFlags, concurrencyFlag } from '../../bulk/flags.ts';
import type { Verb } from '../../command/command.ts';
import { createReplaceFileFlag, writtenFileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { columnsOfResource } from '../../output/columns.ts';
import type { Rows } from '../../output/result.ts';
import { allowAddingWholeDomainsFlag, contactColumnFlag, dncAdd, dncGet, dncRemove } from './entries.ts';

/** An address is on Do Not Contact if it or its domain has an entry. */
const dncCheck: Verb = {
  name: 'check',
  summary: 'Check whether addresses are on Do Not Contact; exit 4 if none is',
  about:
    'The argument can be a file, or - for standard input. An argument that begins with @, such as @example.com, is always a domain. Each row takes one or two requests, so dnc diff is faster for a long file. Invalid rows are reported (exit 8)',
  work: 'reads',
  exits: { 4: 'none of the given contacts is on Do Not Contact', 8: 'invalid rows' },
  methods: ['GET'],
  example: 'dnc check no.thanks@example.org 447700900123',
  positionals: [
    {
      name: 'contact',
      describe: 'Address, domain or phone number, or a file that lists them',
      variadic: true,
      completes: 'file',
    },
  ],
  flags: [contactColumnFlag, concurrencyFlag],
  companies: 'reads',
  run: async (session, input) => {
    const { checkContactsAgainstDnc } = await import('./check-contacts.ts');
    const options = { column: input.get(contactColumnFlag), max: input.get(concurrencyFlag) };
    return checkContactsAgainstDnc(session, input.positionals, options);
  },
};

const dncDiff: Verb = {
  name: 'diff',
  summary: 'Compare a file with Do Not Contact',
  about:
    'Prints first the entries that are only in Do Not Contact, then those that are only in the file. ' +
    'Exits 0 with or without differences',
  work: 'reads',
  methods: ['GET'],
  example: 'dnc diff unsubscribed.csv -o ndjson',
  positionals: [
    { name: 'file', describe: 'CSV or TSV file, or a file with one entry per line', completes: 'file' },
  ],
  flags: [contactColumnFlag],
  companies: 'reads',
  run: async (session, input) => {
    const { compareContactFileWithDnc } = await import('./check-contacts.ts');
    return compareContactFileWithDnc(session, input.positionals[0] ?? '', input.get(contactColumnFlag));
  },
};

const dncImport: Verb = {
  name: 'import',
  summary: 'Add every row of a CSV or TSV file to Do Not Contact',
  about:
    'The service deletes all matching subscribers. Skips duplicates and existing entries, and writes rejected rows ' +
    'to FILE.rejects.csv (exit 8). After Ctrl-C or a crash, run the same command to continue: it sends no row ' +
    'twice. --dry-run shows what would be added, and checks a sample for existing entries',
  work: 'sends rows',
  does: 'removes',
  asks: true,
  exits: { 8: 'rows failed' },
  methods: ['POST'],
  example: 'dnc import unsubscribed.csv --column email --yes',
  positionals: [{ name: 'file', describe: 'File, or - for standard input', completes: 'file' }],
  flags: [contactColumnFlag, allowAddingWholeDomainsFlag, ...bulkJobFlags],
  run: async (session, input) => {
    const { importContacts } = await import('./import-contacts.ts');
    const options = {
      column: input.get(contactColumnFlag),
      domainOk: input.get(allowAddingWholeDomainsFlag),
    };
    return importContacts(session, input, options);
  },
};

const outFlag = writtenFileFlag('out', {
  writes: 'output',
  describe: 'Write to this file instead of standard output',
});
const forceFlag = createReplaceFileFlag('out');

const dncExport: Verb = {
  name: 'export',
  summary: 'Write all Do Not Contact entries (default: CSV)',
  about:
    'Handles any number of entries. If you name a file, -o sets its format. If the export fails, svc leaves no incomplete file',
  work: 'reads',
  methods: ['GET'],
  example: 'dnc export do-not-contact.csv',
  output: 'csv',
  positionals: [
    { name: 'file', describe: 'File to write to (the same as --out)', optional: true, completes: 'file' },
  ],
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
      ...columnsOfResource(doNotContact),
      empty: 'Do Not Contact is empty.',
    };
    if (file === undefined) return { result: rows };
    return (await import('../../bulk/export-file.ts')).exportToFile(
      session,
      rows,
      file,
      input.get(forceFlag),
    );
  },
};

export const dncVerbs: readonly Verb[] = [dncGet, dncAdd, dncRemove, dncCheck, dncDiff, dncImport, dncExport];
