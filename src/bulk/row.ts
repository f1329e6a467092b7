/** A row of a file, and what may come of it. */

/** A row that people are told of: where it stands, what it holds, and what came of it. */
export interface RowReport {
  /** From 0; a header is none. */
  readonly row: number;
  readonly line: number;
  readonly value: string;
  readonly reason: string;
}

export type Done = 'added' | 'skipped';
export type RowOutcome = Done | 'failed' | 'unconfirmed' | 'unsent';
