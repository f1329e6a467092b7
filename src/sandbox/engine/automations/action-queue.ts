/** Returns the queued actions of a step in order, together with the actions that the step adds. Stores the actions that remain. */
import type { Db } from '../../store/open.ts';
import { dueActions, type NewAction, type QueuedAction, removeActions } from '../../store/queue.ts';
import { insertRows } from '../../store/rows.ts';

/** Number of actions that the first query reads. Each further query reads twice as many, so that a short step reads few actions. */
const FIRST_READ = 32;
const MOST_READ = 2_000;

interface Reader {
  readonly db: Db;
  readonly accountId: number;
  readonly readPeople: (ids: readonly number[]) => Promise<void>;
}

export class ActionQueue {
  readonly #reader: Reader;
  readonly #horizon: number;
  /** Stored actions of all accounts, as far as they have been read. */
  #read: readonly QueuedAction[] = [];
  #at = 0;
  #reads = FIRST_READ;
  #isAllRead: boolean;
  /** Actions of this step that are due by the horizon, in order. */
  readonly #soon: NewAction[] = [];
  #later: NewAction[] = [];
  #lastDone: QueuedAction | undefined;

  /** @param horizon Unix seconds; actions that are due later are only added */
  constructor(reader: Reader, horizon: number) {
    this.#reader = reader;
    this.#horizon = horizon;
    this.#isAllRead = horizon < 0;
  }

  add(action: NewAction): void {
    if (action.due > this.#horizon) {
      this.#later.push(action);
      return;
    }
    // Actions with the same due time run in the order in which they were added.
    let at = this.#soon.length;
    while (at > 0 && (this.#soon[at - 1]?.due ?? 0) > action.due) at -= 1;
    this.#soon.splice(at, 0, action);
  }

  /** Returns the action that is due first, of any account. Returns undefined if no action is due by the horizon. */
  async first(): Promise<NewAction | undefined> {
    if (this.#at === this.#read.length && !this.#isAllRead) await this.#readMore();
    const stored = this.#read[this.#at];
    const [added] = this.#soon;
    return added && (!stored || added.due < stored.due) ? added : stored;
  }

  /** Takes the action that `first` has returned. */
  take(action: NewAction): void {
    if (action === this.#soon[0]) {
      this.#soon.shift();
      return;
    }
    this.#lastDone = this.#read[this.#at];
    this.#at += 1;
  }

  /** Deletes the actions that were taken, and stores the added actions that remain. */
  async write(): Promise<void> {
    const { db, accountId } = this.#reader;
    if (this.#lastDone) await removeActions(db, accountId, this.#lastDone);
    this.#lastDone = undefined;
    await insertRows(db, 'queued_action', [...this.#soon.splice(0), ...this.#later]);
    this.#later = [];
  }

  async #readMore(): Promise<void> {
    const { db, accountId } = this.#reader;
    this.#read = await dueActions(db, this.#horizon, this.#read.at(-1), this.#reads);
    this.#at = 0;
    this.#isAllRead = this.#read.length < this.#reads;
    this.#reads = Math.min(MOST_READ, 2 * this.#reads);
    const own = this.#read.filter((action) => action.account_id === accountId);
    await this.#reader.readPeople(own.map(({ subscriber_id }) => subscriber_id));
  }
}
