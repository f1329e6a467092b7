import type { JsonObject } from '../../protocol/envelope.ts';
import { doNotContact } from '../../resources/do-not-contact.ts';
import type { Finding } from '../../schema/resource.ts';
import { type Contactdata, domainOf, normaliseContactdata } from '../../text/address.ts';
import { faulty } from '../body.ts';
import { EXIT } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';

/** An address is blocked by its own entry, or by one of its domain. */
export const dncCheck: Verb = {
  name: 'check',
  summary: 'Say whether addresses, domains or numbers are listed; exit 4 if none is',
  example: 'dnc check someone@example.com 447700900123',
  positionals: [{ name: 'value', describe: 'An e-mail address, a domain or a number', variadic: true }],
  flags: [],
  run: async (session, { positionals }) => {
    const contacts = readContacts(positionals);
    const rows: JsonObject[] = [];
    for (const contact of contacts) rows.push(await look(session, contact));
    const columns = ['contactdata', 'listed', 'by', 'id'].map((name) => ({ name }));
    return {
      result: { kind: 'rows', rows, columns, empty: 'Nothing to check.' },
      exit: rows.some((row) => row['listed']) ? EXIT.done : EXIT.notFound,
    };
  },
};

async function look(session: Session, { kind, value }: Contactdata): Promise<JsonObject> {
  const client = await session.client();
  const [own] = await client.find(doNotContact, { contactdata: value });
  if (own) return { contactdata: value, listed: true, by: value, id: own['id'] ?? null };
  const domain = domainOf(value);
  const [whole] = kind === 'email' ? await client.find(doNotContact, { contactdata: domain }) : [];
  if (whole) return { contactdata: value, listed: true, by: domain, id: whole['id'] ?? null };
  return { contactdata: value, listed: false, by: null, id: null };
}

function readContacts(texts: readonly string[]): readonly Contactdata[] {
  const contacts: Contactdata[] = [];
  const findings: Finding[] = [];
  for (const text of texts) {
    const contact = normaliseContactdata(text);
    if (contact) contacts.push(contact);
    else
      findings.push({
        attribute: 'contactdata',
        value: text,
        reason: 'must be an e-mail address, a domain name or a number',
      });
  }
  if (findings.length > 0) throw faulty(findings);
  return contacts;
}
