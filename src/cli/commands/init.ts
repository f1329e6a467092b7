/** `svc init`: first-time setup, by questions; what flags and environment answer is not asked. */
import type { Profile } from '../../profiles/profile.ts';
import type { Verb } from '../command/command.ts';
import { whyNotAsked } from '../request/guards.ts';
import type { Session } from '../session/session.ts';
import { checkCredentials, type Learnt, notSaved } from './credential-check.ts';
import { type GivenAnswers, givenAnswers, takenWords, wholeProfile } from './given-answers.ts';
import { askName, askProfile, usualName } from './init-questions.ts';
import { namingGiven } from './naming-flag.ts';
import {
  ADD_FLAGS,
  checked,
  checkNewName,
  defaultIn,
  defaultInWords,
  noCheckFlag,
  replaceFlag,
} from './new-profile.ts';

export const init: Verb = {
  name: 'init',
  summary: 'Set up a profile, and check it',
  about:
    'Asks for the address of the service, the kind of credentials, ids and the key, and checks the address and the key as ' +
    'they come: what is wrong is asked again. What flags and environment say is not asked; --profile names the profile. ' +
    'With --api-key-stdin, --no-input or without a terminal it asks nothing, and names all that is missing. ' +
    'The first profile is the default one; of another it asks',
  example: 'init --base-url https://api.example.com',
  flags: ADD_FLAGS,
  run: async (session, input) => {
    const store = await session.store();
    const { profiles, defaultName } = await store.list();
    const given = givenAnswers(session, input);
    const naming = await namingGiven(session, input);
    const check = !input.get(noCheckFlag) && !session.globals.dryRun;
    const replace = input.get(replaceFlag);
    const whyNot = given.isKeyOnStdin ? 'standard input is for the key' : whyNotAsked(session);
    let profile: Profile;
    if (whyNot === undefined) {
      const nameless = await askProfile(session, { given, check, naming });
      const name = await askName(session, given, { kind: nameless.kind, profiles, replace });
      profile = checked({ name, ...nameless });
    } else {
      const name = given.name?.value ?? usualName(given.kind ?? 'company');
      profile = { ...(await wholeProfile(session, given, name, whyNot)), ...naming };
      checkNewName(name, profiles, replace, 'name another one by --profile');
      checked(profile);
      if (check) profile = { ...profile, ...(await assertKnown(session, given, profile)) };
    }
    const { name } = profile;
    const mayAsk = whyNot === undefined && profiles.length > 0 && name !== defaultName;
    const makeDefault =
      defaultIn(input) ?? (mayAsk ? await askDefault(session, name, defaultName) : profiles.length === 0);
    const nowDefault = makeDefault ? name : defaultName;
    await store.save(profile, { makeDefault });
    const steps = nextSteps(session, profile, nowDefault === name).map((step) => `\n  ${step}`);
    await session.warn(`Saved profile ${name} in ${store.path}; ${defaultInWords(name, nowDefault)}.`);
    for (const line of overriding(session, profile)) await session.warn(line);
    await session.warn(`Try next:${steps.join('')}`);
    return { result: { kind: 'nothing' } };
  },
};

async function assertKnown(session: Session, given: GivenAnswers, profile: Profile): Promise<Learnt> {
  const taken = takenWords(given);
  if (taken !== undefined) await session.info(taken);
  const found = await checkCredentials(session, profile);
  if (!found.isKnown) throw notSaved(found);
  await session.info(`checked: ${found.who}`);
  return found.learnt;
}

/** Another default profile would send what is meant for one account to another: it is never changed unasked. */
function askDefault(session: Session, name: string, defaultName: string | undefined): Promise<boolean> {
  const instead = defaultName === undefined ? '' : ` instead of ${defaultName}`;
  return session.context.prompter.confirm(`Make ${name} the default profile${instead}?`, false);
}

/** Commands that work as they stand. */
function nextSteps(session: Session, profile: Profile, isDefault: boolean): readonly string[] {
  const isChosen = isDefault && variablesSet(session).length === 0;
  const svc = isChosen ? 'svc' : `svc --profile ${profile.name}`;
  const words = profile.companyId === undefined ? STEPS_OF_PARTNER : STEPS_OF_COMPANY;
  return words.map((step) => `${svc} ${step}`);
}

const STEPS_OF_COMPANY = ['doctor', 'account get', 'folder list'];
/** Without a company there is nothing that a partner may read. */
const STEPS_OF_PARTNER = ['doctor', 'profile show', 'account create --help'];

/** What of the environment wins over a profile, or chooses another one. */
const variablesSet = ({ context: { env } }: Session): readonly string[] =>
  ['SVC_PROFILE', ...Object.keys(OWN_VALUE)].filter((name) => env[name]);

const OWN_VALUE: Readonly<Record<string, (profile: Profile) => string | number | undefined>> = {
  SVC_BASE_URL: ({ baseUrl }) => baseUrl,
  SVC_COMPANY_ID: ({ companyId }) => companyId,
  SVC_USER_ID: ({ userId }) => userId,
  SVC_API_KEY: ({ apiKey }) => apiKey,
  SVC_PARTNER_ID: ({ partnerId }) => partnerId,
  SVC_PARTNER_API_KEY: ({ apiKey }) => apiKey,
};

const OF_OTHER_KIND: Readonly<Record<Profile['kind'], readonly string[]>> = {
  company: ['SVC_PARTNER_ID', 'SVC_PARTNER_API_KEY'],
  partner: ['SVC_API_KEY'],
};

/** A variable that says otherwise wins over the profile in every run (contract, "Global flags"). */
function overriding({ context: { env } }: Session, profile: Profile): readonly string[] {
  const names = Object.entries(OWN_VALUE).flatMap(([name, own]) => {
    const value = env[name];
    if (!value || OF_OTHER_KIND[profile.kind].includes(name)) return [];
    return value === String(own(profile)) ? [] : [name];
  });
  if (names.length === 0) return [];
  return [`The environment says otherwise, and wins over the profile: unset ${names.join(' ')}`];
}
