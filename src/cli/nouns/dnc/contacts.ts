/** Reads contacts in the form that Do Not Contact accepts. */

import { type FoundColumn, findColumn, type WantedColumn } from '../../../client/bulk/columns.ts';
import { createTextFingerprintSet } from '../../../client/bulk/fingerprints.ts';
import { readDelimitedRecords } from '../../../client/bulk/records.ts';
import type { CheckedRow } from '../../../client/bulk/row.ts';
import type { InputSource } from '../../../client/bulk/source.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { isNationalNumber, normaliseContactdata } from '../../../kit/text/address.ts';
import { checkingRowsNotice, withWaitNotice } from '../../bulk/waiting.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation, Tell } from '../../session/ports.ts';

/** The first one in the header is used. Files of rejected rows (`--rejects`) have the column `value`. */
const COLUMNS: readonly WantedColumn[] = [
  { name: 'contactdata', names: ['contactdata'] },
  {
    name: 'email, domain or msisdn (phone number)',
    names: [
      ...[
        'email',
        'emailaddress',
        'mail',
        'domain',
        'msisdn',
        'mobile',
        'mobilenumber',
        'phone',
        'phonenumber',
      ],
      ...['telephone', 'number', 'value'],
    ],
  },
];

/** svc does not guess the country of a number as people dial it at home. */
export const reasonNotAContact = (text: string): string =>
  isNationalNumber(text)
    ? 'is a phone number without its country code'
    : 'is not an e-mail address, domain or phone number';

/** `column` is a name in the header, or a number from 1; if undefined, the column is detected. */
export async function* readContacts(source: InputSource, column: string | undefined) {
  let found: FoundColumn | undefined;
  /** Counted from 0, without the header. */
  let row = 0;
  for await (const { line, cells } of readDelimitedRecords(source.chunks(), source.name)) {
    if (found === undefined) {
      found = findColumn(cells, column, COLUMNS, (cell) => normaliseContactdata(cell) !== undefined);
      if (found.hasHeader) continue;
    }
    const text = cells[found.at] ?? '';
    // Without a contact, the text is not an address, a domain or a phone number.
    yield { row, line, text, contact: normaliseContactdata(text) };
    row += 1;
  }
}

/** Rejects each row that svc must not send, and gives the reason. */
export async function* checkContactRows(
  { context }: Invocation,
  source: InputSource,
  column: string | undefined,
  domainOk: boolean,
): AsyncGenerator<CheckedRow<Values>> {
  const seen = createTextFingerprintSet(context.random(16));
  for await (const { row, line, text, contact } of readContacts(source, column)) {
    const rejected = { kind: 'rejected', row, line, value: text } as const;
    if (contact === undefined) yield { ...rejected, reason: reasonNotAContact(text) };
    else if (contact.kind === 'domain' && !domainOk)
      yield { ...rejected, reason: 'is a whole domain; allow domains with --domain-ok' };
    else if (seen.add(contact.value) < 0) yield { kind: 'duplicate', row };
    else yield { kind: 'good', row, line, value: contact.value, body: { contactdata: contact.value } };
  }
}

export type ContactFileCounts = Awaited<ReturnType<typeof countContactRows>>;

/** Undefined for standard input. @throws an error for an unreadable file, before any request is sent */
export async function surveyContactRows(
  session: Tell,
  source: InputSource,
  column: string | undefined,
): Promise<ContactFileCounts | undefined> {
  if (source.path === undefined) return undefined;
  return withWaitNotice(session, checkingRowsNotice(source), () => countContactRows(source, column));
}

async function countContactRows(source: InputSource, column: string | undefined) {
  let rows = 0;
  let domains = 0;
  /** Rows without an address, a domain or a phone number. */
  let unusable = 0;
  for await (const { contact } of readContacts(source, column)) {
    rows += 1;
    if (contact?.kind === 'domain') domains += 1;
    if (contact === undefined) unusable += 1;
  }
  const sha256 = source.digest();
  if (sha256 === undefined) throw new UsageError(`cannot read all of ${source.name}`);
  return { sha256, rows, domains, unusable };
}
