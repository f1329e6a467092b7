/** Resolves the credentials and the origin: from a flag, else from the environment, else from the profile (contract, "Global flags"). */

import type { Environment } from '../../kit/files/directories.ts';
import { isInCi } from '../../kit/text/terminal.ts';
import {
  type AccountId,
  type CompanyCredentials,
  type Credentials,
  findApiKeyProblem,
  type PartnerCredentials,
} from '../../service/auth/credentials.ts';
import { type Naming, namingWithOverrides } from '../../service/protocol/naming.ts';
import { type BaseUrl, parseBaseUrl } from '../../service/protocol/wire.ts';
import {
  type CredentialFlags,
  chooseProfile,
  type FlagAndEnvironmentValues,
  type ProfileChoice,
  readFlagAndEnvironmentValues,
  type ValueWithSource,
} from './choose-profile.ts';
import { ProfileError } from './errors.ts';
import { type PinnedFolder, requireTrustedPin } from './folder-pin.ts';
import { type Profile, type ProfileCompany, type ProfileInUse, profileProblem } from './profile.ts';
import { findProfileCompany, invalidIdError, parseCompanyId } from './roster.ts';
import type { ProfileStore } from './store.ts';

export type { CredentialFlags } from './choose-profile.ts';

export interface ResolvedCredentials {
  readonly credentials: Credentials;
  /** Origin and path before `/v1`, without a slash at the end. @example `https://api.example.com` */
  readonly baseUrl: string;
  readonly origin: string;
  /** Undefined if flags and environment give all values. */
  readonly profile: ProfileInUse | undefined;
  readonly naming: Naming;
  /**
   * Source of each value, for texts that svc prints: `flag --company`, `environment SVC_API_KEY`, `profile prod`, `the output of
   * key-command in profile prod`, or `not set`.
   */
  readonly sources: Readonly<Record<'baseUrl' | 'key' | 'company' | 'user' | 'partner', string>>;
  /** Undefined if svc uses no value of such a file. */
  readonly valuesFromPinnedFolder?: ValuesFromPinnedFolder;
}

export interface ValuesFromPinnedFolder {
  readonly path: string;
  readonly profile?: string;
  readonly company?: { readonly id: AccountId; readonly name: string | undefined };
}

/**
 * - a profile's key is sent only to the profile's origin, and only for the profile's company or partner;
 * - a profile's user is used only with the profile's company;
 * - a profile's key command runs only if its key is needed, and after all other checks.
 * @throws ProfileError `usage` for values that are invalid or don't fit together, `no-credentials` for missing values
 */
export async function resolveCredentials(
  flags: CredentialFlags,
  env: Environment,
  store: ProfileStore,
  runKeyCommand: (command: string) => Promise<string>,
  findPin: () => Promise<PinnedFolder | undefined> = async () => undefined,
): Promise<ResolvedCredentials> {
  const { choice, explicit } = await chooseValidProfile(flags, env, store, findPin);
  const { kind, profile } = choice;
  if (flags.manyCompanies && kind !== 'partner') throw onlyForPartners(choice);
  if (profile?.requireCompany) requireCompany(profile, flags);
  const named = await companyGiven(choice, explicit, flags, findPin);
  const values = collect(choice, explicit, named?.company, flags);
  const base = baseOf(values.baseUrl);
  const own = kind === 'company' ? explicit.companyKey : explicit.partnerKey;
  if (own === undefined && profile !== undefined && base !== undefined)
    checkKeyMatchesRequest(profile, {
      ...values,
      origin: { value: base.origin, source: values.baseUrl?.source ?? '' },
    });
  const ids = idsOf(kind, values);
  if (base === undefined || ids === undefined || (own ?? profile) === undefined)
    throw incomplete(choice, values, own !== undefined, isInCi(env));
  const key = own === undefined ? await keyOf(profile, runKeyCommand) : checkedKey(kind, own, 'usage');
  return {
    credentials: { ...ids, apiKey: key.value },
    baseUrl: base.origin + base.basePath,
    origin: base.origin,
    profile,
    naming: namingWithOverrides(profile?.naming),
    sources: {
      baseUrl: sourceOf(values.baseUrl),
      key: key.source,
      company: sourceOf(values.company),
      user: sourceOf(values.user),
      partner: sourceOf(values.partner),
    },
    ...(choice.isPinned || named?.isPinned ? pinnedOf(choice, named, await findPin()) : {}),
  };
}

/** `choice.profile` is undefined if flags and environment give all values. */
export async function chooseValidProfile(
  flags: CredentialFlags,
  env: Environment,
  store: ProfileStore,
  findPin: () => Promise<PinnedFolder | undefined>,
): Promise<{ readonly choice: ProfileChoice; readonly explicit: FlagAndEnvironmentValues }> {
  const explicit = readFlagAndEnvironmentValues(flags, env, { allowCompanyName: true });
  const choice = await chooseProfile(flags, env, explicit, store, findPin);
  if (choice.profile !== undefined) checkProfile(choice.profile, store.path);
  return { choice, explicit };
}

