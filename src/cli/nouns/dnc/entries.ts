/** The service deletes the subscribers that match a new entry. */

import { ClientError, isRefusalOfRecord } from '../../../client/requests/errors.ts';
import { type Id, readIdText } from '../../../kit/schema/integer.ts';
import type { Finding, RecordOf } from '../../../kit/schema/resource.ts';
import { type Contactdata, isNationalNumber, normaliseContactdata } from '../../../kit/text/address.ts';
import { doNotContact } from '../../../service/resources/do-not-contact.ts';
import type { Input, Outcome, Positional, Verb } from '../../command/command.ts';
import { fileFlag, parsedFlag, switchFlag, textFlag } from '../../command/flag.ts';
import { companiesConflictError, InvalidInputError, ItemError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { columnsOfResource } from '../../output/columns.ts';
import {
  confirmActionWithAccountShown,
  confirmByTypingWithAccountShown,
  willAskUser,
} from '../../request/guards.ts';
import {
  parseRecordId,
  readRecordById,
  recordNotFoundError,
  resolveRecord,
} from '../../request/references.ts';
import {
  createLineOrRecordOutcome,
  createOutcomeFromRecord,
  printNoteAboutWrite,
} from '../../request/write-outcome.ts';
import { DryRunEndedError } from '../../session/dry-run.ts';
import type { Invocation, Notes, ServiceAccess, Tell } from '../../session/ports.ts';

const ADDRESS: Positional = {
  name: 'address',
  attribute: 'contactdata',
  describe: 'Address, domain, phone number or id',
  optional: true,
};

export const allowAddingWholeDomainsFlag = switchFlag('domain-ok', {
  describe: 'Allow --yes to add a whole domain, such as example.com, to Do Not Contact',
});

const contactFlag = (describe: string) =>
  textFlag('contactdata', { describe, value: 'text', group: 'Attributes' });
const addedFlag = contactFlag('E-mail address, domain or phone number');
const namedFlag = contactFlag('Address, domain or phone number');

export const dncAdd: Verb = {
  name: 'add',
  summary: 'Add addresses, domains or numbers to Do Not Contact',
  about: 'The service deletes all matching subscribers. To add a file, use svc dnc import',
  work: 'creates',
  does: 'removes',
  asks: true,
  exits: { 8: 'some were refused' },
  methods: ['POST'],
  example: 'dnc add someone@example.com --yes',
  positionals: [{ ...ADDRESS, describe: 'E-mail addresses, domains or phone numbers', variadic: true }],
  flags: [addedFlag, allowAddingWholeDomainsFlag],
  companies: 'writes',
  run: async (session, input) => {
    const contacts = readContacts(input);
    await confirmAdditions(session, input, contacts);
    const [only, ...others] = contacts;
    if (only === undefined || others.length > 0) return addAll(session, contacts);
    const record = await add(session, only);
    return createLineOrRecordOutcome(session, `Added ${only.value} to Do Not Contact.`, doNotContact, record);
  },
};

async function add(session: ServiceAccess, { value }: Contactdata) {
  return (await session.client()).create(doNotContact, { contactdata: value });
}

/** Continues after a contact that the service rejects. Any other error ends the run. */
async function addAll(session: Tell & ServiceAccess, contacts: readonly Contactdata[]): Promise<Outcome> {
  const rows: RecordOf<typeof doNotContact>[] = [];
  const refusals: unknown[] = [];
  for (const [index, contact] of contacts.entries()) {
    try {
      rows.push(await add(session, contact));
    } catch (error) {
      if (error instanceof DryRunEndedError) continue;
      const isRefusal = isRefusalOfRecord(error);
      if (!isRefusal && rows.length + refusals.length > 0) await warnNotSent(session, contacts.slice(index));
      if (!isRefusal) throw error;
      refusals.push(error);
      await session.report(new ItemError(contact.value, { cause: error }));
    }
  }
  if (rows.length === 0 && refusals.length > 0) throw refusals[0];
  return {
    result: { kind: 'rows', rows, ...columnsOfResource(doNotContact), empty: 'Nothing was added.' },
    exit: refusals.length > 0 ? EXIT.partial : EXIT.done,
  };
}

const warnNotSent = (session: Notes, [first, ...others]: readonly Contactdata[]): Promise<void> =>
  session.warn(
    `stopped at ${first?.value ?? ''}; entries not sent: ${others.length === 0 ? 'none' : others.map(({ value }) => value).join(', ')}`,
  );

/** To add a whole domain, the user must type its name (contract, "Safety"). */
async function confirmAdditions(
  session: Invocation & ServiceAccess,
  input: Input,
  contacts: readonly Contactdata[],
): Promise<void> {
  const domains = contacts.filter(({ kind }) => kind === 'domain').map(({ value }) => value);
  const single = contacts.filter(({ kind }) => kind !== 'domain').map(({ value }) => value);
  for (const domain of domains) {
    const action = `add all of ${domain} to Do Not Contact and delete its subscribers`;
    await confirmByTypingWithAccountShown(session, action, domain, {
      flag: '--domain-ok',
      given: input.get(allowAddingWholeDomainsFlag),
    });
  }
  if (single.length === 0) return;
  const names = single.length <= MAX_NAMED ? single.join(', ') : `${single.length} addresses and numbers`;
  await confirmActionWithAccountShown(
    session,
    `add ${names} to Do Not Contact and delete matching subscribers`,
  );
}

const MAX_NAMED = 5;

/** Reports all faults together. */
function readContacts(input: Input): readonly Contactdata[] {
  const flag = input.get(addedFlag);
  const texts = [...input.positionals, ...(flag === undefined ? [] : [flag])];
  if (input.positionals.length > 0 && flag !== undefined)
    throw new UsageError('cannot combine --contactdata with an argument');
  if (texts.length === 0)
    throw new UsageError('no address, domain or phone number was given', { hint: 'run svc dnc add ADDRESS' });
  const contacts = new Map<string, Contactdata>();
  const findings: Finding[] = [];
  for (const text of texts) {
    const contact = normaliseContactdata(text);
    if (contact) contacts.set(contact.value, contact);
    else findings.push(invalidContact(text));
  }
  if (findings.length > 0) throw new InvalidInputError(findings);
  return [...contacts.values()];
}

const invalidContact = (value: string): Finding => ({
  attribute: 'contactdata',
  value,
  ...(isNationalNumber(value)
    ? {
        reason: 'is a phone number without its country code',
        instead: 'write the country code instead of the 0, as in 447700900123',
      }
    : { reason: 'must be an e-mail address, a domain name or a phone number' }),
});

const idFlag = parsedFlag<Id>(
  'id',
  { describe: 'Id of the entry', value: 'n', group: 'Attributes' },
  (text) => {
    const id = readIdText(text);
    return id === undefined ? { fault: { reason: 'is not a whole number' } } : { value: id };
  },
);

const removedFileFlag = fileFlag('file', {
  describe: 'Remove the entries of all rows of a CSV or TSV file, or of - (stdin)',
});

export const contactColumnFlag = textFlag('column', {
  describe: 'Column to read, by name or number',
  value: 'name',
  defaultText: 'contactdata, email, domain, msisdn',
});

export const dncRemove: Verb = {
  name: 'remove',
  summary: 'Remove a Do Not Contact entry, or those of a file',
  about:
    'Removing an entry does not restore the subscribers that the service deleted when you added it. To take back an import, use svc undo: it keeps the entries that existed before',
  work: 'changes',
  exits: { 8: 'rows failed', 10: 'outcome of rows unknown' },
  methods: ['DELETE'],
  example: 'dnc remove no.thanks@example.org --yes',
  positionals: [ADDRESS],
  flags: [namedFlag, idFlag, removedFileFlag, contactColumnFlag],
  companies: 'writes',
  run: async (session, input) => {
    const file = input.get(removedFileFlag);
    if (file !== undefined) {
      if (session.globals.companies !== undefined) throw companiesConflictError(removedFileFlag.name);
      if (input.get(idFlag) !== undefined || oneOfBoth(input) !== undefined)
        throw new UsageError('cannot combine --file with an entry');
      const { removeContacts } = await import('./remove-contacts.ts');
      return removeContacts(session, input, file, { column: input.get(contactColumnFlag) });
    }
    const by = readTarget(input);
    const [attribute, value] = 'id' in by ? ['id', by.id] : ['contactdata', by.contactdata];
    const entry = 'id' in by ? await titleOfEntry(session, by.id) : value;
    await confirmActionWithAccountShown(
      session,
      `remove ${entry} from Do Not Contact, so that it can receive messages again`,
    );
    const client = await session.client();
    await client.remove(doNotContact, by).catch((error: unknown) => {
      throw error instanceof ClientError && error.status === 404
        ? recordNotFoundError(doNotContact, String(value), error)
        : error;
    });
    await printNoteAboutWrite(session, `removed ${value} from Do Not Contact`);
    const line = `Removed ${value} from Do Not Contact.`;
    return createLineOrRecordOutcome(session, line, doNotContact, { [attribute]: value });
  },
};

export const dncGet: Verb = {
  name: 'get',
  summary: 'Show a Do Not Contact entry by value or --id',
  work: 'finds',
  methods: ['GET'],
  example: 'dnc get no.thanks@example.org',
  positionals: [ADDRESS],
  flags: [idFlag],
  companies: 'reads',
  run: async (session, input) => {
    const id = input.get(idFlag);
    const [text] = input.positionals;
    if (id !== undefined && text === undefined)
      return createOutcomeFromRecord(doNotContact, await readRecordById(session, doNotContact, id));
    if (text === undefined || id !== undefined)
      throw new UsageError('give an address, a domain or a phone number, or --id');
    return createOutcomeFromRecord(doNotContact, await resolveRecord(session, doNotContact, text));
  },
};

/** Sends no request with --yes, because no question is asked. */
async function titleOfEntry(session: Invocation & ServiceAccess, id: Id): Promise<string> {
  if (!willAskUser(session)) return `entry ${id}`;
  const { contactdata } = await readRecordById(session, doNotContact, id);
  return `${String(contactdata)} (entry ${id})`;
}

function readContact(input: Input): Contactdata {
  const text = oneOfBoth(input);
  const contact = text === undefined ? undefined : normaliseContactdata(text);
  if (contact) return contact;
  if (text === undefined)
    throw new UsageError('no address, domain or phone number was given', {
      hint: 'run svc dnc list to see the entries',
    });
  throw new InvalidInputError([invalidContact(text)]);
}

function oneOfBoth(input: Input): string | undefined {
  const [positional] = input.positionals;
  const flag = input.get(namedFlag);
  if (positional !== undefined && flag !== undefined)
    throw new UsageError('cannot combine --contactdata with an argument');
  return positional ?? flag;
}

function readTarget(input: Input): { readonly id: Id } | { readonly contactdata: string } {
  const id = input.get(idFlag);
  if (id !== undefined) {
    if (oneOfBoth(input) !== undefined) throw new UsageError('cannot combine --contactdata with --id');
    return { id };
  }
  // A bare whole number of fewer than 7 digits can only be an entry's id (contract, "Numbers, ids and names, once more").
  const [text] = input.positionals;
  const bare = text === undefined ? undefined : parseRecordId(doNotContact, text);
  if (typeof bare === 'number' && input.get(namedFlag) === undefined) return { id: bare };
  return { contactdata: readContact(input).value };
}
