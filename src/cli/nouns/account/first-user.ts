/** Creates the first user of a new account, who is an admin (interface, "user": only a partner can create the first user). */

import { user } from '../../../resources/user.ts';
import type { Finding, Values } from '../../../schema/resource.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import type { Input } from '../../command/command.ts';
import { type Flag, switchFlag, textFlag } from '../../command/flag.ts';
import { InvalidInputError } from '../../errors/errors.ts';
import { canAskUser } from '../../request/guards.ts';
import { readText } from '../../request/input-text.ts';
import type { Session } from '../../session/session.ts';

/** Attributes in the order in which they are asked for. */
const ATTRIBUTES = ['username', 'firstname', 'lastname', 'email'] as const;
type Attribute = (typeof ATTRIBUTES)[number];

const flagOf = (attribute: Attribute, what: string, value: string): Flag<string | undefined> =>
  textFlag(`admin-${attribute}`, { describe: what, value });

const FLAGS: Readonly<Record<Attribute, Flag<string | undefined>>> = {
  username: flagOf('username', 'First user: login name', 'name'),
  firstname: flagOf('firstname', 'First user: first name', 'name'),
  lastname: flagOf('lastname', 'First user: last name', 'name'),
  email: flagOf('email', 'First user: e-mail address', 'email'),
};
const passwordFlag = switchFlag('admin-password-stdin', {
  describe: 'First user: read the password from standard input',
});
const noAdminFlag = switchFlag('no-admin', { describe: 'Do not offer to create the first user' });

export const firstUserFlags = [...Object.values(FLAGS), passwordFlag, noAdminFlag];

export interface FirstUserValuesReader {
  /**
   * Returns the user's attributes, and asks for missing attributes. Returns undefined if svc is not to create a user. @param company the
   * company as text, such as `company 12 (Example Ltd)`
   */
  readonly readValues: (company: string) => Promise<Values | undefined>;
}

const MAX_OCTETS = 4096;

/**
 * Reads and checks the flags before the account is created. Asks for missing values after the account exists.
 * @throws InvalidInputError for invalid values, and for missing values if svc cannot ask a person
 */
export async function prepareFirstUserValues(session: Session, input: Input): Promise<FirstUserValuesReader> {
  const isNamed = [...Object.values(FLAGS), passwordFlag].some((flag) => input.has(flag));
  const mayAsk = canAskUser(session);
  const given: Record<string, string | null> = {};
  for (const attribute of ATTRIBUTES) {
    const text = input.get(FLAGS[attribute]);
    if (text !== undefined) given[attribute] = text;
  }
  if (input.get(passwordFlag)) {
    given['password'] = (await readText(session.context, '-', MAX_OCTETS)).replace(/\r?\n$/, '');
    session.hide([given['password']]);
  }
  if (isNamed) {
    const missing = ATTRIBUTES.filter((attribute) => given[attribute] === undefined);
    await checkGivenAttributes(given, mayAsk ? missing : []);
    return {
      readValues: async () =>
        missing.length > 0 || (mayAsk && given['password'] === undefined)
          ? askForUser(session, given)
          : bodyOf(given),
    };
  }
  // svc offers to create the user only if a profile is used, because its roster lists the new account. `--yes` skips the question.
  const isOffered =
    mayAsk &&
    !input.get(noAdminFlag) &&
    !session.globals.yes &&
    !session.globals.dryRun &&
    (await session.resolved()).profile !== undefined;
  return {
    readValues: async (company) => {
      if (!isOffered) return undefined;
      const question = escapeForTerminal(`Create the admin (the first user) of ${company} now?`);
      return (await session.context.prompter.confirm(question, true)) ? askForUser(session, {}) : undefined;
    },
  };
}

/** Checks the given values of the user. @param optionalAttributes attributes that may be missing, because svc asks for them later */
async function checkGivenAttributes(
  given: Readonly<Record<string, unknown>>,
  optionalAttributes: readonly string[],
): Promise<void> {
  const { checkPayload } = await import('../../../schema/validator.ts');
  const { findings } = checkPayload(user, 'POST', 'partner', { password: null, ...given, isadmin: true });
  const reported = findings
    .filter(({ attribute, reason }) => !(optionalAttributes.includes(attribute) && reason === 'is required'))
    .map((finding): Finding => ({ ...finding, attribute: `admin_${finding.attribute}` }));
  if (reported.length > 0) throw new InvalidInputError(reported);
}

async function askForUser(session: Session, given: Readonly<Record<string, string | null>>): Promise<Values> {
  const { prompter } = session.context;
  const { checkValue } = await import('../../../schema/validator.ts');
  const problemIn = (attribute: Attribute | 'password') => (text: string) => {
    const checked = checkValue(attribute, user.fields[attribute], text);
    return 'finding' in checked ? checked.finding.reason : undefined;
  };
  const answers: Record<string, string | null> = { ...given };
  for (const attribute of ATTRIBUTES) {
    answers[attribute] ??= await prompter.input(QUESTIONS[attribute], { check: problemIn(attribute) });
  }
  if (answers['password'] === undefined) {
    const password = await prompter.password(
      'Password (hidden): at least 7 characters, letters and numbers',
      {
        check: problemIn('password'),
      },
    );
    session.hide([password]);
    answers['password'] = password;
  }
  return bodyOf(answers);
}

const QUESTIONS: Readonly<Record<Attribute, string>> = {
  username: 'Login name',
  firstname: 'First name',
  lastname: 'Last name',
  email: 'E-mail address',
};

/** Returns the body of the POST (interface, "user", POST): the first user of an account must be an admin; a password may be null. */
const bodyOf = (given: Readonly<Record<string, string | null>>): Values => ({
  password: null,
  ...given,
  isadmin: true,
});
