/** Checks that a profile's key is sent only to the origin and the account that it belongs to (contract, "Safety"). */
import type { AccountId } from '../auth/credentials.ts';
import { parseBaseUrl } from '../protocol/origin.ts';
import { ProfileError } from './errors.ts';
import type { ValueWithSource } from './explicit-values.ts';
import type { Profile } from './profile.ts';

/** Environment variable that holds the key of each kind. */
export const KEY_VARIABLES = { company: 'SVC_API_KEY', partner: 'SVC_PARTNER_API_KEY' } as const;

/** Request that svc is about to sign with a key: the origin, the company and the partner of the request. */
export interface RequestUsingKey {
  readonly origin: ValueWithSource<string>;
  readonly company: ValueWithSource<AccountId> | undefined;
  readonly partner: ValueWithSource<AccountId> | undefined;
}

/**
 * Throws if the key of a profile does not belong to the request. The key belongs to the profile's origin. It also belongs to the one
 * company or partner of the profile, because each account has its own key.
 * @throws ProfileError `usage` that names the profile's value and the request's value
 */
export function checkKeyMatchesRequest(
  profile: Profile,
  { origin, company, partner }: RequestUsingKey,
): void {
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
