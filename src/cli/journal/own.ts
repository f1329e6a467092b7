import type { Session } from '../session/session.ts';
import { askerOf, isSameAsker } from './asker.ts';
import type { Entry } from './entry.ts';
import { journalFolder } from './place.ts';
import { readEntries } from './read.ts';

/** What this profile, as this user of this company, wrote before; the oldest first. */
export async function ownEntries(session: Session): Promise<readonly Entry[]> {
  const folder = journalFolder(session.context);
  if (folder === undefined) return [];
  const asker = askerOf(await session.resolved(), '');
  const entries = await readEntries({ folder, platform: session.context.platform });
  return entries.filter((entry) => isSameAsker(entry, asker));
}
