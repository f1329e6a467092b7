/** Implements `dnc check` and `dnc diff`. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createTextFingerprintSet, type TextFingerprintSet } from '../../../client/bulk/fingerprints.ts';
import { type InputSource, openInputSource } from '../../../client/bulk/source.ts';
import type { Client } from '../../../client/requests/client.ts';
import { createConcurrencyLimiter } from '../../../client/requests/limiter.ts';
import type { Finding } from '../../../kit/schema/resource.ts';
import { type Contactdata, domainOf, normaliseContactdata } from '../../../kit/text/address.ts';
import { doNotContact } from '../../../service/resources/do-not-contact.ts';
import type { Outcome } from '../../command/command.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { columnsNamed } from '../../output/result.ts';
import type { Context } from '../../outside/context.ts';
import type { Invocation, Notes, ServiceAccess, Tell } from '../../session/ports.ts';
import { readContacts, reasonNotAContact } from './contacts.ts';

export async function checkContactsAgainstDnc(
  session: Invocation & Tell & ServiceAccess,
  texts: readonly string[],
  { column, max }: { readonly column: string | undefined; readonly max: number },
): Promise<Outcome> {
  const { clock, signal } = session.context;
  const parts = await readArguments(session.context, texts);
  const client = await session.client();
  const limiter = createConcurrencyLimiter({ clock, signal, max });
  const seen = { listed: 0, invalidRows: 0 };
  const contacts = contactsIn(session, parts, column, seen);
  const results = mapConcurrentlyInOrder(contacts, 2 * max, (contact) =>
    limiter.run(() => look(client, contact)),
  );
  const columns = columnsNamed(['contactdata', 'listed', 'by', 'id']);
  return {
    result: { kind: 'rows', rows: counted(results, seen), columns, empty: 'Nothing to check.' },
    exit: () => (seen.invalidRows > 0 ? EXIT.partial : seen.listed > 0 ? EXIT.done : EXIT.notFound),
  };
}

type Part = InputSource | Contactdata;

interface Seen {
  listed: number;
  /** Rows, in all files, without an address, a domain or a phone number. */
  invalidRows: number;
}

/** Refuses invalid contacts before any request. */
async function readArguments(context: Context, texts: readonly string[]): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const findings: Finding[] = [];
  for (const text of texts) {
    const isFile = text === '-' || (await fileExists(resolve(context.cwd, text)));
    const part = isFile ? openInputSource(context, text) : normaliseContactdata(text);
    if (part !== undefined) parts.push(part);
    else
      findings.push({
        attribute: 'contactdata',
        value: text,
        reason: 'must be an e-mail address, a domain name or a phone number, or a file of them',
      });
  }
  if (findings.length > 0) throw new InvalidInputError(findings);
  return parts;
}

const fileExists = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === false;

async function* contactsIn(
  session: Notes,
  parts: readonly Part[],
  column: string | undefined,
  seen: Seen,
): AsyncGenerator<Contactdata> {
  for (const part of parts) {
    if ('kind' in part) {
      yield part;
      continue;
    }
    await session.info(`reading ${part.name}`);
    for await (const { line, text, contact } of readContacts(part, column)) {
      if (contact !== undefined) {
        yield contact;
        continue;
      }
      seen.invalidRows += 1;
      await session.warn(`line ${line}: ${JSON.stringify(text.slice(0, 80))} ${reasonNotAContact(text)}`);
    }
  }
}

async function look(client: Client, { kind, value }: Contactdata) {
  const [own] = await client.find(doNotContact, { contactdata: value });
  if (own) return { contactdata: value, listed: true, by: value, id: own.id ?? null };
  const domain = domainOf(value);
  const [whole] = kind === 'email' ? await client.find(doNotContact, { contactdata: domain }) : [];
  if (whole) return { contactdata: value, listed: true, by: domain, id: whole.id ?? null };
  return { contactdata: value, listed: false, by: null, id: null };
}

async function* counted(rows: AsyncIterable<Awaited<ReturnType<typeof look>>>, seen: Seen) {
  for await (const row of rows) {
    if (row.listed) seen.listed += 1;
    yield row;
  }
}

/** Yields the results in the order of the items. Holds at most `maxHeld` of them in memory. */
export async function* mapConcurrentlyInOrder<T, R>(
  items: AsyncIterable<T>,
  maxHeld: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = [];
  for await (const item of items) {
    const started = work(item);
    // An error is reported when its turn comes. Until then it must not count as unhandled.
    started.catch(() => undefined);
    waiting.push(started);
    const first = waiting.length >= maxHeld ? waiting.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const each of waiting) yield await each;
}

/** Keeps 12 octets in memory for each row of the file, and reads the file and the list row by row. */
export async function compareContactFileWithDnc(
  session: Invocation & Tell & ServiceAccess,
  file: string,
  column: string | undefined,
): Promise<Outcome> {
  if (file === '-')
    throw new UsageError('cannot compare standard input, because svc reads the input twice', {
      hint: 'give a file',
    });
  const source = openInputSource(
    session.context,
    file,
    'save the input to a file, and give the name of that file',
  );
  const inFile = createTextFingerprintSet(session.context.random(16));
  for await (const { line, text, contact } of readContacts(source, column)) {
    if (contact) inFile.add(contact.value);
    else await session.warn(`line ${line}: ${JSON.stringify(text.slice(0, 80))} ${reasonNotAContact(text)}`);
  }
  const columns = columnsNamed(['only_in', 'contactdata', 'line', 'id']);
  const rows = differences(session, source, column, inFile);
  return { result: { kind: 'rows', rows, columns, empty: 'No differences.' } };
}

async function* differences(
  session: ServiceAccess,
  source: InputSource,
  column: string | undefined,
  inFile: TextFingerprintSet,
) {
  const client = await session.client();
  for await (const entry of client.list(doNotContact, { sort: 'id' })) {
    const contactdata = String(entry.contactdata);
    const place = inFile.find(contactdata.toLowerCase());
    // Flagged as present on the list.
    if (place >= 0) inFile.flag(place);
    else yield { only_in: 'list', contactdata, line: null, id: entry.id ?? null };
  }
  for await (const { line, contact } of readContacts(source, column)) {
    if (contact === undefined) continue;
    const place = inFile.find(contact.value);
    // A duplicate is reported once.
    if (place >= 0 && !inFile.flag(place))
      yield { only_in: 'file', contactdata: contact.value, line, id: null };
  }
}
