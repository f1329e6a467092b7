/** Queues work for the store. SQLite has one queue for all work; PostgreSQL has one per account. */

import { type SharedTransaction, shareCommits, type Undo } from './shared-commit.ts';
import type { Db, Scope, Store } from './store.ts';

/** Runs work through the queue of its scope. Work that waits in the same queue shares a commit. */
export type Lanes = <T>(work: (db: Db) => Promise<T>, scope: Scope, undo?: Undo) => Promise<T>;

/** Number of queues for reads, which take no lock. Each runs one group at a time. */
const READING_LANES = 2;

/** Creates the queues of a store. @param now milliseconds */
export function lanesOf({ transaction, isShared }: Store, now: () => number): Lanes {
  if (!isShared) {
    const only = shareCommits(transaction, now);
    return (work, _, undo) => only(work, undo);
  }
  const lanes = new Map<string, Lane>();
  const laneOf = (key: string, scope: Scope): Lane => {
    const found = lanes.get(key);
    if (found) return found;
    const made = { share: shareCommits((work) => transaction(work, scope), now), waiting: 0 };
    lanes.set(key, made);
    return made;
  };
  const readingLane = (scope: Scope): [string, Lane] => {
    const all = Array.from({ length: READING_LANES }, (_, at): [string, Lane] => {
      const key = `read ${at}`;
      return [key, laneOf(key, scope)];
    });
    return all.reduce((best, each) => (each[1].waiting < best[1].waiting ? each : best));
  };
  return async (work, scope, undo) => {
    const key = scope.kind === 'account' ? `account ${scope.id}` : scope.kind;
    const [name, lane] = scope.kind === 'read' ? readingLane(scope) : [key, laneOf(key, scope)];
    lane.waiting += 1;
    try {
      return await lane.share(work, undo);
    } finally {
      lane.waiting -= 1;
      // There can be many accounts, so an empty queue is removed. It is created again when needed.
      if (lane.waiting === 0 && scope.kind === 'account') lanes.delete(name);
    }
  };
}

interface Lane {
  readonly share: SharedTransaction;
  waiting: number;
}
