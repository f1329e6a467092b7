/** Defines the interface through which the engine runs due work: tasks, single SMS and queued actions. */
import type { Db } from '../store/open.ts';

export interface DueItem {
  /** Unix seconds. */
  readonly due: number;
  readonly id: number;
  readonly accountId: number;
}

/** One source of due work. Its state lives only in rows, so that a process that ends halfway loses nothing. */
export interface DueWork {
  readonly kind: string;
  /**
   * Returns the item that is due first, now or later. Of items with the same time, it is the one with the lowest id. `accountId` restricts
   * the search to one account.
   */
  readonly next: (db: Db, accountId?: number) => Promise<DueItem | undefined>;
  /**
   * Does one step of the item, in its own transaction. It must move the item's `due` or end the item; an unchanged item would run for ever.
   * `now` is the item's own due time, not the time at which the engine reached it.
   */
  readonly run: (db: Db, item: DueItem, now: number, effects: Effects) => Promise<void>;
}

/** The limits of a step, and what it reports back. */
export interface Effects {
  /** Unix seconds up to which the engine runs. A step may do later work of its own kind as long as nothing else is due before it. */
  readonly until?: number;
  /** Called with the due time of other work that the step does. The clock moves to the last of these times when the step ends. */
  readonly reached?: (time: number) => void;
  /** Registers an effect to run after the step is committed. An effect runs at most once, and never for a step that was rolled back. */
  readonly afterwards: (effect: Effect) => void;
}

/** An HTTP GET to the `notifyurl` of an sms rule. */
export interface Effect {
  readonly kind: 'get';
  readonly accountId: number;
  readonly url: string;
  /** The delivery row of the outbox that records the outcome. */
  readonly deliveryId: number;
}
