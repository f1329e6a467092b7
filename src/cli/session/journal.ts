/** Opens the journal for a run's writes. */

import type { Recorder } from '../../journal/recorder.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { Context } from '../outside/context.ts';
import { ANOTHER_WRITES, type Waits } from './waits.ts';

interface RecorderParts {
  readonly context: Context;
  readonly resolved: () => Promise<Resolved>;
  readonly waits: Waits;
  readonly redact: (text: string) => string;
  readonly warn: (line: string) => Promise<void>;
}

/** Opens the recorder. @param command noun and verb */
export async function openRecorder(command: string, outside: RecorderParts): Promise<Recorder> {
  const { context, resolved, waits, redact, warn } = outside;
  const [{ createRecorder }, { actorOf }, { journalFolder }] = await Promise.all([
    import('../../journal/recorder.ts'),
    import('../../journal/actor.ts'),
    import('../../journal/place.ts'),
  ]);
  const made = createRecorder({
    folder: journalFolder(context),
    platform: context.platform,
    clock: context.clock,
    random: context.random,
    actor: actorOf(await resolved(), command),
    redact,
    tell: warn,
  });
  return {
    ...made,
    begin: (write, how) => waits.during(ANOTHER_WRITES, () => made.begin(write, how)),
    end: (write, outcome, n) => waits.during(ANOTHER_WRITES, () => made.end(write, outcome, n)),
  };
}
