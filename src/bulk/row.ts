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

/** A row of the file after its checks. */
export type CheckedRow<B> =
  | {
      readonly kind: 'good';
      readonly row: number;
      readonly line: number;
      readonly value: string;
      readonly body: B;
    }
  /** Stands further up in the file. */
  | { readonly kind: 'duplicate'; readonly row: number }
  | ({ readonly kind: 'rejected' } & RowReport);

export type GoodRow<B> = Extract<CheckedRow<B>, { kind: 'good' }>;
