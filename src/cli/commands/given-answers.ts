/** Reads answers to the questions of `svc init` from flags and environment variables. */

import {
  environmentVariableValue,
  type FlagAndEnvironmentValues,
  flagValue,
  readFlagAndEnvironmentValues,
  type ValueWithSource,
} from '../../client/profiles/choose-profile.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import { joinAnd } from '../../kit/text/words.ts';
import { findApiKeyProblem } from '../../service/auth/credentials.ts';
import type { Input } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import type { Invocation } from '../session/ports.ts';
import { apiKeyCommandFlag, apiKeyFromStdinFlag, partnerIdFlag, readApiKeyFromStdin } from './new-profile.ts';

export type PresetProfileValues = ReturnType<typeof readPresetProfileValues>;

/** @throws ProfileError `usage` for an invalid id */
export function readPresetProfileValues({ globals, context }: Invocation, input: Input) {
  const explicit = readFlagAndEnvironmentValues(globals, context.env);
  const named = input.get(partnerIdFlag);
  const partner = named === undefined ? explicit.partner : { value: named, source: 'flag --partner' };
  return {
    ...explicit,
    partner,
    kind: named === undefined ? kindOf(explicit) : ('partner' as const),
    keyCommand: input.get(apiKeyCommandFlag),
    isKeyOnStdin: input.get(apiKeyFromStdinFlag),
    name: flagValue('--profile', globals.profile) ?? environmentVariableValue('SVC_PROFILE', context.env),
  };
}

/** Undefined if there are no values, or if the values fit both kinds. */
function kindOf({
  company,
  user,
  partner,
  companyKey,
  partnerKey,
}: FlagAndEnvironmentValues): Profile['kind'] | undefined {
  if (companyKey !== undefined && partnerKey !== undefined) return undefined;
  if (partnerKey !== undefined) return 'partner';
  if (companyKey !== undefined) return 'company';
  const isCompany = company !== undefined || user !== undefined;
  if (partner === undefined) return isCompany ? 'company' : undefined;
  return isCompany ? undefined : 'partner';
}

export const selectPresetApiKey = (
  given: PresetProfileValues,
  kind: Profile['kind'],
): ValueWithSource<string> | undefined => (kind === 'company' ? given.companyKey : given.partnerKey);

/** Never contains the key: `Using address https://… (environment SVC_BASE_URL).` */
export function describePresetProfileValues(given: PresetProfileValues): string | undefined {
  const { kind, baseUrl, company, user, partner, keyCommand } = given;
  const named = (what: string, each: ValueWithSource<unknown> | undefined): readonly string[] =>
    each === undefined ? [] : [`${what} ${String(each.value)} (${each.source})`];
  const key = kind && selectPresetApiKey(given, kind);
  const taken = [
    ...named('address', baseUrl),
    ...(kind === 'partner' ? named('partner', partner) : []),
    ...(kind === 'company' ? [...named('company', company), ...named('user', user)] : []),
    ...(keyCommand === undefined ? [] : ['the key (flag --key-command)']),
    ...(keyCommand === undefined && key !== undefined ? [`the key (${key.source})`] : []),
  ];
  return taken.length === 0 ? undefined : `Using ${taken.join(', ')}.`;
}

/** @param noQuestionsReason the reason that questions can't be asked @throws UsageError that names all missing values together */
export async function buildProfileWithoutQuestions(
  session: Invocation,
  given: PresetProfileValues,
  name: string,
  noQuestionsReason: string,
): Promise<Profile> {
  const { baseUrl, company, user, partner, keyCommand, isKeyOnStdin } = given;
  const kind = given.kind ?? 'company';
  if (given.kind === undefined && partner !== undefined)
    throw new UsageError(
      'some values are for a company and others for a partner, so svc cannot tell which you mean',
      {
        hint: 'for a partner profile, add --partner N; for a company profile, unset SVC_PARTNER_ID and SVC_PARTNER_API_KEY',
      },
    );
  const stored = selectPresetApiKey(given, kind);
  const hasKey = isKeyOnStdin || keyCommand !== undefined || stored !== undefined;
  const missing = [
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(kind === 'company' && company === undefined ? ['--company'] : []),
    ...(kind === 'company' && user === undefined ? ['--user'] : []),
    ...(kind === 'partner' && partner === undefined ? ['--partner'] : []),
    ...(hasKey ? [] : ['--api-key-stdin']),
  ];
  if (baseUrl === undefined || missing.length > 0) throw missingValuesError(missing, noQuestionsReason);
  const secret =
    keyCommand === undefined ? { apiKey: await readGivenKey(session, given, kind) } : { keyCommand };
  const ids =
    kind === 'company'
      ? { companyId: company?.value ?? 0, userId: user?.value ?? 0 }
      : selectIdsForPartnerProfile(session, given);
  return { name, kind, baseUrl: baseUrl.value, ...ids, ...secret };
}

function missingValuesError(missing: readonly string[], whyNot: string): UsageError {
  return new UsageError(`${joinAnd(missing)} ${missing.length === 1 ? 'is' : 'are'} missing, and ${whyNot}`, {
    hints: [
      'to answer all questions with flags, run svc init --base-url URL --company N --user N --api-key-stdin; for a partner, use --partner N instead of both ids',
      'you can also use --key-command, or set SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID, SVC_API_KEY, SVC_PARTNER_ID or SVC_PARTNER_API_KEY',
    ],
  });
}

async function readGivenKey(
  session: Invocation,
  given: PresetProfileValues,
  kind: Profile['kind'],
): Promise<string> {
  if (given.isKeyOnStdin) return readApiKeyFromStdin(session, kind);
  const { value, source } = selectPresetApiKey(given, kind) ?? { value: '', source: '' };
  const problem = findApiKeyProblem(kind, value);
  if (problem !== undefined) throw new UsageError(`${problem} (${source})`);
  return value;
}

/** A company from an environment variable is not stored, because the variable applies to every run anyway. */
export function selectIdsForPartnerProfile(
  { globals }: Invocation,
  { company, user, partner }: PresetProfileValues,
): Pick<Profile, 'companyId' | 'userId' | 'partnerId'> {
  return {
    partnerId: partner?.value ?? 0,
    ...(globals.company === undefined || company === undefined ? {} : { companyId: company.value }),
    ...(globals.user === undefined || user === undefined ? {} : { userId: user.value }),
  };
}
