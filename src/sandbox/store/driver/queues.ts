/**
 * Puts the transactions of the store into queues. Transactions that wait in the same queue share a commit. SQLite has one queue. PostgreSQL
 * has one queue for each account, `READ_QUEUES` for reads, and one for transactions without a lock.
 */

import {
  createSharedTransactionRunner,
  type SharedTransactionRunner,
  type UndoFailedWork,
} from './shared-commit.ts';
import type { Db, Store, TransactionScope } from './store.ts';

/** Runs work in a transaction, in the queue of its scope. Work that waits in the same queue shares a commit. */
export type QueuedTransaction = <T>(
  work: (db: Db) => Promise<T>,
  scope: TransactionScope,
  undo?: UndoFailedWork,
) => Promise<T>;

/**
 * Number of queues for work with the transaction scope `read`. Such work takes no lock. Each queue runs one transaction at a time. Pieces
 * of work that wait in the same queue share a transaction.
 */
const READ_QUEUES = 2;

/** Returns a function that runs work through the queues of this store. @param now returns a time in milliseconds */
export function createTransactionQueues(
  { transaction, isShared }: Store,
  now: () => number,
): QueuedTransaction {
  if (!isShared) {
    const only = createSharedTransactionRunner(transaction, now);
    return (work, _, undo) => only(work, undo);
  }
  const queues = new Map<string, Queue>();
  const queueOf = (key: string, scope: TransactionScope): Queue => {
    const found = queues.get(key);
    if (found) return found;
    const made = {
      share: createSharedTransactionRunner((work) => transaction(work, scope), now),
      waiting: 0,
    };
    queues.set(key, made);
    return made;
  };
  const shortestReadQueue = (scope: TransactionScope): [string, Queue] => {
    const all = Array.from({ length: READ_QUEUES }, (_, at): [string, Queue] => {
      const key = `read ${at}`;
      return [key, queueOf(key, scope)];
    });
    return all.reduce((best, each) => (each[1].waiting < best[1].waiting ? each : best));
  };
  return async (work, scope, undo) => {
    const key = scope.kind === 'account' ? `account ${scope.id}` : scope.kind;
    const [name, queue] = scope.kind === 'read' ? shortestReadQueue(scope) : [key, queueOf(key, scope)];
    queue.waiting += 1;
    try {
      return await queue.share(work, undo);
    } finally {
      queue.waiting -= 1;
      // There can be many accounts, so an empty queue is removed. It is created again when needed.
      if (queue.waiting === 0 && scope.kind === 'account') queues.delete(name);
    }
  };
}

interface Queue {
  readonly share: SharedTransactionRunner;
  waiting: number;
}
