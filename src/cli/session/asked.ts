/** Whom this run asked, for the words of an error. Loaded only when something has failed. */
import type { Resolved } from '../../profiles/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { Asked } from '../errors/asked.ts';
import { sandboxAt } from './sandbox-start.ts';

/** @param now this machine's time, in milliseconds */
export async function askedOf(
  { baseUrl, origin, credentials, naming, sources, profile }: Resolved,
  store: () => Promise<ProfileStore>,
  now: number,
): Promise<Asked> {
  const own = profile === undefined ? [] : [profile];
  const sandbox = sandboxAt(origin, own) ?? sandboxAt(origin, await stored(store));
  return { baseUrl, credentials, naming, sources, profile: profile?.name, now, sandbox };
}

/** Profiles that can't be read are no part of what failed. */
async function stored(store: () => Promise<ProfileStore>): Promise<readonly Profile[]> {
  try {
    return (await (await store()).list()).profiles;
  } catch {
    return [];
  }
}
