/** The input of each part of a seed. */
import type { Naming } from '../../protocol/naming.ts';
import type { Db } from '../store/open.ts';

export interface SeedOptions {
  readonly db: Db;
  /** Unix seconds. All past times are relative to it. */
  readonly now: number;
  readonly naming: Naming;
  /** Creates a key. Keys differ in every data folder; everything else is the same. */
  readonly key: (octets: number) => string;
}
