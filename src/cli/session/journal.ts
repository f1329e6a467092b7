/** Opens the journal for a run's writes. */

import type { JournalRecorder } from '../../journal/recorder.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import type { Context } from '../outside/context.ts';
import { OTHER_PROCESS_WAIT_TEXT, type WaitNotices } from './waits.ts';

interface RecorderParts {
  readonly context: Context;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly waitNotices: WaitNotices;
  readonly redact: (text: string) => string;
  readonly warn: (line: string) => Promise<void>;
}

/** Opens the journal, and returns its recorder of writes. @param command the noun and verb of the command, such as `task create` */
export async function openJournalRecorder(command: string, parts: RecorderParts): Promise<JournalRecorder> {
  const { context, resolved, waitNotices, redact, warn } = parts;
  const [{ createJournalRecorder }, { determineWriteRequestSender }, { journalFolder }] = await Promise.all([
    import('../../journal/recorder.ts'),
    import('../../journal/entry.ts'),
    import('../../journal/file.ts'),
  ]);
  const made = createJournalRecorder({
    folder: journalFolder(context),
    platform: context.platform,
    clock: context.clock,
    random: context.random,
    sender: determineWriteRequestSender(await resolved(), command),
    redact,
    printLine: warn,
  });
  return {
    ...made,
    begin: (write, how) => waitNotices.runWithNotice(OTHER_PROCESS_WAIT_TEXT, () => made.begin(write, how)),
    end: (write, outcome, n) =>
      waitNotices.runWithNotice(OTHER_PROCESS_WAIT_TEXT, () => made.end(write, outcome, n)),
  };
}
