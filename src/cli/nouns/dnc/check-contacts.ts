/** Implements `dnc check` for single values and for files of values. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type InputSource, openInputSource } from '../../../bulk/source.ts';
import type { Client } from '../../../client/client.ts';
import { createConcurrencyLimiter } from '../../../client/limiter.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { doNotContact } from '../../../resources/do-not-contact.ts';
import type { Finding } from '../../../schema/resource.ts';
import { type Contactdata, domainOf, normaliseContactdata } from '../../../text/address.ts';
import { concurrencyFlag } from '../../bulk/flags.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { InvalidInputError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Context } from '../../outside/context.ts';
import type { StderrNotePrinter } from '../../session/notes.ts';
import type { Session } from '../../session/session.ts';
import { NOT_A_CONTACT_MESSAGE, readContacts } from './contacts.ts';
import { columnFlag } from './flags.ts';

export async function checkContactsAgainstDnc(session: Session, input: Input): Promise<Outcome> {
  const { clock, signal } = session.context;
  const max = input.get(concurrencyFlag);
  const parts = await readArguments(session.context, input.positionals);
  const client = await session.client();
  const limiter = createConcurrencyLimiter({ clock, signal, max });
  const seen = { listed: 0, invalidRows: 0 };
  const contacts = contactsIn(session, parts, input.get(columnFlag), seen);
  const results = mapConcurrentlyInOrder(contacts, 2 * max, (contact) =>
    limiter.run(() => look(client, contact)),
  );
  const columns = ['contactdata', 'listed', 'by', 'id'].map((name) => ({ name }));
  return {
    result: { kind: 'rows', rows: counted(results, seen), columns, empty: 'Nothing to check.' },
    exit: () => (seen.invalidRows > 0 ? EXIT.partial : seen.listed > 0 ? EXIT.done : EXIT.notFound),
  };
}

type Part = InputSource | Contactdata;

interface Seen {
  listed: number;
  /** Number of rows, in all files, without an address, a domain or a phone number. */
  invalidRows: number;
}

/** Returns each argument as a file or as a contact. Refuses invalid contacts before any request. */
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
  session: StderrNotePrinter,
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
      await session.warn(`line ${line}: ${JSON.stringify(text.slice(0, 80))} ${NOT_A_CONTACT_MESSAGE}`);
    }
  }
}

async function look(client: Client, { kind, value }: Contactdata): Promise<JsonObject> {
  const [own] = await client.find(doNotContact, { contactdata: value });
  if (own) return { contactdata: value, listed: true, by: value, id: own['id'] ?? null };
  const domain = domainOf(value);
  const [whole] = kind === 'email' ? await client.find(doNotContact, { contactdata: domain }) : [];
  if (whole) return { contactdata: value, listed: true, by: domain, id: whole['id'] ?? null };
  return { contactdata: value, listed: false, by: null, id: null };
}

async function* counted(rows: AsyncIterable<JsonObject>, seen: Seen): AsyncGenerator<JsonObject> {
  for await (const row of rows) {
    if (row['listed'] === true) seen.listed += 1;
    yield row;
  }
}

/**
 * Runs `work` for several items in parallel and yields the results in the order of the items. Holds at most `maxHeld` results in memory.
 */
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
    if (waiting.length >= maxHeld) yield await (waiting.shift() as Promise<R>);
  }
  for (const each of waiting) yield await each;
}
