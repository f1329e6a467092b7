import { concurrencyFlag } from '../../bulk/flags.ts';
import type { Verb } from '../../command/command.ts';
import { columnFlag } from './flags.ts';

/** Checks values. An address is blocked by its own entry, or by the entry of its domain. */
export const dncCheck: Verb = {
  name: 'check',
  summary: 'Check whether values are listed; exit 4 if none',
  about:
    'What is the name of a file here is read as one (@example.com is always the domain), - is standard input. One or ' +
    'two GETs a row: for a long file, dnc diff asks less. Rows that are none of the three are told: exit 8',
  example: 'dnc check no.thanks@example.org 447700900123',
  positionals: [
    {
      name: 'file-or-value',
      describe: 'An address, a domain, a number, or a file of them',
      variadic: true,
      completes: 'file',
    },
  ],
  flags: [columnFlag, concurrencyFlag],
  companies: 'reads',
  run: async (session, input) => (await import('./check-contacts.ts')).checkContacts(session, input),
};
