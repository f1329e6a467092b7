/**
 * Runs one step of the engine with few queries: people are read together, other records once, and rows are written at the end. The result
 * is the same as with one query each. Also logs what rules did and did not do.
 */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import type { Channel } from '../../service/resources/task.ts';
import { loadCreditBalance, takeCredits } from '../store/accounts.ts';
import { addDoNotContact, isBlocked } from '../store/do-not-contact.ts';
import {
  listDueActions,
  type NewQueuedAction,
  type QueuedAction,
  removeDueRowsUpTo,
} from '../store/due-work.ts';
import type { Db } from '../store/open.ts';
import { insertRows, type SqlRow } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import { findSubscribersForRules, type SubscriberForRules } from '../store/subscribers.ts';

type Added = 'delivery' | 'log' | 'rule_action';

/** A batch of reads and writes of one account in one transaction. Reads each record at most once, and writes its rows at the end. */
export class AccountWorkStep {
  readonly db: Db;
  readonly accountId: number;
  readonly queue: ActionQueue;
  readonly #people = new Map<number, SubscriberForRules | undefined>();
  readonly #records = new Map<string, Promise<unknown>>();
  readonly #blocked = new Map<string, boolean>();
  readonly #credits = new Map<Channel, { left: number; taken: number }>();
  readonly #rows = new Map<Added, SqlRow[]>();

  /** The step performs the queued actions that are due by `horizon`, in Unix seconds. */
  constructor(db: Db, accountId: number, horizon = -1) {
    this.db = db;
    this.accountId = accountId;
    this.queue = new ActionQueue(this, horizon);
  }

