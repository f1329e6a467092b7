import type { Db } from '../store/open.ts';

/** Where and when something happens: within one transaction, in one company, at one moment. */
export interface Place {
  readonly db: Db;
  readonly accountId: number;
  /** Unix seconds. */
  readonly now: number;
}
