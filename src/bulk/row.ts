/** Defines a row of a file, and its possible outcomes. */

/** Failed row as it is reported to people: its position, its value, and the reason. */
export interface FailedRowReport {
  /** Number of the row, counted from 0. A header line does not count. */
  readonly row: number;
  readonly line: number;
  readonly value: string;
  readonly reason: string;
}

/** Outcome of a row that needs no more work: the service added its record, or the record already existed. */
export type DoneRowOutcome = 'added' | 'skipped';
export type RowOutcome = DoneRowOutcome | 'failed' | 'unconfirmed' | 'unsent';

/** A row of the file after its checks. */
export type CheckedRow<B> =
  | {
      readonly kind: 'good';
      readonly row: number;
      readonly line: number;
      readonly value: string;
      readonly body: B;
    }
  /** Row whose value equals that of an earlier row in the file. */
  | { readonly kind: 'duplicate'; readonly row: number }
  | ({ readonly kind: 'rejected' } & FailedRowReport);

/** Row that passed its checks, so that svc can send it. */
export type ValidRow<B> = Extract<CheckedRow<B>, { kind: 'good' }>;
