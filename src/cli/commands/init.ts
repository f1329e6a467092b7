/** `svc init`: first-time setup, by questions. */

import { ClientError } from '../../client/errors.ts';
import type { Profile } from '../../profiles/profile.ts';
import { account } from '../../resources/account.ts';
import type { Verb } from '../command/command.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import { whyNotAsked } from '../request/guards.ts';
import { openSession, type Session } from '../session/session.ts';
import {
  askBaseUrl,
  askId,
  askKey,
  checked,
  checkNewName,
  DEFAULT_FLAGS,
  defaultIn,
  defaultInWords,
} from './new-profile.ts';

export const init: Verb = {
  name: 'init',
  summary: 'Set up a profile by questions, and check it',
  about:
    'Asks for the kind of credentials, the address of the service, ids and the key, sends one signed request, and saves. ' +
    'The first profile is the default one; of another it asks',
  example: 'init',
  flags: DEFAULT_FLAGS,
  run: async (session, input) => {
    const whyNot = whyNotAsked(session);
    if (whyNot !== undefined)
      throw new UsageError(`svc init asks questions, and ${whyNot}`, {
        hint: 'svc profile add NAME --base-url URL --company N --user N --api-key-stdin does the same without questions',
      });
    const { prompter } = session.context;
    const store = await session.store();
    const { profiles, defaultName } = await store.list();
    const kind = await prompter.select<Profile['kind']>('Whose credentials are these?', [
      { name: 'A company, with a user id', value: 'company' },
      { name: 'A partner who manages companies', value: 'partner' },
    ]);
    const baseUrl = session.globals.baseUrl ?? (await askBaseUrl(session));
    const ids =
      kind === 'company'
        ? { companyId: await askId(session, 'company'), userId: await askId(session, 'user') }
        : { partnerId: await askId(session, 'partner') };
    const apiKey = await askKey(session, input, kind);
    const name = await prompter.input('Name of the profile', {
      default: freeName(profiles, kind === 'company' ? 'default' : 'partner'),
      check: (text) => problemOf(() => checkNewName(text, profiles, false)),
    });
    const profile = checked({ name, kind, baseUrl, ...ids, apiKey });
    const known = await checkWithService(session, profile);
    await session.warn(known.words);
    const makeDefault =
      defaultIn(input) ?? (profiles.length === 0 || (await askDefault(session, name, defaultName)));
    await store.save({ ...profile, ...known.learnt }, { makeDefault });
    const words = defaultInWords(name, makeDefault ? name : defaultName);
    const steps = nextSteps(kind, makeDefault ? 'svc' : `svc --profile ${name}`);
    await session.warn(
      `Saved profile ${name} in ${store.path}; ${words}.\nTry next:\n  ${steps.join('\n  ')}`,
    );
    return { result: { kind: 'nothing' } };
  },
};

/** Another default profile would send what is meant for one account to another: it is never changed unasked. */
function askDefault(session: Session, name: string, defaultName: string | undefined): Promise<boolean> {
  const instead = defaultName === undefined ? '' : ` instead of ${defaultName}`;
  return session.context.prompter.confirm(`Make ${name} the default profile${instead}?`, false);
}

function nextSteps(kind: Profile['kind'], svc: string): readonly string[] {
  return kind === 'company'
    ? [
        `${svc} account get`,
        `${svc} folder list`,
        'svc demo                 a campaign in a sandbox, no real recipient',
      ]
    : [
        `${svc} features get --company N`,
        `${svc} account create --name … --contactemail …`,
        'svc profile set … company N',
      ];
}

interface Known {
  readonly words: string;
  /** What the profile keeps of it. */
  readonly learnt: Pick<Profile, 'companyZone'>;
}

/** One signed request. What the service calls the account, or that it took the signature. */
async function checkWithService(session: Session, profile: Profile): Promise<Known> {
  const trial = openSession(contextOf(session.context, profile), session.globals, { run: session.run });
  try {
    const client = await trial.client();
    if (profile.kind === 'company') {
      const { name, timezone } = await client.single(account);
      const learnt = typeof timezone === 'string' ? { companyZone: timezone } : {};
      return { words: `The service knows these credentials: ${name}.`, learnt };
    }
    const { status } = await client.raw({ method: 'GET', path: '/v1/account' });
    if (status === 401 || status === 403) throw refused(status);
    return { words: 'The service knows these credentials.', learnt: {} };
  } catch (error) {
    if (error instanceof ClientError && (error.status === 401 || error.status === 403))
      throw refused(error.status, error);
    throw error;
  } finally {
    await trial.close();
  }
}

// No second try on its own: users are locked after three failures in a row.
function refused(status: number, cause?: unknown): CliError {
  return new CliError('denied', `the service refused these credentials (${status}); nothing was saved`, {
    exit: EXIT.denied,
    hint: "check ids and key, and that this machine's clock is right, then run svc init again",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The same outside, but with these credentials and no others. */
function contextOf(context: Context, profile: Profile): Context {
  const { SVC_PROFILE: _, ...rest } = context.env;
  const own =
    profile.kind === 'company'
      ? {
          SVC_COMPANY_ID: String(profile.companyId),
          SVC_USER_ID: String(profile.userId),
          SVC_API_KEY: profile.apiKey,
          SVC_PARTNER_ID: undefined,
          SVC_PARTNER_API_KEY: undefined,
        }
      : {
          SVC_PARTNER_ID: String(profile.partnerId),
          SVC_PARTNER_API_KEY: profile.apiKey,
          SVC_COMPANY_ID: undefined,
          SVC_USER_ID: undefined,
          SVC_API_KEY: undefined,
        };
  return { ...context, env: { ...rest, SVC_BASE_URL: profile.baseUrl, ...own } };
}

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
