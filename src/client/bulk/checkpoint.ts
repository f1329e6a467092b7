/**
 * Defines the checkpoint, a file that stores the progress of a bulk job. After a crash, the user repeats the command. The command then
 * reads the checkpoint and resumes the job (docs/acceptance.md, I1).
 *
 * The file has a header, followed by lines that begin with a letter. Rows are numbered from 0, in the order of the input file.
 * - `H n`: the send limit is n. svc may send only rows whose numbers are below n. Before svc sends a later row, it writes an `H` line with
 *   a higher limit to disk.
 * - `A i`: the service added row i.
 * - `S i`: svc skipped row i, because the service already had the record.
 * - `F {…}`: the service refused the row.
 * - `U {…}`: svc sent the row, but could not confirm that the service added the row.
 * - `N i`: the service certainly did not add row i, for example because svc had no connection. A later run may send row i.
 * - `R i`: cancels an earlier line `N i`, because the present run is about to send row i.
 * - `E {…}`: the job is finished.
 *
 * A valid row below the send limit may have no line after the end of a run. That run may then have sent the row without learning or storing
 * the outcome. So the next run looks up the row in the service.
 *
 * svc raises the send limit by many rows at once, so a run may end before it has sent all these rows. A run that ends without a crash
 * therefore lowers the limit. The new limit is one more than the highest row number that svc passed to `allowSending`. The next run then
 * does not look up the later rows, which were never sent.
 */
import type { Ledger } from '../../kit/files/ledger.ts';
import { nonNegativeInteger, objectWithAtLeast, orNull, type Shaped, text } from '../../kit/schema/shape.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { BulkError } from './errors.ts';
import type { DoneRowOutcome, FailedRowReport, RowOutcome } from './row.ts';

export const bulkReportShape = objectWithAtLeast({
  rows: nonNegativeInteger,
  added: nonNegativeInteger,
  skipped: nonNegativeInteger,
  rejected: nonNegativeInteger,
  failed: nonNegativeInteger,
  unconfirmed: nonNegativeInteger,
  /** Number of rows that are not completed, or whose outcome is unknown. The same command resumes with these rows. */
  open: nonNegativeInteger,
  /** Path of the rejects file, or null if no row was rejected. */
  rejects: orNull(text),
});
export type BulkReport = Shaped<typeof bulkReportShape>;

export type AppendOnlyFile = Pick<Ledger, 'append' | 'sync' | 'close'>;

export interface BulkJobCheckpoint {
  /**
   * Returns a promise if the permission must be written to disk first.
   * @throws BulkError if the checkpoint can no longer be written
   */
  readonly allowSending: (row: number) => Promise<void> | undefined;
  readonly mayHaveBeenSent: (row: number) => boolean;
  readonly outcomeOf: (row: number) => RowOutcome | undefined;
  /** `line` is the number of the row's line in the input file. */
  readonly noteDone: (row: number, line: number, done: DoneRowOutcome | 'unsent') => void;
  readonly noteFailed: (outcome: 'failed' | 'unconfirmed', report: FailedRowReport) => void;
  /**
   * Called when no request is in flight.
   * @throws BulkError if they could not be written
   */
  readonly flush: () => Promise<void>;
  readonly finish: (report: BulkReport) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ResumedJobProgress {
  /** Rows before this one may have been sent. */
  readonly sendableBelow: number;
  readonly outcomes: RowOutcomes;
}

interface RowOutcomes {
  readonly get: (row: number) => RowOutcome | undefined;
  readonly set: (row: number, outcome: RowOutcome | undefined) => void;
}

/** After a crash, the next run looks up these rows in the service. */
const BUFFERED_ROWS = 64;
const MAX_LISTED_LINES = 100;

/**
 * @param file if undefined, no progress is stored
 * @param step rows by which the send limit is raised: after a crash, the next run may have to look up as many
 */
export function createBulkJobCheckpoint(
  file: AppendOnlyFile | undefined,
  resumed: ResumedJobProgress,
  step: number,
): BulkJobCheckpoint {
  let { sendableBelow } = resumed;
  let allowedBelow = resumed.sendableBelow;
  /** While svc writes a higher limit to disk, only the variable `sendableBelow` has the new value. */
  let limitOnDisk = sendableBelow;
  let moving: Promise<void> = Promise.resolve();
  let pending: string[] = [];
  /** Line numbers of the rows whose outcome is not written yet. */
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
    if (pending.length >= BUFFERED_ROWS && broken === undefined) void write('', false);
  };

  const allowOnDisk = async (row: number): Promise<void> => {
    if (resumed.outcomes.get(row) === 'unsent') {
      await write(`R ${row}\n`, true);
      check();
    }
    if (row < limitOnDisk) return;
    if (row >= sendableBelow) {
      const next = (Math.floor(row / step) + 1) * step;
      sendableBelow = next;
      moving = write(`H ${next}\n`, true).then(() => {
        limitOnDisk = Math.max(limitOnDisk, next);
      });
    }
    await moving;
    check();
  };

  return {
    allowSending: (row) => {
      check();
      if (file === undefined) return undefined;
      allowedBelow = Math.max(allowedBelow, row + 1);
      if (row < limitOnDisk && resumed.outcomes.get(row) !== 'unsent') return undefined;
      return allowOnDisk(row);
    },
    mayHaveBeenSent: (row) => row < resumed.sendableBelow,
    outcomeOf: resumed.outcomes.get,
    noteDone: (row, line, done) => add(line, `${LETTERS[done]} ${row}\n`),
    noteFailed: (outcome, report) =>
      add(report.line, `${outcome === 'failed' ? 'F' : 'U'} ${formatJson(report)}\n`),
    flush: async () => {
      await write(allowedBelow < sendableBelow ? `H ${allowedBelow}\n` : '', true);
      sendableBelow = allowedBelow;
      limitOnDisk = Math.min(limitOnDisk, allowedBelow);
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
  const more = uncertain.length > MAX_LISTED_LINES ? `, and ${uncertain.length - MAX_LISTED_LINES} more` : '';
  const details =
    uncertain.length === 0
      ? []
      : [
          `these rows were sent, but the checkpoint does not have their results: lines ${uncertain.slice(0, MAX_LISTED_LINES).join(', ')}${more}`,
        ];
  // If the lock was lost, that error is enough: the disk is not at fault.
  if (cause instanceof BulkError)
    return new BulkError(cause.kind, cause.message, { hints: cause.hints, details, cause });
  return new BulkError(
    'unwritable-checkpoint',
    `cannot write the checkpoint (${why}); no more rows are sent`,
    {
      cause,
      details,
      hint: 'Free some disk space, then run the same command again: svc first looks up the rows whose results are missing.',
    },
  );
}
