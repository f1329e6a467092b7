/** Describes the service and account of this run, for error messages. Loaded only after a failure. */
import type { Resolved } from '../../profiles/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { RequestContext } from '../errors/request-context.ts';
import { sandboxAt } from './sandbox-start.ts';

/** Returns the description. @param now this machine's time, in milliseconds */
export async function requestContextOf(
  { baseUrl, origin, credentials, naming, sources, profile }: Resolved,
  store: () => Promise<ProfileStore>,
  now: number,
): Promise<RequestContext> {
  const own = profile === undefined ? [] : [profile];
  const sandbox = sandboxAt(origin, own) ?? sandboxAt(origin, await stored(store));
  return { baseUrl, credentials, naming, sources, profile: profile?.name, now, sandbox };
}

/** Returns the stored profiles, or none if they can't be read: that must not hide the original failure. */
async function stored(store: () => Promise<ProfileStore>): Promise<readonly Profile[]> {
  try {
    return (await (await store()).list()).profiles;
  } catch {
    return [];
  }
}
