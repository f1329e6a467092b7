/** Prints lines on stderr for one session, and removes secrets from text. */
import type { Context } from '../outside/context.ts';
import type { SecretRedactor } from './secrets.ts';
import type { WaitNotices } from './waits.ts';

/** Functions that print lines on stderr, and that remove secrets from text. */
export interface StderrNotePrinter {
  /** Prints a line on stderr, unless `--quiet`. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Prints a line on stderr, even with `--quiet` (contract, "Safety"). */
  readonly warn: (line: string) => Promise<void>;
  /**
   * Runs `work`. If it takes more than 2 seconds, prints a line that begins with `waiting` and continues with `words`.
   * @param words for example `for X, for 1 minute at most`
   */
  readonly waiting: <T>(words: string, work: () => Promise<T>) => Promise<T>;
  /**
   * Runs `work` without lines about waits and without the line `Working…`. Use it if `work` has its own display, or if another program uses
   * the terminal.
   */
  readonly withoutWaitLines: <T>(work: () => Promise<T>) => Promise<T>;
  /** Removes every secret known so far from a text. */
  readonly redact: (text: string) => string;
  /** Adds secrets to those that `redact` removes from texts. */
  readonly hide: (secrets: readonly string[]) => void;
}

interface NoteParts {
  readonly context: Pick<Context, 'pauseWorkingLine'>;
  readonly quiet: boolean;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  readonly warn: StderrNotePrinter['warn'];
}

export function createStderrNotePrinter({
  context,
  quiet,
  secrets,
  waitNotices,
  warn,
}: NoteParts): StderrNotePrinter {
  return {
    // An unreadable stderr (a terminal that was closed) must not stop the work.
    info: async (line) => {
      if (!quiet) await warn(line).catch(() => undefined);
    },
    warn,
    waiting: waitNotices.runWithNotice,
    withoutWaitLines: (work) => {
      const shown = () => waitNotices.runWithoutNotices(work);
      return context.pauseWorkingLine ? context.pauseWorkingLine(shown) : shown();
    },
    redact: secrets.redact,
    hide: secrets.hide,
  };
}
