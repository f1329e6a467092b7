/** Checks the binding of keys. Contract, "Safety": a profile's key belongs to one origin and is never sent to another. */
import type { AccountId } from '../auth/credentials.ts';
import { parseBaseUrl } from '../protocol/origin.ts';
import { ProfileError } from './errors.ts';
import type { Sourced } from './explicit-values.ts';
import type { Profile } from './profile.ts';

export const KEY_VARIABLE = { company: 'SVC_API_KEY', partner: 'SVC_PARTNER_API_KEY' } as const;

/** Intended use of the key. */
export interface KeyUse {
  readonly origin: Sourced<string>;
  readonly company: Sourced<AccountId> | undefined;
  readonly partner: Sourced<AccountId> | undefined;
}

/**
 * Rejects the use of a profile's key where it does not belong. It belongs to its origin, and to the one company (each account has a key of
 * its own) or the one partner that it was given with.
 * @throws ProfileError `usage` that names both sides
 */
export function checkKeyBinding(profile: Profile, { origin, company, partner }: KeyUse): void {
  const { kind, companyId, partnerId } = profile;
  const bound = parseBaseUrl(profile.baseUrl);
  const own = 'problem' in bound ? 'no origin' : bound.origin;
  if (own !== origin.value)
    throw needsOwnKey(profile, `${own} and is not sent to ${origin.value} (${origin.source})`);
  const [mine, wanted] = kind === 'company' ? [companyId, company] : [partnerId, partner];
  if (mine !== wanted?.value)
    throw needsOwnKey(profile, `${kind} ${mine}, not to ${wanted?.value} (${wanted?.source})`);
}

function needsOwnKey({ name, kind }: Profile, owner: string): ProfileError {
  return new ProfileError('usage', `the key of profile ${name} belongs to ${owner}`, {
    hints: [`set ${KEY_VARIABLE[kind]} to the key of that account, or use a profile for it`],
  });
}
