/** Reads the credentials that flags and environment give. An empty variable counts as not set. */
import type { AccountId } from '../auth/credentials.ts';
import { invalidIdError, looksLikeId, parseCompanyId } from './roster.ts';

/** The global flags for credentials, as text. */
export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly company?: string | undefined;
  readonly user?: string | undefined;
  /**
   * True if the command has the flag `--companies`, which names several companies. svc then ignores flags and variables that name one
   * company.
   */
  readonly manyCompanies?: boolean | undefined;
  /** True if the command needs no company, or names the company in an argument of its own. */
  readonly needsNoCompany?: boolean | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value and its source: `flag --company`, `environment SVC_API_KEY`, `profile prod`. */
export interface ValueWithSource<T> {
  readonly value: T;
  readonly source: string;
}

/**
 * Values from flags and environment variables. Keys (docs/contract.md) and the partner's id can come only from environment variables,
 * because no flag sets them.
 */
export interface FlagAndEnvironmentValues {
  readonly baseUrl: ValueWithSource<string> | undefined;
  readonly company: ValueWithSource<AccountId> | undefined;
  /** Text of `--company` if it may be a name. Then `company` is not set. */
  readonly companyName: ValueWithSource<string> | undefined;
  readonly user: ValueWithSource<AccountId> | undefined;
  readonly partner: ValueWithSource<AccountId> | undefined;
  readonly companyKey: ValueWithSource<string> | undefined;
  readonly partnerKey: ValueWithSource<string> | undefined;
}

/**
 * Reads the values of flags and environment.
 * @param allowCompanyName true if `--company` may be the name of a company, not only an id
 * @throws ProfileError `usage` for an invalid id; the message names its source
 */
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

/** Returns the value of a flag with its source, or undefined if the flag was not given. */
export function flagValue(name: string, value: string | undefined): ValueWithSource<string> | undefined {
  return value === undefined ? undefined : { value, source: `flag ${name}` };
}

/** Returns the value of an environment variable with its source, or undefined if it is empty or not set. */
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