interface CompanyGiven {
  readonly company: ValueWithSource<AccountId>;
  readonly known: ProfileCompany | undefined;
  readonly isPinned: boolean;
}

/** Without that flag, returns the company of a `.svc.json`, but only if the profile of that file is used. */
async function companyGiven(
  { kind, profile }: ProfileChoice,
  { company, companyName }: FlagAndEnvironmentValues,
  flags: CredentialFlags,
  findPin: () => Promise<PinnedFolder | undefined>,
): Promise<CompanyGiven | undefined> {
  if (company !== undefined || flags.manyCompanies) return undefined;
  const pin = companyName === undefined ? await findPin() : undefined;
  const isOwn = pin?.profile === undefined || pin.profile === profile?.name;
  const text = companyName?.value ?? (isOwn ? pin?.company : undefined);
  if (text === undefined) return undefined;
  if (pin !== undefined) requireTrustedPin(pin);
  const source = companyName?.source ?? `company in ${pin?.filePath}`;
  const names = kind === 'partner' && profile !== undefined ? profile : undefined;
  if (names === undefined && parseCompanyId(text) === undefined) throw nameNeedsRoster(source);
  const { id, company: known } = findProfileCompany(names ?? { name: '' }, text, source);
  return { company: { value: id, source }, known, isPinned: pin !== undefined };
}

// The text is not repeated, because it may be a key in the wrong place.
const nameNeedsRoster = (source: string): ProfileError =>
  new ProfileError('usage', `${invalidIdError(source).message}`, {
    hints: [
      'names work only with a partner profile, which has a roster: give the id, or use a partner profile',
    ],
  });

function pinnedOf(
  { isPinned, profile }: ProfileChoice,
  given: CompanyGiven | undefined,
  pin: PinnedFolder | undefined,
): { readonly valuesFromPinnedFolder?: ValuesFromPinnedFolder } {
  if (pin === undefined) return {};
  const company = given?.isPinned ? { company: { id: given.company.value, name: given.known?.name } } : {};
  return {
    valuesFromPinnedFolder: {
      path: pin.filePath,
      ...(isPinned && profile ? { profile: profile.name } : {}),
      ...company,
    },
  };
}

function onlyForPartners({ profile }: ProfileChoice): ProfileError {
  const who = profile === undefined ? 'these credentials are' : `profile ${profile.name} is`;
  return new ProfileError('usage', `--companies is for partners, but ${who} a company's`, {
    hints: ['use a partner profile; svc profile list shows the profiles'],
  });
}

// Contract, "Partners and many companies": a default, the environment or `.svc.json` are not enough.
function requireCompany({ name }: Profile, flags: CredentialFlags): void {
  if (flags.company !== undefined || flags.manyCompanies || flags.needsNoCompany) return;
  throw new ProfileError('usage', `profile ${name} requires the flag --company for each command`, {
    hints: ['give --company ID|NAME; svc company list shows the companies'],
  });
}

// A file edited by hand can have the right shape and still hold invalid values.
function checkProfile(profile: Profile, path: string): void {
  const problem = profileProblem(profile);
  if (problem === undefined) return;
  throw new ProfileError('storage', `cannot use profile ${profile.name} in ${path}: ${problem}`, {
    hints: [`create the profile again with svc profile add ${profile.name} …`],
  });
}

type Values = Pick<FlagAndEnvironmentValues, 'baseUrl' | 'company' | 'user' | 'partner'>;

function collect(
  { kind, profile: chosen }: ProfileChoice,
  explicit: FlagAndEnvironmentValues,
  given: ValueWithSource<AccountId> | undefined,
  { manyCompanies }: CredentialFlags,
): Values {
  const { companyId: _, userId: __, ...acting } = chosen ?? {};
  const profile: Partial<Profile> | undefined = manyCompanies ? acting : chosen;
  const source = `profile ${profile?.name}`;
  const stored = <T>(value: T | undefined): ValueWithSource<T> | undefined =>
    value === undefined ? undefined : { value, source };
  const company = explicit.company ?? given ?? stored(profile?.companyId);
  return {
    baseUrl: explicit.baseUrl ?? stored(profile?.baseUrl),
    company,
    user: explicit.user ?? (company?.value === profile?.companyId ? stored(profile?.userId) : undefined),
    partner: kind === 'partner' ? (explicit.partner ?? stored(profile?.partnerId)) : undefined,
  };
}

function baseOf(baseUrl: ValueWithSource<string> | undefined): BaseUrl | undefined {
  if (baseUrl === undefined) return undefined;
  const base = parseBaseUrl(baseUrl.value);
  if ('problem' in base)
    throw new ProfileError('usage', `the base URL ${base.problem} (${baseUrl.source})`, {
      hints: ['for example https://api.example.com'],
    });
  return base;
}

