import type { Entry } from '../../journal/entry.ts';
import type { Session } from './session.ts';

/** What the session's profile, as this user of this company, wrote before; the oldest first. */
export async function ownEntriesOf(session: Session): Promise<readonly Entry[]> {
  // Loaded only here: every noun's verbs are read at once.
  const [{ ownEntries }, { actorOf }, { journalFolder }] = await Promise.all([
    import('../../journal/own.ts'),
    import('../../journal/actor.ts'),
    import('../../journal/place.ts'),
  ]);
  const { context } = session;
  const folder = journalFolder(context);
  if (folder === undefined) return [];
  return ownEntries({ folder, platform: context.platform }, actorOf(await session.resolved(), ''));
}
