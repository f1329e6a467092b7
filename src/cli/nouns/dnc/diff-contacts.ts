/** Implements `dnc diff`: compares a file with the Do Not Contact list. */

import { createTextFingerprintSet, type TextFingerprintSet } from '../../../bulk/fingerprints.ts';
import { type InputSource, openInputSource } from '../../../bulk/source.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { doNotContact } from '../../../resources/do-not-contact.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { Session } from '../../session/session.ts';
import { NOT_A_CONTACT_MESSAGE, readContacts } from './contacts.ts';
import { columnFlag } from './flags.ts';

/**
 * Compares the file with Do Not Contact. Keeps 12 octets in memory for each row of the file, and reads the file and the list row by row.
 */
export async function compareContactFileWithDnc(session: Session, input: Input): Promise<Outcome> {
  const [file = ''] = input.positionals;
  if (file === '-')
    throw new UsageError('cannot compare standard input, because svc reads the input twice', {
      hint: 'give a file',
    });
  const source = openInputSource(
    session.context,
    file,
    'save the input to a file, and give the name of that file',
  );
  const column = input.get(columnFlag);
  const inFile = createTextFingerprintSet(session.context.random(16));
  for await (const { line, text, contact } of readContacts(source, column)) {
    if (contact) inFile.add(contact.value);
    else await session.warn(`line ${line}: ${JSON.stringify(text.slice(0, 80))} ${NOT_A_CONTACT_MESSAGE}`);
  }
  const columns = ['only_in', 'contactdata', 'line', 'id'].map((name) => ({ name }));
  const rows = differences(session, source, column, inFile);
  return { result: { kind: 'rows', rows, columns, empty: 'No differences.' } };
}

async function* differences(
  session: ServiceAccess,
  source: InputSource,
  column: string | undefined,
  inFile: TextFingerprintSet,
): AsyncGenerator<JsonObject> {
  const client = await session.client();
  for await (const entry of client.list(doNotContact, { sort: 'id' })) {
    const contactdata = String(entry['contactdata']);
    const place = inFile.find(contactdata.toLowerCase());
    // Flagged as present on the list.
    if (place >= 0) inFile.flag(place);
    else yield { only_in: 'list', contactdata, line: null, id: entry['id'] ?? null };
  }
  for await (const { line, contact } of readContacts(source, column)) {
    if (contact === undefined) continue;
    const place = inFile.find(contact.value);
    // A duplicate is reported once.
    if (place >= 0 && !inFile.flag(place))
      yield { only_in: 'file', contactdata: contact.value, line, id: null };
  }
}