function idsOf(
  kind: Credentials['kind'],
  { company, user, partner }: Values,
): Omit<CompanyCredentials, 'apiKey'> | Omit<PartnerCredentials, 'apiKey'> | undefined {
  if (kind === 'company') return company && user && { kind, companyId: company.value, userId: user.value };
  // Interface, "Partner hash": X-Svc-UID is allowed only when X-Svc-CID is present.
  if (user !== undefined && company === undefined)
    throw new ProfileError('usage', `a user id is set (${user.source}), but no company id`, {
      hints: ['a partner can act as a user only within a company: give --company or set SVC_COMPANY_ID'],
    });
  return (
    partner && {
      kind,
      partnerId: partner.value,
      ...(company === undefined ? {} : { companyId: company.value }),
      ...(user === undefined ? {} : { userId: user.value }),
    }
  );
}

function incomplete(
  { kind, profile, hints }: ProfileChoice,
  { baseUrl, company, user, partner }: Values,
  hasKey: boolean,
  inCi: boolean,
): ProfileError {
  const isCompany = kind === 'company';
  const needed: readonly (readonly [isMissing: boolean, what: string])[] = [
    [baseUrl === undefined, 'the base URL (--base-url or SVC_BASE_URL)'],
    [!isCompany && partner === undefined, 'the partner id (SVC_PARTNER_ID)'],
    [isCompany && company === undefined, 'the company id (--company or SVC_COMPANY_ID)'],
    [isCompany && user === undefined, 'the user id (--user or SVC_USER_ID)'],
    [!hasKey && profile === undefined, `the key (${KEY_VARIABLES[kind]})`],
  ];
  const missing = needed.flatMap(([isMissing, what]) => (isMissing ? [what] : []));
  return new ProfileError('no-credentials', `cannot sign a request: missing ${missing.join(', ')}`, {
    hints: [
      ...hints,
      inCi && !hasKey
        ? `set ${KEY_VARIABLES[kind]} from a secret of the pipeline; pull requests from forks and from Dependabot get no secrets`
        : 'create a profile with svc init, or see svc profile list',
    ],
  });
}

async function keyOf(
  profile: Profile | undefined,
  runKeyCommand: (command: string) => Promise<string>,
): Promise<ValueWithSource<string>> {
  if (profile?.apiKey !== undefined) return { value: profile.apiKey, source: `profile ${profile.name}` };
  if (profile?.keyCommand === undefined) throw new ProfileError('no-credentials', 'the key is missing');
  const value = await runKeyCommand(profile.keyCommand);
  const source = `the output of key-command in profile ${profile.name}`;
  return checkedKey(profile.kind, { value, source }, 'no-credentials');
}

function checkedKey(
  kind: Credentials['kind'],
  key: ValueWithSource<string>,
  error: 'usage' | 'no-credentials',
): ValueWithSource<string> {
  const problem = findApiKeyProblem(kind, key.value);
  if (problem !== undefined) throw new ProfileError(error, `${problem} (${key.source})`);
  return key;
}

function sourceOf(value: ValueWithSource<unknown> | undefined): string {
  return value?.source ?? 'not set';
}

export const KEY_VARIABLES = { company: 'SVC_API_KEY', partner: 'SVC_PARTNER_API_KEY' } as const;

interface RequestUsingKey {
  readonly origin: ValueWithSource<string>;
  readonly company: ValueWithSource<AccountId> | undefined;
  readonly partner: ValueWithSource<AccountId> | undefined;
}

/**
 * Throws if the key of a profile does not belong to the request. The key belongs to the profile's origin. It also belongs to the one
 * company or partner of the profile, because each account has its own key.
 * @throws ProfileError `usage` that names the profile's value and the request's value
 */
function checkKeyMatchesRequest(profile: Profile, { origin, company, partner }: RequestUsingKey): void {
  const { kind, companyId, partnerId } = profile;
  const bound = parseBaseUrl(profile.baseUrl);
  const own = 'problem' in bound ? 'no origin' : bound.origin;
  if (own !== origin.value)
    throw needsOwnKey(profile, `belongs to ${own} and is not sent to ${origin.value} (${origin.source})`);
  const [mine, wanted] = kind === 'company' ? [companyId, company] : [partnerId, partner];
  if (mine !== wanted?.value)
    throw needsOwnKey(profile, `belongs to ${kind} ${mine}, not to ${wanted?.value} (${wanted?.source})`);
}

function needsOwnKey({ name, kind }: Profile, reason: string): ProfileError {
  return new ProfileError('usage', `the key of profile ${name} ${reason}`, {
    hints: [
      `set the environment variable ${KEY_VARIABLES[kind]} to the key that this ${kind} has at this server, or use a profile with that key`,
    ],
  });
}
