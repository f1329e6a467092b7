/** Describes the service and account of this run, for error messages. Loaded only after a failure. */
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { FailedRequestContext } from '../errors/request-context.ts';
import { findSandboxRestartInfoByOrigin } from './sandbox-start.ts';

/** Returns the service and account of this run for error messages. @param now this machine's time, in milliseconds */
export async function createRequestContext(
  { baseUrl, origin, credentials, naming, sources, profile }: ResolvedCredentials,
  store: () => Promise<ProfileStore>,
  now: number,
): Promise<FailedRequestContext> {
  const own = profile === undefined ? [] : [profile];
  const sandbox =
    findSandboxRestartInfoByOrigin(origin, own) ??
    findSandboxRestartInfoByOrigin(origin, await stored(store));
  return { baseUrl, credentials, naming, sources, profile: profile?.name, now, sandbox };
}

/** Returns the stored profiles, or none if they can't be read, because a second error must not hide the original failure. */
async function stored(store: () => Promise<ProfileStore>): Promise<readonly Profile[]> {
  try {
    return (await (await store()).list()).profiles;
  } catch {
    return [];
  }
}
