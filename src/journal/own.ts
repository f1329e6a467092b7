import { isSameActor } from './actor.ts';
import type { Actor, Entry } from './entry.ts';
import type { JournalPlace } from './place.ts';
import { readEntries } from './read.ts';

/** Returns the earlier writes of this profile, as this user of this company, oldest first. */
export async function ownEntries(
  place: JournalPlace,
  actor: Omit<Actor, 'command'>,
): Promise<readonly Entry[]> {
  const entries = await readEntries(place);
  return entries.filter((entry) => isSameActor(entry, actor));
}
