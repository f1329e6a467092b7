/** Finds limits of an account that are nearly reached. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { grouped } from '../../output/bar.ts';

/** Limits with a count (interface, Limits, "Per-account limits"); null means unlimited. The account shows no count for the others. */
const LIMITS = [
  { limit: 'list_limit', count: 'list_count', what: 'lists' },
  { limit: 'subscriber_limit', count: 'subscriber_count', what: 'subscribers' },
  { limit: 'user_limit', count: 'user_count', what: 'sub-users' },
] as const;

/** Share of a limit that counts as nearly reached. */
const NEARLY = 0.9;

export function limitNotes(account: JsonObject): readonly string[] {
  return LIMITS.flatMap(({ limit, count, what }) => {
    const most = account[limit];
    const now = account[count];
    if (typeof most !== 'number' || typeof now !== 'number' || now === 0 || now < most * NEARLY) return [];
    const reached = now < most ? 'Nearly at a limit' : 'At a limit';
    return [`${reached}: ${grouped(now)} of ${grouped(most)} ${what} (${limit}).`];
  });
}
