import type { Environment } from '../../kit/files/directories.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { ProfileError } from './errors.ts';
import { type PinnedFolder, requireTrustedPin } from './folder-pin.ts';
import type { Profile } from './profile.ts';
import { invalidIdError, looksLikeId, parseCompanyId } from './roster.ts';
import { type ProfileStore, profileNotFoundError } from './store.ts';

export interface ProfileChoice {
  readonly kind: 'company' | 'partner';
  readonly profile: Profile | undefined;
  /** True if a `.svc.json` chose the profile. */
  readonly isPinned?: true;
  /** Reasons why a profile was not used, shown if credentials are missing. */
  readonly hints: readonly string[];
}

/**
 * - If `--profile` or `SVC_PROFILE` names a profile, svc uses this profile. svc acts as the kind of the profile, and ignores environment
 * variables of the other kind.
 * - If the environment has exactly one key, and all other necessary values come from flags or the environment, svc uses no profile.
 * - Otherwise, the candidate is the profile that `.svc.json` pins, or the default profile if no profile is pinned. svc uses the candidate,
 * unless the environment has exactly one key and this key is of the other kind. If the environment has keys of both kinds, the candidate's
 * kind decides which key svc uses. Without a candidate, keys of both kinds are an error.
 */
export async function chooseProfile(
  flags: CredentialFlags,
  env: Environment,
  explicit: FlagAndEnvironmentValues,
  store: ProfileStore,
  findPin: () => Promise<PinnedFolder | undefined> = async () => undefined,
): Promise<ProfileChoice> {
  const named = flagValue('--profile', flags.profile) ?? environmentVariableValue('SVC_PROFILE', env);
  if (named !== undefined) {
    const profile = await store.get(named.value);
    if (profile !== undefined) return { kind: profile.kind, profile, hints: [] };
    const { profiles } = await store.list();
    throw profileNotFoundError(
      named.value,
      profiles.map(({ name }) => name),
      named.source,
    );
  }
  const kind = kindOfKey(explicit);
  if (kind !== undefined && kind !== 'both' && isComplete(kind, explicit))
    return { kind, profile: undefined, hints: [] };
  const { profiles, defaultName } = await store.list();
  const pinned = pinnedIn(profiles, await findPin());
  const profile = pinned ?? profiles.find(({ name }) => name === defaultName);
  const chosen = { profile, hints: [], ...(pinned === undefined ? {} : { isPinned: true as const }) };
  if (kind === 'both') return { kind: kindOrRefuse(profile), ...chosen };
  if (profile === undefined) return withoutProfile(kind, explicit, profiles);
  if (kind === undefined || kind === profile.kind) return { kind: profile.kind, ...chosen };
  const unusedProfile = `the ${pinned === undefined ? 'default' : 'pinned'} profile ${profile.name}`;
  return {
    kind,
    profile: undefined,
    hints: [
      `the key in the environment is a ${kind} key, so svc does not use ${unusedProfile}, which is a ${profile.kind} profile`,
    ],
  };
}

function pinnedIn(profiles: readonly Profile[], pin: PinnedFolder | undefined): Profile | undefined {
  if (pin?.profile === undefined) return undefined;
  const profile = profiles.find(({ name }) => name === pin.profile);
  if (profile !== undefined) {
    requireTrustedPin(pin);
    return profile;
  }
  throw profileNotFoundError(
    pin.profile,
    profiles.map(({ name }) => name),
    `profile in ${pin.filePath}`,
  );
}

function kindOfKey({
  companyKey,
  partnerKey,
}: FlagAndEnvironmentValues): Profile['kind'] | 'both' | undefined {
  if (companyKey !== undefined && partnerKey !== undefined) return 'both';
  if (companyKey !== undefined) return 'company';
  return partnerKey === undefined ? undefined : 'partner';
}

function isComplete(kind: Profile['kind'], explicit: FlagAndEnvironmentValues): boolean {
  const { baseUrl, company, companyName, user, partner } = explicit;
  if (baseUrl === undefined) return false;
  if (kind === 'partner') return partner !== undefined;
  return (company ?? companyName) !== undefined && user !== undefined;
}

