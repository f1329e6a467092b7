/** Keeps the limits of a profile when another takes its name, as `profile add --replace` and `svc init` do to change a key. */
import { parseBaseUrl } from '../protocol/origin.ts';
import type { Profile } from './profile.ts';

/** Settings that limit what a profile may do. */
const GUARDS = [
  'readOnly',
  'requireCompany',
  'requireApprovals',
  'approvalsFor',
  'signers',
  'budget',
  'proofList',
] as const satisfies readonly (keyof Profile)[];

/**
 * Returns `next` with the limits and the roster of the profile that it replaces, if both are of the same account at the same place. So a new
 * key does not silently remove a limit.
 */
export function keepingLimits(next: Profile, before: Profile | undefined): Profile {
  if (before === undefined || !isSameAccount(next, before)) return next;
  const kept = Object.fromEntries(
    [...GUARDS, 'roster' as const].flatMap((name) =>
      before[name] === undefined ? [] : [[name, before[name]]],
    ),
  );
  return { ...kept, ...next };
}

/** Returns the limits that `next` has not, as names of settings. They are lost if it replaces `before`. */
export const lostLimits = (next: Profile, before: Profile | undefined): readonly string[] =>
  before === undefined || isSameAccount(next, before)
    ? []
    : GUARDS.filter((name) => before[name] !== undefined && next[name] === undefined).map((name) =>
        name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      );

/** Reports whether both are of one partner or company. The place of a sandbox is its data folder, because its port may change. */
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
