import { concurrencyFlag } from '../../bulk/flags.ts';
import type { Verb } from '../../command/command.ts';
import { columnFlag } from './flags.ts';

/** Checks values. An address is blocked by its own entry, or by the entry of its domain. */
export const dncCheck: Verb = {
  name: 'check',
  summary: 'Check whether values are listed; exit 4 if none are',
  about:
    'The argument can be a file, or - for standard input; @example.com is always a domain. Each row takes one or ' +
    'two requests, so dnc diff is faster for a long file. Invalid rows are reported (exit 8)',
  work: 'reads',
  exits: { 4: 'none listed', 8: 'faulty rows' },
  methods: ['GET'],
  example: 'dnc check no.thanks@example.org 447700900123',
  positionals: [
    {
      name: 'file-or-value',
      describe: 'Address, domain, phone number, or a file of them',
      variadic: true,
      completes: 'file',
    },
  ],
  flags: [columnFlag, concurrencyFlag],
  companies: 'reads',
  run: async (session, input) => (await import('./check-contacts.ts')).checkContacts(session, input),
};