function kindOrRefuse(profile: Profile | undefined): Profile['kind'] {
  if (profile !== undefined) return profile.kind;
  throw new ProfileError(
    'usage',
    'SVC_API_KEY and SVC_PARTNER_API_KEY are both set, and no profile decides which of the two to use',
    { hints: ['unset one of the two variables, or choose a profile with --profile'] },
  );
}

function withoutProfile(
  kind: Profile['kind'] | undefined,
  { baseUrl, company, companyName, user, partner }: FlagAndEnvironmentValues,
  profiles: readonly Profile[],
): ProfileChoice {
  const hints =
    profiles.length === 0
      ? []
      : [
          `there is no default profile; choose one with --profile NAME or svc profile use NAME: ${profiles.map(({ name }) => name).join(', ')}`,
        ];
  if (kind === undefined && (baseUrl ?? company ?? companyName ?? user ?? partner) === undefined)
    throw new ProfileError(
      'no-credentials',
      profiles.length === 0
        ? 'no credentials: there is no profile yet'
        : 'no credentials: no profile is selected, and the environment has no credentials',
      {
        hints: [
          ...hints,
          'create a profile with svc init, or try things out with svc sandbox start',
          'or set SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID and SVC_API_KEY',
        ],
      },
    );
  return { kind: kind ?? (partner === undefined ? 'company' : 'partner'), profile: undefined, hints };
}

export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly company?: string | undefined;
  readonly user?: string | undefined;
  /** True with `--companies`: svc then ignores flags and variables that name one company. */
  readonly manyCompanies?: boolean | undefined;
  readonly needsNoCompany?: boolean | undefined;
}

/** A value and its source: `flag --company`, `environment SVC_API_KEY`, `profile prod`. */
export interface ValueWithSource<T> {
  readonly value: T;
  readonly source: string;
}

/** Keys (docs/contract.md) and the partner's id can come only from environment variables, because no flag sets them. */
export interface FlagAndEnvironmentValues {
  readonly baseUrl: ValueWithSource<string> | undefined;
  readonly company: ValueWithSource<AccountId> | undefined;
  /** Set if `--company` may be a name; `company` is then not set. */
  readonly companyName: ValueWithSource<string> | undefined;
  readonly user: ValueWithSource<AccountId> | undefined;
  readonly partner: ValueWithSource<AccountId> | undefined;
  readonly companyKey: ValueWithSource<string> | undefined;
  readonly partnerKey: ValueWithSource<string> | undefined;
}

/** @throws ProfileError `usage` for an invalid id; the message names its source */
export function readFlagAndEnvironmentValues(
  flags: CredentialFlags,
  env: Environment,
  { allowCompanyName = false }: { readonly allowCompanyName?: boolean } = {},
): FlagAndEnvironmentValues {
  const company = flagValue('--company', flags.company);
  const isName =
    allowCompanyName && company !== undefined && company.value !== '' && !looksLikeId(company.value);
  return {
    baseUrl: flagValue('--base-url', flags.baseUrl) ?? environmentVariableValue('SVC_BASE_URL', env),
    company:
      isName || flags.manyCompanies
        ? undefined
        : id(company ?? environmentVariableValue('SVC_COMPANY_ID', env)),
    companyName: isName ? company : undefined,
    user: flags.manyCompanies
      ? undefined
      : id(flagValue('--user', flags.user) ?? environmentVariableValue('SVC_USER_ID', env)),
    partner: id(environmentVariableValue('SVC_PARTNER_ID', env)),
    companyKey: environmentVariableValue('SVC_API_KEY', env),
    partnerKey: environmentVariableValue('SVC_PARTNER_API_KEY', env),
  };
}

export function flagValue(name: string, value: string | undefined): ValueWithSource<string> | undefined {
  return value === undefined ? undefined : { value, source: `flag ${name}` };
}

export function environmentVariableValue(
  name: string,
  env: Environment,
): ValueWithSource<string> | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : { value, source: `environment ${name}` };
}

// The text is not repeated, because a key may have been put into the wrong variable.
function id(text: ValueWithSource<string> | undefined): ValueWithSource<AccountId> | undefined {
  if (text === undefined) return undefined;
  const value = parseCompanyId(text.value);
  if (value === undefined) throw invalidIdError(text.source);
  return { value, source: text.source };
}
