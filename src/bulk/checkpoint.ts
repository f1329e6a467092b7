/**
 * The checkpoint: what a bulk job has done so far, so that the same command goes on after a crash (acceptance, I1). Lines
 * of text: a header; `H n`, the mark "sendable below": no row from `n` on was ever sent, on disk before any row from the
 * former mark on is; `A i` and `S i`: row i was added, or was there already; `F {…}`: the service refused it; `U {…}`:
 * sent, and never confirmed; `N i`: it was not sent after all; `R i`: it is sent now, on disk before it is; `E {…}`: all is
 * done. Rows are counted from 0, as they stand in the file. A run that ends by itself writes the mark once more, back to
 * where it came: of the rows below it then all have a line of their own, but for those in doubt.
 */
import { formatJson } from '../protocol/json.ts';
import { BulkError } from './errors.ts';
import type { Done, RowOutcome, RowReport } from './row.ts';

/** A file that is written at its end only. */
export interface AppendFile {
  readonly append: (text: string) => Promise<void>;
  /** Resolves when all that was appended is on disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Checkpoint {
  /**
   * Row `row` may be sent, once the promise resolves that it gives where that has to be written first. @throws BulkError when
   * it can't be written any more
   */
  readonly allow: (row: number) => Promise<void> | undefined;
  /** Whether an earlier run may have sent it. */
  readonly wasAllowed: (row: number) => boolean;
  readonly outcomeOf: (row: number) => RowOutcome | undefined;
  readonly note: (row: number, line: number, done: Done | 'unsent') => void;
  readonly report: (outcome: 'failed' | 'unconfirmed', report: RowReport) => void;
  /** Once nothing is under way: all that was noted is on disk. @throws BulkError when it could not be written */
  readonly flush: () => Promise<void>;
  readonly finish: (report: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What an earlier run has left. */
export interface Resumed {
  /** No row from this one on was ever sent. */
  readonly sendableBelow: number;
  readonly outcomes: RowOutcomes;
}

export interface RowOutcomes {
  readonly get: (row: number) => RowOutcome | undefined;
  readonly set: (row: number, outcome: RowOutcome | undefined) => void;
}

/** Rows whose outcome waits in memory until it is written; after a crash they are looked up. */
const BUFFERED = 64;
/** Lines that are named when outcomes can't be written. */
const NAMED = 100;

/**
 * @param file undefined: nothing is kept, and nothing can be gone on with
 * @param step rows by which the mark moves: after a crash so many may have to be looked up
 */
export function createCheckpoint(file: AppendFile | undefined, resumed: Resumed, step: number): Checkpoint {
  let { sendableBelow } = resumed;
  /** One more than the highest row that was ever allowed. */
  let top = resumed.sendableBelow;
  /** On disk; `sendableBelow` may still be on its way there. */
  let durable = sendableBelow;
  let moving: Promise<void> = Promise.resolve();
  let pending: string[] = [];
  /** Lines of rows with an outcome that is not written yet. */
  let unwritten: number[] = [];
  let broken: unknown;
  let writing: Promise<void> = Promise.resolve();

  const write = (text: string, sync: boolean): Promise<void> => {
    const lines = unwritten;
    const whole = pending.join('') + text;
    pending = [];
    unwritten = [];
    writing = writing.then(async () => {
      if (broken === undefined && file !== undefined && whole !== '') {
        try {
          await file.append(whole);
          if (sync) await file.sync();
          return;
        } catch (error) {
          broken = error;
        }
      }
      if (broken !== undefined) unwritten = [...lines, ...unwritten];
    });
    return writing;
  };
  const check = (): void => {
    if (broken !== undefined) throw cannotWrite(broken, unwritten);
  };
  const add = (line: number, text: string): void => {
    if (file === undefined) return;
    pending.push(text);
    unwritten.push(line);
    if (pending.length >= BUFFERED && broken === undefined) void write('', false);
  };

  const allowOnDisk = async (row: number): Promise<void> => {
    if (resumed.outcomes.get(row) === 'unsent') {
      await write(`R ${row}\n`, true);
      check();
    }
    if (row < durable) return;
    if (row >= sendableBelow) {
      const next = (Math.floor(row / step) + 1) * step;
      sendableBelow = next;
      moving = write(`H ${next}\n`, true).then(() => {
        durable = Math.max(durable, next);
      });
    }
    await moving;
    check();
  };

  return {
    allow: (row) => {
      check();
      if (file === undefined) return undefined;
      top = Math.max(top, row + 1);
      if (row < durable && resumed.outcomes.get(row) !== 'unsent') return undefined;
      return allowOnDisk(row);
    },
    wasAllowed: (row) => row < resumed.sendableBelow,
    outcomeOf: resumed.outcomes.get,
    note: (row, line, done) => add(line, `${LETTERS[done]} ${row}\n`),
    report: (outcome, report) =>
      add(report.line, `${outcome === 'failed' ? 'F' : 'U'} ${formatJson(report)}\n`),
    flush: async () => {
      await write(top < sendableBelow ? `H ${top}\n` : '', true);
      sendableBelow = top;
      durable = Math.min(durable, top);
      check();
    },
    finish: async (report) => {
      await write(`E ${formatJson(report)}\n`, true);
      check();
    },
    close: async () => {
      await writing;
      await file?.close();
    },
  };
}

const LETTERS = { added: 'A', skipped: 'S', unsent: 'N' } as const;
const CODES = ['added', 'skipped', 'failed', 'unconfirmed', 'unsent'] as const;

/** An octet a row. */
export function createRowOutcomes(): RowOutcomes {
  let octets = new Uint8Array(1024);
  return {
    get: (row) => CODES[(octets[row] ?? 0) - 1],
    set: (row, outcome) => {
      if (row >= octets.length) {
        const more = new Uint8Array(Math.max(row + 1, 2 * octets.length));
        more.set(octets);
        octets = more;
      }
      octets[row] = outcome === undefined ? 0 : CODES.indexOf(outcome) + 1;
    },
  };
}

function cannotWrite(cause: unknown, lines: readonly number[]): BulkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const uncertain = [...new Set(lines)].sort((a, b) => a - b);
  const more = uncertain.length > NAMED ? `, and ${uncertain.length - NAMED} more` : '';
  const details =
    uncertain.length === 0
      ? []
      : [
          `sent, and what came of them is not in the journal: lines ${uncertain.slice(0, NAMED).join(', ')}${more}`,
        ];
  // The lock was lost: that is all there is to say, and no disk is to blame.
  if (cause instanceof BulkError)
    return new BulkError(cause.kind, cause.message, { hints: cause.hints, details, cause });
  return new BulkError(
    'unwritable-checkpoint',
    `the journal can't be written (${why}); no more rows are sent`,
    {
      cause,
      details,
      hint: 'Make room, then run the same command again: those rows are looked up first.',
    },
  );
}
