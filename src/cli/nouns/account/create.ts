import { titleOf } from '../../../client/requests/record-title.ts';
import { readIdText } from '../../../kit/schema/integer.ts';
import { isRequired, sayReason } from '../../../kit/schema/reason.ts';
import type { Finding, Values } from '../../../kit/schema/resource.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import { type AccountRecord, account } from '../../../service/resources/account.ts';
import { user } from '../../../service/resources/user.ts';
import type { Input, Verb } from '../../command/command.ts';
import { switchFlag, textFlag } from '../../command/flag.ts';
import { InvalidInputError } from '../../errors/errors.ts';
import { finishRequestBody, readBody } from '../../request/body.ts';
import { canAskUser } from '../../request/guards.ts';
import { readText } from '../../request/input-text.ts';
import { readRecordId } from '../../request/references.ts';
import {
  createOutcomeFromRecord,
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import type { Commands, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { createVerbToCreateRecord, sendCreateRequest } from '../generic/write.ts';

const question = (
  attribute: 'username' | 'firstname' | 'lastname' | 'email',
  text: string,
  value = 'name',
) => ({
  attribute,
  text,
  flag: textFlag(`admin-${attribute}`, { describe: `First user: ${text.toLowerCase()}`, value }),
});

/** Asked in this order. */
const QUESTIONS = [
  question('username', 'Login name'),
  question('firstname', 'First name'),
  question('lastname', 'Last name'),
  question('email', 'E-mail address', 'email'),
];
const FLAGS = QUESTIONS.map(({ flag }) => flag);
type Attribute = (typeof QUESTIONS)[number]['attribute'];
type Answers = { [A in Attribute | 'password']?: string | null };
const passwordFlag = switchFlag('admin-password-stdin', {
  describe: 'First user: read the password from standard input',
});
const noAdminFlag = switchFlag('no-admin', { describe: 'Do not offer to create the first user' });

const generic = createVerbToCreateRecord(account);

/** Also adds the company to the roster of a partner profile, and creates its first user. */
export const accountCreate: Verb = {
  ...generic,
  about:
    'Also adds the new company to the company list of your profile. The first user of a company must be its admin. On a terminal, svc asks for the details of that user. Without a terminal, use the --admin-… flags, or run svc user create --isadmin later',
  flags: [...generic.flags, ...FLAGS, passwordFlag, noAdminFlag],
  companies: undefined,
  needsNoCompany: true,
  run: async (session, input) => {
    const draft = await readBody(session, account, 'POST', input);
    const body = await finishRequestBody(session, account, 'POST', draft);
    const firstUserValues = await prepareFirstUserValues(session, input);
    const record = await sendCreateRequest(session, account, body);
    const id = readIdText(String(readRecordId(record))) ?? 0;
    const title = titleOfCompany(id, record);
    const roster = await addToRoster(session, id, record);
    const userTitle = await makeUser(session, id, () => firstUserValues(title));
    if (!(await shouldSummarizeWriteInOneLine(session))) return createOutcomeFromRecord(account, record);
    const withUser = userTitle === undefined ? '' : ` with its admin, ${userTitle}`;
    const inRoster = roster === undefined ? '' : `, and added it to the ${roster}`;
    const next = userTitle === undefined ? `svc user create --company ${id} --isadmin --help` : undefined;
    return createTextLinesOutcome(session, `Created ${title}${withUser}${inRoster}.`, next);
  },
};

const titleOfCompany = (id: AccountId, { name }: AccountRecord): string => `company ${id} (${String(name)})`;

/** Returns what to call the roster, if there is one. A failed write only warns, because the account exists. */
async function addToRoster(
  session: Invocation & Tell & Profiles,
  id: AccountId,
  record: AccountRecord,
): Promise<string | undefined> {
  const [{ withProfileCompanies }, { isAccountId }] = await Promise.all([
    import('../../../client/profiles/roster.ts'),
    import('../../../client/profiles/errors.ts'),
  ]);
  const { profile } = await session.resolved();
  if (profile === undefined || !isAccountId(id)) return undefined;
  const title = titleOfCompany(id, record);
  const roster = `company list of profile ${profile.name}`;
  try {
    const company = { id, name: String(record.name), tags: [], note: null };
    await (await session.store()).change(profile.name, `add ${title} to the ${roster}`, (each) =>
      withProfileCompanies(each, [company]),
    );
    await printNoteAboutWrite(session, `added ${title} to the ${roster}`);
    return roster;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await session.warn(
      `created ${title}, but cannot add it to the company list of the profile: ${why}; to add it, run svc company add ${id}`,
    );
    return undefined;
  }
}

/** Returns the title of the user, or undefined without one. */
async function makeUser(
  session: Invocation & Tell & Commands,
  company: AccountId,
  ask: () => Promise<Values | undefined>,
): Promise<string | undefined> {
  const later = `run svc user create --company ${company} --isadmin … to create its first user`;
  try {
    const values = await ask();
    if (values === undefined) {
      await printNoteAboutWrite(session, later);
      return undefined;
    }
    const client = await session.actingFor(company).client();
    const title = titleOf(user, await client.create(user, values));
    await printNoteAboutWrite(session, `created ${title}, the admin`);
    return title;
  } catch (error) {
    await session.warn(`created company ${company}, but not its first user: ${later}`).catch(() => undefined);
    throw error;
  }
}

const MAX_OCTETS = 4096;

/**
 * Checks the flags before the account is created. Returns a function that asks for missing values after the
 * account exists; undefined if svc is not to create a user.
 * @throws InvalidInputError for invalid values, and for missing values if svc cannot ask a person
 */
async function prepareFirstUserValues(
  session: Invocation & Tell & Profiles,
  input: Input,
): Promise<(company: string) => Promise<Values | undefined>> {
  const isNamed = [...FLAGS, passwordFlag].some((flag) => input.has(flag));
  const mayAsk = canAskUser(session);
  const given: Answers = {};
  for (const { attribute, flag } of QUESTIONS) {
    const text = input.get(flag);
    if (text !== undefined) given[attribute] = text;
  }
  if (input.get(passwordFlag)) {
    given.password = (await readText(session.context, '-', MAX_OCTETS)).replace(/\r?\n$/, '');
    session.hide([given.password]);
  }
  if (isNamed) {
    const missing = QUESTIONS.map(({ attribute }) => attribute).filter((each) => given[each] === undefined);
    await checkGivenAttributes(given, mayAsk ? missing : []);
    return async () =>
      missing.length > 0 || (mayAsk && given.password === undefined)
        ? askForUser(session, given)
        : bodyOf(given);
  }
  // svc offers to create the user only if a profile is used, because its roster lists the new account. `--yes` skips the question.
  const isOffered =
    mayAsk &&
    !input.get(noAdminFlag) &&
    !session.globals.yes &&
    !session.globals.dryRun &&
    (await session.resolved()).profile !== undefined;
  return async (company) => {
    if (!isOffered) return undefined;
    const offer = `Create the admin (the first user) of ${company} now?`;
    return (await session.context.prompter.confirm(offer, true)) ? askForUser(session, {}) : undefined;
  };
}

/** `optionalAttributes` may be missing, because svc asks for them later. */
async function checkGivenAttributes(given: Answers, optionalAttributes: readonly string[]): Promise<void> {
  const { checkPayload } = await import('../../../kit/schema/validator.ts');
  const { findings } = checkPayload(user, 'POST', 'partner', { password: null, ...given, isadmin: true });
  const reported = findings
    .filter(({ attribute, reason }) => !(optionalAttributes.includes(attribute) && isRequired(reason)))
    .map((finding): Finding => ({ ...finding, attribute: `admin_${finding.attribute}` }));
  if (reported.length > 0) throw new InvalidInputError(reported);
}

async function askForUser(session: Invocation & Tell, given: Answers): Promise<Values> {
  const { prompter } = session.context;
  const { checkValue } = await import('../../../kit/schema/validator.ts');
  const problemIn = (attribute: Attribute | 'password') => (text: string) => {
    const checked = checkValue(attribute, user.fields[attribute], text);
    return 'finding' in checked ? sayReason(checked.finding.reason) : undefined;
  };
  const answers = { ...given };
  for (const { attribute, text } of QUESTIONS)
    answers[attribute] ??= await prompter.input(text, { check: problemIn(attribute) });
  if (answers.password === undefined) {
    const password = await prompter.password(
      'Password (hidden): at least 7 characters, letters and numbers',
      { check: problemIn('password') },
    );
    session.hide([password]);
    answers.password = password;
  }
  return bodyOf(answers);
}

/** The first user of an account must be an admin, and a password may be null (interface, "user", POST). */
const bodyOf = (given: Answers): Values => ({ password: null, ...given, isadmin: true });
