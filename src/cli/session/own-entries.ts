import type { Entry } from '../../journal/entry.ts';
import type { Session } from './session.ts';

/** Returns the earlier journal entries of the session's profile, user and company, oldest first. */
export async function readJournalEntriesOfSessionUser(session: Session): Promise<readonly Entry[]> {
  // Loaded only here, because every noun's verbs are loaded at once.
  const [{ readJournalEntriesBySender }, { determineSenderOfWrite }, { journalFolder }] = await Promise.all([
    import('../../journal/read.ts'),
    import('../../journal/entry.ts'),
    import('../../journal/file.ts'),
  ]);
  const { context } = session;
  const folder = journalFolder(context);
  if (folder === undefined) return [];
  return readJournalEntriesBySender(
    { folder, platform: context.platform },
    determineSenderOfWrite(await session.resolved(), ''),
  );
}
