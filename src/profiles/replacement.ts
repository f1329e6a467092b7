/** Keeps the limits of a profile when a new profile replaces it, as `profile add --replace` and `svc init` do to change a key. */
import { parseBaseUrl } from '../protocol/origin.ts';
import type { Profile } from './profile.ts';

/** Settings that limit what a profile may do. */
const LIMIT_SETTINGS = [
  'readOnly',
  'requireCompany',
  'requireApprovals',
  'approvalsFor',
  'signers',
  'budget',
  'proofList',
] as const satisfies readonly (keyof Profile)[];

/**
 * Returns `newProfile` with the limits and the roster of the profile that it replaces, if both are for the same account of the same
 * service. So a user who replaces a profile to change the key does not lose a limit unnoticed.
 */
export function keepLimitsOfReplacedProfile(newProfile: Profile, oldProfile: Profile | undefined): Profile {
  if (oldProfile === undefined || !isSameAccount(newProfile, oldProfile)) return newProfile;
  const kept = Object.fromEntries(
    [...LIMIT_SETTINGS, 'roster' as const].flatMap((name) =>
      oldProfile[name] === undefined ? [] : [[name, oldProfile[name]]],
    ),
  );
  return { ...kept, ...newProfile };
}

/** Returns the settings that limit `oldProfile` and that `newProfile` lacks. They are lost if `newProfile` replaces `oldProfile`. */
export const findLimitsLostByReplacement = (
  newProfile: Profile,
  oldProfile: Profile | undefined,
): readonly string[] =>
  oldProfile === undefined || isSameAccount(newProfile, oldProfile)
    ? []
    : LIMIT_SETTINGS.filter((name) => oldProfile[name] !== undefined && newProfile[name] === undefined).map(
        (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      );

/**
 * Reports whether both profiles are for the same partner or company of the same service. Sandboxes are compared by their data folder,
 * because the port may change.
 */
function isSameAccount(next: Profile, before: Profile): boolean {
  const isSameSandbox = next.sandbox !== undefined && next.sandbox.dataDir === before.sandbox?.dataDir;
  const isSamePlace = isSameSandbox || originIn(next.baseUrl) === originIn(before.baseUrl);
  const id = next.kind === 'partner' ? 'partnerId' : 'companyId';
  return isSamePlace && next.kind === before.kind && next[id] === before[id];
}

function originIn(baseUrl: string): string {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? baseUrl : base.origin;
}
