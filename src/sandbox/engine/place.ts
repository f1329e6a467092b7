import type { Db } from '../store/open.ts';

/** The transaction, company and time in which something happens. */
export interface EngineContext {
  readonly db: Db;
  readonly accountId: number;
  /** Unix seconds. */
  readonly now: number;
}
