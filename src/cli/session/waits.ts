/** A wait of more than 2 seconds is never silent: on stderr a line says what for, how long at most, and what Ctrl-C does. */
import type { Clock, StartTimer } from '../../client/ports.ts';
import type { OnWait, Wait } from '../../client/wait.ts';
import { formatDuration } from '../../text/duration.ts';

export interface Waits {
  /** What a client tells of its waits goes here. @param ifInterrupted what Ctrl-C does, where it isn't the usual */
  readonly onWait: (ifInterrupted: string | undefined) => OnWait;
  /** Of other work: `waiting` and these words, once it takes long. */
  readonly during: <T>(words: string, work: () => Promise<T>) => Promise<T>;
  readonly shownOtherwise: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when all lines are out. */
  readonly said: () => Promise<void>;
}

/** Profiles and the journal are written by one process at a time. */
export const ANOTHER_WRITES = 'for another svc to finish writing, for 10 seconds at most';

const SILENT_MS = 2000;
/** The same is said again after so long. */
const AGAIN_MS = 60_000;

export function createWaits(outside: {
  readonly clock: Pick<Clock, 'now'>;
  readonly timer: StartTimer;
  readonly say: (line: string) => Promise<void>;
}): Waits {
  const { clock, timer, say } = outside;
  const lastSaid = new Map<string, number>();
  let lines: Promise<void> = Promise.resolve();
  let shown = 0;

  const tell = (about: string, line: string): void => {
    const before = lastSaid.get(about);
    if (shown > 0 || (before !== undefined && clock.now() - before < AGAIN_MS)) return;
    lastSaid.set(about, clock.now());
    // That nobody can read it must not stop the work.
    lines = lines.then(() => say(line)).catch(() => undefined);
  };
  const onWait =
    (ifInterrupted: string | undefined): OnWait =>
    (wait) => {
      const { kind, method, path, until } = wait;
      const begin = (): void =>
        tell(`${kind} ${method} ${path}`, lineOf(wait, until - clock.now(), ifInterrupted));
      // Of an answer nobody knows when it comes; the other waits take as long as they are said to.
      if (kind === 'answer') return timer(SILENT_MS, begin);
      if (until - clock.now() > SILENT_MS) begin();
      return () => undefined;
    };
  return {
    onWait,
    during: async (words, work) => {
      const stop = timer(SILENT_MS, () => tell(words, `waiting ${words}`));
      try {
        return await work();
      } finally {
        stop();
      }
    },
    shownOtherwise: async (work) => {
      shown += 1;
      try {
        return await work();
      } finally {
        shown -= 1;
      }
    },
    said: () => lines,
  };
}

function lineOf(wait: Wait, milliseconds: number, ifInterrupted: string | undefined): string {
  const { kind, method, path, why, doubtful } = wait;
  const left = formatDuration(Math.max(1, Math.ceil(milliseconds / 1000)));
  const request = `${method} ${path}`;
  const isRead = method === 'GET' || method === 'HEAD';
  const open = 'Ctrl-C leaves open whether it was carried out';
  switch (kind) {
    case 'answer': {
      const usual = isRead ? 'Ctrl-C changes nothing' : 'Ctrl-C gives it 10 seconds more';
      return `waiting for the answer to ${request}, for ${left} more at most; ${ifInterrupted ?? usual}`;
    }
    case 'again': {
      const usual = isRead
        ? 'Ctrl-C changes nothing'
        : doubtful
          ? open
          : 'nothing was done, and Ctrl-C leaves it so';
      return `${request}: ${why}; it is sent again in ${left}; ${ifInterrupted ?? usual}`;
    }
    case 'settle':
      return (
        `the answer to ${request} was lost; looking for what it made, for ${left} at most; ` +
        `${ifInterrupted ?? open}`
      );
  }
}
