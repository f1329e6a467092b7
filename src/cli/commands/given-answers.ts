/** Reads the answers to `svc init`'s questions from flags and environment. */
import { keyProblem } from '../../auth/credentials.ts';
import {
  type ExplicitValues,
  flag,
  readExplicitValues,
  type Sourced,
  variable,
} from '../../profiles/explicit-values.ts';
import type { Profile } from '../../profiles/profile.ts';
import { joinAnd } from '../../text/words.ts';
import type { Input } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import type { Invocation } from '../session/session.ts';
import { keyCommandFlag, keyStdinFlag, partnerFlag, readKey } from './new-profile.ts';

export interface GivenAnswers extends ExplicitValues {
  /** Kind of profile. Undefined if flags and environment do not determine the kind. */
  readonly kind: Profile['kind'] | undefined;
  readonly keyCommand: string | undefined;
  readonly isKeyOnStdin: boolean;
  readonly name: Sourced<string> | undefined;
}

/** Reads the values that flags and environment give. @throws ProfileError `usage` for an invalid id */
export function givenAnswers({ globals, context }: Invocation, input: Input): GivenAnswers {
  const explicit = readExplicitValues(globals, context.env);
  const named = input.get(partnerFlag);
  const partner = named === undefined ? explicit.partner : { value: named, source: 'flag --partner' };
  return {
    ...explicit,
    partner,
    kind: named === undefined ? kindOf(explicit) : 'partner',
    keyCommand: input.get(keyCommandFlag),
    isKeyOnStdin: input.get(keyStdinFlag),
    name: flag('--profile', globals.profile) ?? variable('SVC_PROFILE', context.env),
  };
}

/** Returns the kind of profile. Returns undefined if there are no values, or if the values fit both kinds. */
function kindOf({
  company,
  user,
  partner,
  companyKey,
  partnerKey,
}: ExplicitValues): Profile['kind'] | undefined {
  if (companyKey !== undefined && partnerKey !== undefined) return undefined;
  if (partnerKey !== undefined) return 'partner';
  if (companyKey !== undefined) return 'company';
  const isCompany = company !== undefined || user !== undefined;
  if (partner === undefined) return isCompany ? 'company' : undefined;
  return isCompany ? undefined : 'partner';
}

export const givenKey = (given: GivenAnswers, kind: Profile['kind']): Sourced<string> | undefined =>
  kind === 'company' ? given.companyKey : given.partnerKey;

/** Returns `Taken: address https://… (environment SVC_BASE_URL), company 100 (flag --company).` It never contains the key. */
export function nameTakenMessage(given: GivenAnswers): string | undefined {
  const { kind, baseUrl, company, user, partner, keyCommand } = given;
  const named = (what: string, each: Sourced<unknown> | undefined): readonly string[] =>
    each === undefined ? [] : [`${what} ${String(each.value)} (${each.source})`];
  const key = kind && givenKey(given, kind);
  const taken = [
    ...named('address', baseUrl),
    ...(kind === 'partner' ? named('partner', partner) : []),
    ...(kind === 'company' ? [...named('company', company), ...named('user', user)] : []),
    ...(keyCommand === undefined ? [] : ['the key (flag --key-command)']),
    ...(keyCommand === undefined && key !== undefined ? [`the key (${key.source})`] : []),
  ];
  return taken.length === 0 ? undefined : `Taken: ${taken.join(', ')}.`;
}

/**
 * Returns the complete profile from the given values, without questions. @param whyNot the reason that questions can't be asked @throws
 * UsageError that names all missing values together
 */
export async function completeProfile(
  session: Invocation,
  given: GivenAnswers,
  name: string,
  whyNot: string,
): Promise<Profile> {
  const { baseUrl, company, user, partner, keyCommand, isKeyOnStdin } = given;
  const kind = given.kind ?? 'company';
  if (given.kind === undefined && partner !== undefined)
    throw new UsageError(
      'the values belong to a company and to a partner: it is not clear which one you mean',
      {
        hint: '--partner N makes it a profile of the partner; for one of the company unset SVC_PARTNER_ID and SVC_PARTNER_API_KEY',
      },
    );
  const stored = givenKey(given, kind);
  const hasKey = isKeyOnStdin || keyCommand !== undefined || stored !== undefined;
  const missing = [
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(kind === 'company' && company === undefined ? ['--company'] : []),
    ...(kind === 'company' && user === undefined ? ['--user'] : []),
    ...(kind === 'partner' && partner === undefined ? ['--partner'] : []),
    ...(hasKey ? [] : ['--api-key-stdin']),
  ];
  if (baseUrl === undefined || missing.length > 0) throw incomplete(missing, whyNot);
  const secret = keyCommand === undefined ? { apiKey: await keyGiven(session, given, kind) } : { keyCommand };
  const ids = kind === 'company' ? idsOfCompany(given) : partnerIds(session, given);
  return { name, kind, baseUrl: baseUrl.value, ...ids, ...secret };
}

function incomplete(missing: readonly string[], whyNot: string): UsageError {
  return new UsageError(`${joinAnd(missing)} ${missing.length === 1 ? 'is' : 'are'} missing, and ${whyNot}`, {
    hints: [
      'svc init --base-url URL --company N --user N --api-key-stdin asks nothing; for a partner, use --partner N instead of both ids',
      'SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID, SVC_API_KEY, SVC_PARTNER_ID, SVC_PARTNER_API_KEY and --key-command answer too',
    ],
  });
}

async function keyGiven(session: Invocation, given: GivenAnswers, kind: Profile['kind']): Promise<string> {
  if (given.isKeyOnStdin) return readKey(session, kind);
  const { value, source } = givenKey(given, kind) ?? { value: '', source: '' };
  const problem = keyProblem(kind, value);
  if (problem !== undefined) throw new UsageError(`${problem} (${source})`);
  return value;
}

const idsOfCompany = ({ company, user }: GivenAnswers): Pick<Profile, 'companyId' | 'userId'> => ({
  companyId: company?.value ?? 0,
  userId: user?.value ?? 0,
});

/**
 * Returns the ids that a partner profile stores. A company from an environment variable is not stored, because the variable applies to
 * every run anyway.
 */
export function partnerIds(
  { globals }: Invocation,
  { company, user, partner }: GivenAnswers,
): Pick<Profile, 'companyId' | 'userId' | 'partnerId'> {
  return {
    partnerId: partner?.value ?? 0,
    ...(globals.company === undefined || company === undefined ? {} : { companyId: company.value }),
    ...(globals.user === undefined || user === undefined ? {} : { userId: user.value }),
  };
}
