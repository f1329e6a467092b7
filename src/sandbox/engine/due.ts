/** Work that falls due: what the engine asks of tasks, single SMS and queued actions alike. */
import type { Db } from '../store/open.ts';

export interface DueItem {
  /** Unix seconds. */
  readonly due: number;
  readonly id: number;
  readonly accountId: number;
}

/** One source of due work. Its state is rows alone, so that a process that ends in the middle loses nothing. */
export interface DueWork {
  readonly kind: string;
  /** What falls due first, whenever that is, of the account where one is given; among equal times the smallest id. */
  readonly next: (db: Db, accountId?: number) => Promise<DueItem | undefined>;
  /**
   * Does one step of the item, in a transaction of its own, and must move its `due` or end it: an item that is left as
   * it was would be run for ever. `now` is the item's own due time, not the time at which the engine got to it.
   */
  readonly run: (db: Db, item: DueItem, now: number, effects: Effects) => Promise<void>;
}

/** What leaves the sandbox. */
export interface Effects {
  /** Does this once the step has landed; nothing that leaves is done twice or for a step that was rolled back. */
  readonly afterwards: (effect: Effect) => void;
}

/** An HTTP GET to the `notifyurl` of an sms rule. */
export interface Effect {
  readonly kind: 'get';
  readonly accountId: number;
  readonly url: string;
  /** The outbox's row of it, which is told what came of it. */
  readonly deliveryId: number;
}
