import type { Entry } from '../../client/journal/entry.ts';
import type { Invocation, Profiles } from './ports.ts';

export async function readJournalEntriesOfSessionUser(
  session: Invocation & Profiles,
): Promise<readonly Entry[]> {
  // Loaded only here, because every noun's verbs are loaded at once.
  const [{ readJournalEntriesOfRequestSender }, { determineWriteRequestSender }, { journalFolder }] =
    await Promise.all([
      import('../../client/journal/read.ts'),
      import('../../client/journal/entry.ts'),
      import('../../client/journal/file.ts'),
    ]);
  const { context } = session;
  const folder = journalFolder(context);
  if (folder === undefined) return [];
  return readJournalEntriesOfRequestSender(
    { folder, platform: context.platform },
    determineWriteRequestSender(await session.resolved(), ''),
  );
}
