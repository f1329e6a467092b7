/** Asks the questions of `svc init`. After an invalid answer, asks again and offers the previous answer as the default. */

import type { Profile } from '../../client/profiles/profile.ts';
import { capitalizeFirstLetter } from '../../kit/text/words.ts';
import { findApiKeyProblem } from '../../service/auth/credentials.ts';
import { UsageError } from '../errors/errors.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Commands, Invocation, Profiles, Tell } from '../session/ports.ts';
import { DEFAULT_SANDBOX_PORT, isSandboxProfile } from '../session/sandbox-start.ts';
import {
  describePresetProfileValues,
  type PresetProfileValues,
  selectIdsForPartnerProfile,
  selectPresetApiKey,
} from './given-answers.ts';
import {
  askAccountId,
  askApiKey,
  askBaseUrl,
  baseUrlProblem,
  checkNewProfileName,
  type ProfileSettings,
} from './new-profile.ts';
import { checkCredentials, explainUnusableServiceAddress, keyAcceptedText } from './profile-check.ts';

export interface ProfileSetupOptions {
  readonly given: PresetProfileValues;
  readonly checksWithService: boolean;
  readonly settings: ProfileSettings;
}

type ProfileTarget = 'service' | 'sandbox' | 'new-sandbox';

/** Called only if flags and environment give no address. */
export const askServiceOrSandbox = ({ context }: Invocation): Promise<ProfileTarget> =>
  context.prompter.select<ProfileTarget>('What do you want to connect to?', [
    { name: 'Use the service, which sends real messages', value: 'service' },
    { name: 'Create a sandbox with a demo company', value: 'new-sandbox' },
    { name: 'Use a sandbox that is running now', value: 'sandbox' },
  ]);

type Secret = Pick<Profile, 'apiKey' | 'keyCommand'>;
type Ids = Pick<Profile, 'companyId' | 'userId' | 'partnerId'>;

/** @param target undefined if flags or environment give the address */
export async function askProfileValues(
  session: Invocation & Tell & Profiles & Commands,
  target: Exclude<ProfileTarget, 'new-sandbox'> | undefined,
  { given, checksWithService, settings }: ProfileSetupOptions,
): Promise<Omit<Profile, 'name'>> {
  const taken = describePresetProfileValues(given);
  if (taken !== undefined) await session.info(taken);
  const offered = target === 'sandbox' ? await knownSandbox(session) : undefined;
  let baseUrl = await askAddress(session, given.baseUrl?.value, checksWithService, offered);
  const kind = given.kind ?? (await askKind(session));
  if (given.kind === undefined) await session.info(WHERE_FOUND[kind]);
  let ids = await askIds(session, kind, given, undefined);
  let secret = await askSecret(session, kind, given);
  for (;;) {
    const profile = { kind, baseUrl, ...ids, ...secret, ...settings };
    if (!checksWithService) return profile;
    const found = await checkCredentials(session, { name: 'new', ...profile });
    if (found.isAccepted) {
      await session.warn(`${capitalizeFirstLetter(keyAcceptedText(found.who))}.`);
      return { ...profile, ...found.learnedSettings };
    }
    await session.warn([`${capitalizeFirstLetter(found.message)}.`, ...found.advice]);
    if (!found.isRefused) {
      if (await session.context.prompter.confirm('Save the profile anyway?', false)) return profile;
      baseUrl = await askAddress(session, undefined, checksWithService, baseUrl);
      continue;
    }
    await session.info('To see the string that svc signs, run svc init --explain-signature.');
    // Most people paste another key now, so that the next question must not show what is typed.
    const key = secret.keyCommand === undefined ? await askKeyAgain(session, kind) : undefined;
    if (key !== undefined) secret = { apiKey: key };
    else if ((await askIdsOrSave(session)) === 'save') return profile;
    else {
      // The next questions are about the ids, so that nobody pastes the key again.
      if (secret.apiKey !== undefined) await session.info('svc keeps the API key that you gave.');
      ids = await askIds(session, kind, undefined, ids);
    }
  }
}

const WHERE_FOUND: Readonly<Record<Profile['kind'], string>> = {
  company:
    'Your partner, or the support of the service, gives you the ids of the company and the user, and the API key.',
  partner: 'The support of the service gives you the id of the partner and the API key.',
};

/** Asks no question if the address from a flag or the environment (`first`) is valid. */
async function askAddress(
  session: Invocation & Tell & Profiles,
  first: string | undefined,
  check: boolean,
  previousAnswer?: string,
): Promise<string> {
  let answer = first;
  let offered = previousAnswer;
  let tried: string | undefined;
  for (;;) {
    const baseUrl = answer ?? (await askBaseUrl(session, offered));
    const malformed = baseUrlProblem(baseUrl);
    const problem =
      malformed === undefined
        ? check
          ? await explainUnusableServiceAddress(session, baseUrl)
          : undefined
        : [`This is not a valid address: ${malformed}.`];
    if (problem === undefined) return baseUrl;
    await session.warn(tried === undefined ? [...problem, GIVE_UP] : problem);
    const isAgain = tried === baseUrl;
    if (isAgain && (await session.context.prompter.confirm('Continue with this address anyway?', false)))
      return baseUrl;
    tried = baseUrl;
    answer = undefined;
    if (malformed === undefined) offered = baseUrl;
  }
}

