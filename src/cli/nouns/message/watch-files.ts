/** Files that are worked on again whenever they are saved, until Ctrl-C. */
import { type Stats, statSync } from 'node:fs';
import { UsageError } from '../../errors/errors.ts';
import { isForPeople } from '../../session/for-people.ts';
import type { Session } from '../../session/session.ts';

/** Files that belong together: one of them saved is all of them saved. */
export interface WatchedFiles {
  /** Absolute. */
  readonly paths: readonly string[];
  /** What it throws ends the watch. */
  readonly onSaved: () => Promise<void>;
}

/** Milliseconds between two looks. What is the same in two of them after a change has been written to its end. */
const INTERVAL = 250;

/**
 * Looks at the files rather than asking the system to tell of changes: that works for editors that put a new file in the place of
 * the old one, and in containers and on network drives, which tell of nothing.
 * @returns what watches until Ctrl-C; the first look is taken at once, so that nothing is missed of what is saved before
 */
export function watchFiles(
  { context: { clock, signal } }: Session,
  watched: readonly WatchedFiles[],
): () => Promise<void> {
  const states = watched.map((files) => {
    const look = looksOf(files.paths);
    return { ...files, worked: look, before: look };
  });
  return async () => {
    for (;;) {
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      for (const state of states) {
        if (signal.aborted) return;
        const now = looksOf(state.paths);
        const isSaved = now !== state.worked && now === state.before;
        state.before = now;
        if (!isSaved) continue;
        state.worked = now;
        await state.onSaved();
      }
    }
  };
}

/** What a watch prints has no end, and no rows. */
export async function mustPrintText(session: Session): Promise<void> {
  if (!(await isForPeople(session)))
    throw new UsageError('--watch prints text', { hint: 'leave out --format, -o, --fields and --query' });
}

/** What changes when a file is saved, moved away or put in its place. */
const looksOf = (paths: readonly string[]): string => paths.map(lookOf).join('\n');

function lookOf(path: string): string {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Its folder can't be looked into, now: whoever reads the file has the words for it.
    return 'hidden';
  }
  return stats === undefined ? 'gone' : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(' ');
}
