/** Reads the credentials that flags and environment give. An empty variable counts as not set. */
import type { AccountId } from '../auth/credentials.ts';
import { companyIdIn, looksLikeId, notAnId } from './roster.ts';

/** The global flags for credentials, as text. */
export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly company?: string | undefined;
  readonly user?: string | undefined;
  /** True if the command names each company itself (`--companies`). Flags and variables for one company are then ignored. */
  readonly manyCompanies?: boolean | undefined;
  /** True if the command needs no company, or names it itself. */
  readonly needsNoCompany?: boolean | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value and its source: `flag --company`, `environment SVC_API_KEY`, `profile prod`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** All values from outside a profile. There is no flag for a key (contract), nor for the partner's id. */
export interface ExplicitValues {
  readonly baseUrl: Sourced<string> | undefined;
  readonly company: Sourced<AccountId> | undefined;
  /** Text of `--company` if it may be a name. It is set instead of `company`. */
  readonly companyName: Sourced<string> | undefined;
  readonly user: Sourced<AccountId> | undefined;
  readonly partner: Sourced<AccountId> | undefined;
  readonly companyKey: Sourced<string> | undefined;
  readonly partnerKey: Sourced<string> | undefined;
}

/**
 * Reads the values of flags and environment.
 * @param names whether `--company` may be the name of a company
 * @throws ProfileError `usage` for an invalid id; the message names its source
 */
export function readExplicitValues(
  flags: CredentialFlags,
  env: Environment,
  { names = false }: { readonly names?: boolean } = {},
): ExplicitValues {
  const company = flag('--company', flags.company);
  const isName = names && company !== undefined && company.value !== '' && !looksLikeId(company.value);
  return {
    baseUrl: flag('--base-url', flags.baseUrl) ?? variable('SVC_BASE_URL', env),
    company: isName || flags.manyCompanies ? undefined : id(company ?? variable('SVC_COMPANY_ID', env)),
    companyName: isName ? company : undefined,
    user: flags.manyCompanies ? undefined : id(flag('--user', flags.user) ?? variable('SVC_USER_ID', env)),
    partner: id(variable('SVC_PARTNER_ID', env)),
    companyKey: variable('SVC_API_KEY', env),
    partnerKey: variable('SVC_PARTNER_API_KEY', env),
  };
}

export function flag(name: string, value: string | undefined): Sourced<string> | undefined {
  return value === undefined ? undefined : { value, source: `flag ${name}` };
}

export function variable(name: string, env: Environment): Sourced<string> | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : { value, source: `environment ${name}` };
}

// The text is not repeated, because a key may have been put into the wrong variable.
function id(text: Sourced<string> | undefined): Sourced<AccountId> | undefined {
  if (text === undefined) return undefined;
  const value = companyIdIn(text.value);
  if (value === undefined) throw notAnId(text.source);
  return { value, source: text.source };
}
