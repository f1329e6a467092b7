/** What each part of a seed is given. */
import type { Naming } from '../../protocol/naming.ts';
import type { Db } from '../store/open.ts';

export interface SeedOptions {
  readonly db: Db;
  /** Unix seconds; everything in the past is told from here. */
  readonly now: number;
  readonly naming: Naming;
  /** Makes the keys, which are new in every data folder; all else is the same in each. */
  readonly key: (octets: number) => string;
}
