import type { OnRequestWait, RequestWait } from '../../client/requests/connection.ts';
import type { Clock, StartTimer } from '../../client/requests/ports.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import type { SecretRedactor } from '../output/redact.ts';
import type { Context } from '../outside/context.ts';
import type { Notes } from './ports.ts';

export interface WaitNotices {
  /** @param ifInterrupted what Ctrl-C does, if not the usual */
  readonly createWaitListener: (ifInterrupted: string | undefined) => OnRequestWait;
  /** Prints a line that begins with `waiting` and continues with `reason` if the work takes more than 2 seconds. */
  readonly runWithNotice: <T>(reason: string, work: () => Promise<T>) => Promise<T>;
  readonly runWithoutNotices: <T>(work: () => Promise<T>) => Promise<T>;
  readonly written: () => Promise<void>;
}

/** Text for the wait while another process writes the profiles or the journal. Only one process can write them at a time. */
export const OTHER_PROCESS_WAIT_TEXT = 'for another svc to finish writing (at most 10 seconds)';

const SILENT_MS = 2000;
/** Minimum milliseconds between two lines about the same wait. */
const REPEAT_MS = 60_000;

export function createWaitNotices(parts: {
  readonly clock: Pick<Clock, 'now'>;
  readonly timer: StartTimer;
  readonly say: (line: string) => Promise<void>;
}): WaitNotices {
  const { clock, timer, say } = parts;
  const lastSaid = new Map<string, number>();
  let lines: Promise<void> = Promise.resolve();
  let shown = 0;

  const tell = (about: string, line: string): void => {
    const before = lastSaid.get(about);
    if (shown > 0 || (before !== undefined && clock.now() - before < REPEAT_MS)) return;
    lastSaid.set(about, clock.now());
    // An unreadable stderr must not stop the work.
    lines = lines.then(() => say(line)).catch(() => undefined);
  };
  const createWaitListener =
    (ifInterrupted: string | undefined): OnRequestWait =>
    (wait) => {
      const { kind, method, path, until } = wait;
      const begin = (): void =>
        tell(`${kind} ${method} ${path}`, lineOf(wait, until - clock.now(), ifInterrupted));
      // The duration of a response is unknown; the other waits last as long as announced.
      if (kind === 'answer') return timer(SILENT_MS, begin);
      if (until - clock.now() > SILENT_MS) begin();
      return () => undefined;
    };
  return {
    createWaitListener,
    runWithNotice: async (reason, work) => {
      const stop = timer(SILENT_MS, () => tell(reason, `waiting ${reason}`));
      try {
        return await work();
      } finally {
        stop();
      }
    },
    runWithoutNotices: async (work) => {
      shown += 1;
      try {
        return await work();
      } finally {
        shown -= 1;
      }
    },
    written: () => lines,
  };
}

function lineOf(wait: RequestWait, milliseconds: number, ifInterrupted: string | undefined): string {
  const { kind, method, path, why, hasUncertainAttempt } = wait;
  const left = formatDuration(Math.max(1, Math.ceil(milliseconds / 1000)));
  const request = `${method} ${path}`;
  const isRead = method === 'GET' || method === 'HEAD';
  const safe = 'Ctrl-C is safe: nothing is changed.';
  const open = 'After Ctrl-C, the outcome is unknown.';
  switch (kind) {
    case 'answer': {
      const usual = isRead ? safe : 'After Ctrl-C, svc waits up to 10 more seconds for the response.';
      return `Waiting for ${request} (timeout in ${left}). ${ifInterrupted ?? usual}`;
    }
    case 'again': {
      const usual = isRead || !hasUncertainAttempt ? safe : open;
      return `${request}: ${why}. Retrying in ${left}. ${ifInterrupted ?? usual}`;
    }
    case 'settle':
      return `No response to ${request}. Looking for the record (timeout in ${left}). ${ifInterrupted ?? open}`;
  }
}

export function createStderrNotePrinter({
  context,
  quiet,
  secrets,
  waitNotices,
  warn,
}: {
  readonly context: Pick<Context, 'pauseWorkingLine'>;
  readonly quiet: boolean;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  readonly warn: Notes['warn'];
}): Notes {
  return {
    // An unreadable stderr (a terminal that was closed) must not stop the work.
    info: async (note) => {
      if (!quiet) await warn(note).catch(() => undefined);
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