  /** Returns a record that no step changes, such as a rule or a message. Calls `read` only if the step has not read the record yet. */
  once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#records.get(key);
    if (known !== undefined) return known as Promise<T>;
    const found = read();
    this.#records.set(key, found);
    return found;
  }

  async person(id: number): Promise<SubscriberForRules | undefined> {
    if (!this.#people.has(id)) await this.readPeople([id]);
    return this.#people.get(id);
  }

  /** Reads the people with these ids with one query, and keeps them in memory. Later calls of `person` for these ids then need no query. */
  async readPeople(ids: readonly number[]): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#people.has(id));
    if (missing.length === 0) return;
    for (const id of missing) this.#people.set(id, undefined);
    for (const person of await findSubscribersForRules(this.db, this.accountId, missing))
      this.#people.set(person.id, person);
  }

  /** Reports whether an address is on Do Not Contact. The address need not be a subscriber's. */
  async isBlocked(channel: Channel, address: string): Promise<boolean> {
    const known = this.#blocked.get(address);
    if (known !== undefined) return known;
    const contact = channel === 'sms' ? { msisdn: address } : { email: address };
    const found = await isBlocked(this.db, this.accountId, contact);
    this.#blocked.set(address, found);
    return found;
  }

  /** Adds an address to Do Not Contact at `now` (Unix seconds), and deletes its subscriber. */
  async block(address: string, now: number): Promise<void> {
    await addDoNotContact(this.db, this.accountId, address, now);
    this.#blocked.clear();
    const value = address.toLowerCase();
    for (const [id, person] of this.#people)
      if (person?.email?.toLowerCase() === value || person?.msisdn === value) this.#people.delete(id);
  }

  /** Takes this number of credits and returns true. If the balance is too low, takes no credits and returns false. */
  async takeCredits(channel: Channel, credits: number): Promise<boolean> {
    let balance = this.#credits.get(channel);
    if (balance === undefined) {
      balance = { left: await loadCreditBalance(this.db, this.accountId, channel), taken: 0 };
      this.#credits.set(channel, balance);
    }
    if (credits > balance.left) return false;
    balance.left -= credits;
    balance.taken += credits;
    return true;
  }

  /** Adds a row to a table when the step ends. All rows of a table have the same columns. */
  add(table: Added, row: SqlRow): void {
    const rows = this.#rows.get(table);
    if (rows) rows.push(row);
    else this.#rows.set(table, [row]);
  }

  /** Writes all added rows and taken credits. The step can continue afterwards. */
  async write(): Promise<void> {
    for (const [table, rows] of this.#rows) await insertRows(this.db, table, rows);
    this.#rows.clear();
    for (const [channel, { taken }] of this.#credits)
      if (taken > 0) await takeCredits(this.db, this.accountId, channel, taken);
    this.#credits.clear();
    await this.queue.write();
  }
}

/** Runs `work` in a new step, and writes the rows of the step afterwards. */
export async function runAccountWorkStep<T>(
  db: Db,
  accountId: number,
  work: (step: AccountWorkStep) => Promise<T>,
): Promise<T> {
  const step = new AccountWorkStep(db, accountId);
  const result = await work(step);
  await step.write();
  return result;
}

/** Number of actions that the first query of a step reads. Each further query reads twice as many. */
const FIRST_READ = 32;

const MAX_READ_ROWS = 2_000;

/** Holds the queued actions of one step in order, including those that the step adds. Stores the actions that remain at the end. */
class ActionQueue {
  readonly #step: AccountWorkStep;
  readonly #horizon: number;
  /** Result of the latest query: stored actions of any account. `#at` is the index of the next action to perform. */
  #read: readonly QueuedAction[] = [];
  #at = 0;
  #reads = FIRST_READ;
  #isAllRead: boolean;
  /** Added actions that are due by `#horizon` (Unix seconds), in order of due time. */
  readonly #soon: NewQueuedAction[] = [];
  #later: NewQueuedAction[] = [];
  #lastDone: QueuedAction | undefined;

  /** Actions that are due after `horizon` (Unix seconds) are stored, and not performed. */
  constructor(step: AccountWorkStep, horizon: number) {
    this.#step = step;
    this.#horizon = horizon;
    this.#isAllRead = horizon < 0;
  }

  add(action: NewQueuedAction): void {
    if (action.due > this.#horizon) {
      this.#later.push(action);
      return;
    }
    // Actions with the same due time run in the order in which they were added.
    let at = this.#soon.length;
    while (at > 0 && (this.#soon[at - 1]?.due ?? 0) > action.due) at -= 1;
    this.#soon.splice(at, 0, action);
  }

  /** Returns the action that is due first, of any account. Returns undefined if no action is due by `#horizon` (Unix seconds). */
  async first(): Promise<NewQueuedAction | undefined> {
    if (this.#at === this.#read.length && !this.#isAllRead) await this.#readMore();
    const stored = this.#read[this.#at];
    const [added] = this.#soon;
    return added && (!stored || added.due < stored.due) ? added : stored;
  }

  take(action: NewQueuedAction): void {
    if (action === this.#soon[0]) {
      this.#soon.shift();
      return;
    }
    this.#lastDone = this.#read[this.#at];
    this.#at += 1;
  }

  /** Deletes the stored actions that `take` has removed from the queue. Stores the actions that were added to the queue and not taken. */
  async write(): Promise<void> {
    const { db, accountId } = this.#step;
    if (this.#lastDone) await removeDueRowsUpTo(db, 'queued_action', accountId, this.#lastDone);
    this.#lastDone = undefined;
    await insertRows(db, 'queued_action', [...this.#soon.splice(0), ...this.#later]);
    this.#later = [];
  }

  async #readMore(): Promise<void> {
    const { db, accountId } = this.#step;
    this.#read = await listDueActions(db, this.#horizon, this.#read.at(-1), this.#reads);
    this.#at = 0;
    this.#isAllRead = this.#read.length < this.#reads;
    this.#reads = Math.min(MAX_READ_ROWS, 2 * this.#reads);
    const own = this.#read.filter((action) => action.account_id === accountId);
    await this.#step.readPeople(own.map(({ subscriber_id }) => subscriber_id));
  }
}

export interface RuleActionCause {
  readonly accountId: number;
  readonly ruleKind: RuleKind;
  readonly ruleId: number;
  /** Time of the action in Unix seconds. */
  readonly now: number;
  /** Subscriber whose event triggered the rule. Omitted for an SMS of an unknown sender. */
  readonly subscriberId?: number;
}

export const formatRuleReference = ({ ruleKind, ruleId }: RuleActionCause): string => `${ruleKind} ${ruleId}`;

export interface RuleEventContext {
  readonly step: AccountWorkStep;
  /** Time of the event in Unix seconds. */
  readonly now: number;
}

export function logListChangeByRule(
  step: AccountWorkStep,
  cause: RuleActionCause,
  { action, target, subscriberId }: Pick<Noted, 'action' | 'target'> & { readonly subscriberId: number },
): void {
  addNote(step, cause, { subscriber_id: subscriberId, action, target, why: null });
}

export function logSkippedAction(step: AccountWorkStep, cause: RuleActionCause, reason: string): void {
  step.add('log', { time: cause.now, kind: 'automation', text: `${formatRuleReference(cause)}: ${reason}` });
  addNote(step, cause, {
    ...{ action: null, target: null, why: reason },
    subscriber_id: cause.subscriberId ?? null,
  });
}

type Noted = Pick<Row<'rule_action'>, 'subscriber_id' | 'action' | 'target' | 'why'>;

const addNote = (
  step: AccountWorkStep,
  { accountId, ruleKind, ruleId, now }: RuleActionCause,
  noted: Noted,
): void =>
  step.add('rule_action', {
    account_id: accountId,
    rule_kind: ruleKind,
    rule_id: ruleId,
    subscriber_id: noted.subscriber_id,
    time: now,
    action: noted.action,
    target: noted.target,
    why: noted.why,
  });