const GIVE_UP = 'Nothing is saved yet. To try this address again, press Enter. To stop, press Ctrl-C.';

/** Returns the address to offer, which is that of the default profile if it is a sandbox. */
async function knownSandbox(session: Tell & Profiles): Promise<string> {
  await session.warn([
    'svc sandbox start also creates the profile of its sandbox, so you do not need svc init.',
    'To add one more profile for the sandbox, you need an id and a key: run svc sandbox company list and svc sandbox company key ID.',
  ]);
  const { profiles, defaultName } = await (await session.store()).list();
  const known = profiles.filter(isSandboxProfile);
  return (known.find(({ name }) => name === defaultName) ?? known[0])?.baseUrl ?? USUAL_SANDBOX;
}

const USUAL_SANDBOX = `http://127.0.0.1:${DEFAULT_SANDBOX_PORT}`;

const askKind = ({ context }: Invocation): Promise<Profile['kind']> =>
  context.prompter.select<Profile['kind']>('Whose credentials are these?', [
    { name: 'Company credentials, with a user id and API key', value: 'company' },
    { name: 'Partner credentials, to manage companies', value: 'partner' },
  ]);

async function askIds(
  session: Invocation,
  kind: Profile['kind'],
  given: PresetProfileValues | undefined,
  previousAnswers: Ids | undefined,
): Promise<Ids> {
  if (kind === 'partner') {
    const partnerId =
      given?.partner?.value ?? (await askAccountId(session, 'partner', previousAnswers?.partnerId));
    return given === undefined
      ? { ...previousAnswers, partnerId }
      : { ...selectIdsForPartnerProfile(session, given), partnerId };
  }
  return {
    companyId: given?.company?.value ?? (await askAccountId(session, 'company', previousAnswers?.companyId)),
    userId: given?.user?.value ?? (await askAccountId(session, 'user', previousAnswers?.userId)),
  };
}

async function askSecret(
  session: Invocation & Tell,
  kind: Profile['kind'],
  given: PresetProfileValues,
): Promise<Secret> {
  if (given.keyCommand !== undefined) return { keyCommand: given.keyCommand };
  const key = selectPresetApiKey(given, kind);
  const problem = key && findApiKeyProblem(kind, key.value);
  if (problem !== undefined) await session.warn([`This key is not valid: ${problem} (${key?.source}).`]);
  const apiKey = key !== undefined && problem === undefined ? key.value : await askApiKey(session, kind);
  session.hide([apiKey]);
  return { apiKey };
}

/** Returns undefined for an empty answer. */
async function askKeyAgain(session: Invocation & Tell, kind: Profile['kind']): Promise<string | undefined> {
  const key = await session.context.prompter.password('API key (hidden; Enter alone shows other choices)', {
    check: (text) => (text === '' ? undefined : findApiKeyProblem(kind, text)),
  });
  session.hide([key].filter((each) => each !== ''));
  return key === '' ? undefined : key;
}

/** On most terminals, this question is a menu, which does not show pasted text. An API key that the user pastes here stays hidden. */
const askIdsOrSave = ({ context }: Invocation): Promise<'ids' | 'save'> =>
  context.prompter.select<'ids' | 'save'>('The service refuses these credentials. What do you want to do?', [
    { name: 'Enter the ids again', value: 'ids' },
    { name: 'Save the profile with these credentials', value: 'save' },
  ]);

/** Returns the given name if no profile has it, or the default name for the first profile, without a question. */
export async function chooseProfileName(
  session: Invocation & Tell,
  given: PresetProfileValues,
  kind: Profile['kind'],
  profiles: readonly Profile[],
  replace: boolean,
): Promise<string> {
  const problemWith = (text: string): string | undefined =>
    session.redact(text) === '[redacted]'
      ? 'this is the API key, not a name'
      : problemOf(() => checkNewProfileName(text, profiles, replace));
  const wanted = given.name?.value;
  const problem = wanted === undefined ? undefined : problemWith(wanted);
  if (wanted !== undefined && problem === undefined) return wanted;
  if (wanted === undefined && profiles.length === 0) return defaultProfileName(kind);
  if (problem !== undefined)
    await session.warn([`${capitalizeFirstLetter(problem)} (${given.name?.source}).`]);
  return session.context.prompter.input('Name of the profile', {
    default: freeName(profiles, defaultProfileName(kind)),
    check: problemWith,
  });
}

export const defaultProfileName = (kind: Profile['kind']): string =>
  kind === 'company' ? 'default' : 'partner';

function freeName(profiles: readonly Profile[], wanted: string): string {
  const taken = new Set(profiles.map((each) => each.name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

export async function printFailure(session: Tell, error: unknown): Promise<void> {
  const { message, hint } = explainError(error);
  await session.warn([
    `${capitalizeFirstLetter(message)}.`,
    ...(hint?.split('\n').map((each) => capitalizeFirstLetter(each)) ?? []),
  ]);
}
