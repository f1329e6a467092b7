/** Runs work on files whenever they are saved, until Ctrl-C. */
import { type Stats, statSync } from 'node:fs';
import { UsageError } from '../../errors/errors.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, Session } from '../../session/session.ts';

/** Group of files. A change to one of them triggers `onSaved` for the group. */
export interface WatchedFiles {
  /** Absolute paths of the files. */
  readonly paths: readonly string[];
  /** Called after a save. An error ends the watch. */
  readonly onSaved: () => Promise<void>;
}

/** Milliseconds between two checks. A file that stays the same for two checks after a change is completely written. */
const INTERVAL = 250;

/**
 * Polls the files instead of using the system's notifications. Polling also works for editors that replace the file, in containers and on
 * network drives, which send no notifications.
 * @returns a function that watches until Ctrl-C; the first check happens at once, so that no earlier save is missed
 */
export function watchFiles(
  { context: { clock, signal } }: Invocation,
  watched: readonly WatchedFiles[],
): () => Promise<void> {
  const states = watched.map((files) => {
    const look = fileStamp(files.paths);
    return { ...files, worked: look, before: look };
  });
  return async () => {
    for (;;) {
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      for (const state of states) {
        if (signal.aborted) return;
        const now = fileStamp(state.paths);
        const isSaved = now !== state.worked && now === state.before;
        state.before = now;
        if (!isSaved) continue;
        state.worked = now;
        await state.onSaved();
      }
    }
  };
}

/** Checks that the output format is text, because a watch prints no rows. @throws UsageError for any other format */
export async function requireTextOutputFormat(session: Session): Promise<void> {
  if (!(await isResultPrintedForPeople(session)))
    throw new UsageError('--watch prints only text', {
      hint: 'leave out --format, -o, --fields and --query',
    });
}

/** Returns a text that changes when a file is saved, moved away or replaced. */
const fileStamp = (paths: readonly string[]): string => paths.map(lookOf).join('\n');

function lookOf(path: string): string {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Its folder can't be read now. The code that reads the file reports the error.
    return 'hidden';
  }
  return stats === undefined ? 'gone' : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(' ');
}
