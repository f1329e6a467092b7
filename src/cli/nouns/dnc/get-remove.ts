/** Shows and removes single entries of Do Not Contact. */

import { ClientError } from '../../../client/errors.ts';
import { doNotContact } from '../../../resources/do-not-contact.ts';
import { readIdText } from '../../../schema/integer.ts';
import type { Parsed } from '../../../schema/parameter.ts';
import { type Contactdata, normaliseContactdata } from '../../../text/address.ts';
import type { Input, Positional, Verb } from '../../command/command.ts';
import { parsedFlag, textFlag } from '../../command/flag.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { confirmActionWithAccountShown, willAskUser } from '../../request/guards.ts';
import {
  parseRecordId,
  readRecordById,
  recordNotFoundError,
  resolveRecord,
} from '../../request/references.ts';
import {
  createOutcomeFromRecord,
  createTextLinesOutcome,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';

const namedFlag = textFlag('contactdata', {
  describe: 'Address, domain or phone number',
  value: 'text',
  group: 'Attributes',
});
const idFlag = parsedFlag('id', { describe: 'Id of the entry', value: 'n', group: 'Attributes' }, idIn);

const ADDRESS: Positional = {
  name: 'address',
  attribute: 'contactdata',
  describe: 'Address, domain, phone number or id',
  optional: true,
};

export const dncRemove: Verb = {
  name: 'remove',
  summary: 'Remove a Do Not Contact entry by value or --id',
  about: 'Removing an entry does not restore the subscribers that the service deleted when you added it',
  work: 'changes',
  methods: ['DELETE'],
  example: 'dnc remove no.thanks@example.org --yes',
  positionals: [ADDRESS],
  flags: [namedFlag, idFlag],
  companies: 'writes',
  run: async (session, input) => {
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
    if (await shouldSummarizeWriteInOneLine(session))
      return createTextLinesOutcome(session, `Removed ${value} from Do Not Contact.`);
    await session.info(`removed ${value} from Do Not Contact`);
    return createOutcomeFromRecord(doNotContact, { [attribute]: value });
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

/** Returns the entry's description for a confirmation. Sends no request with --yes, because no question is asked. */
async function titleOfEntry(session: Session, id: number | bigint): Promise<string> {
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
  throw new InvalidInputError([
    {
      attribute: 'contactdata',
      value: text,
      reason: 'must be an e-mail address, a domain name or a phone number',
    },
  ]);
}

function oneOfBoth(input: Input): string | undefined {
  const [positional] = input.positionals;
  const flag = input.get(namedFlag);
  if (positional !== undefined && flag !== undefined)
    throw new UsageError('cannot combine --contactdata with an argument');
  return positional ?? flag;
}

function readTarget(input: Input): { readonly id: number | bigint } | { readonly contactdata: string } {
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

function idIn(text: string): Parsed<number | bigint> {
  const id = readIdText(text);
  return id === undefined ? { fault: { reason: 'is not a whole number' } } : { value: id };
}
