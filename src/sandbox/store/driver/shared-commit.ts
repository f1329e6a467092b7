/**
 * Groups waiting work into one commit, and so into one sync of the disk. SQLite has one queue of work. PostgreSQL has one for each account,
 * `READ_QUEUES` for reads, and one for transactions without a lock.
 */
import { sql } from './sql.ts';
import { CommitUnknownError, type Db, type Store, type TransactionScope } from './store.ts';

/** Runs work in a transaction, in the queue of its scope. Work that waits in the same queue shares a commit. */
type QueuedTransaction = <T>(
  work: (db: Db) => Promise<T>,
  scope: TransactionScope,
  undo?: UndoFailedWork,
) => Promise<T>;

/** Number of queues for work with the transaction scope `read`, which takes no lock. */
const READ_QUEUES = 2;

/** `now` returns a time in milliseconds. */
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

type Transaction = Store['transaction'];

/** Undoes the changes of failed work in a shared transaction. Returns false if that is impossible; all its work then runs again, each alone. */
export type UndoFailedWork = (db: Db, error: unknown) => Promise<boolean>;

/** Undoes the changes of failed work. Returns false if that is impossible; all work of the transaction then runs again, each alone. */
export type SharedTransactionRunner = <T>(work: (db: Db) => Promise<T>, undo?: UndoFailedWork) => Promise<T>;

/**
 * Returns a function that runs work in transactions with a shared commit.
 * - Pieces of work run one after the other, each in a savepoint, so that a failing piece undoes only its own
 *   changes.
 * - Callers get results and errors after the commit, because a result may depend on other pieces of the
 *   group.
 * - Work that arrives meanwhile joins the next group.
 * - If a group cannot be committed, each piece runs again in its own transaction.
 * - If it is unknown whether it was committed, each piece fails with a `CommitUnknownError`.
 * @param now returns a time in milliseconds
 */
export function createSharedTransactionRunner(
  transaction: Transaction,
  now: () => number,
): SharedTransactionRunner {
  let waiting: Piece[] = [];
  let isUnderWay = false;
  const takeTurn = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const done = await runGroup(transaction, group, now);
    waiting = [...group.slice(done), ...waiting];
    if (waiting.length > 0) begin();
    else isUnderWay = false;
  };
  // Waits until this turn of the event loop has read all input, so that requests that arrived together share a commit.
  const begin = (): void => {
    isUnderWay = true;
    setImmediate(() => void takeTurn());
  };
  return (work, undo) =>
    new Promise((resolve, reject) => {
      const run: Piece['run'] = async (db) => {
        const result = await work(db);
        return () => resolve(result);
      };
      waiting.push({ run, reject, undo });
      if (!isUnderWay) begin();
    });
}

interface Piece {
  /** Does the work in a transaction. The returned function resolves the caller's promise after the commit. */
  readonly run: (db: Db) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  readonly undo: UndoFailedWork | undefined;
}

/** Milliseconds for which one transaction starts further pieces of its group. The next transaction runs the remaining ones. */
const LONGEST_GROUP_MS = 10;

/** Runs work in one transaction for at most `LONGEST_GROUP_MS`. Returns how many pieces were settled, at least one. Never rejects. */
async function runGroup(
  transaction: Transaction,
  group: readonly Piece[],
  now: () => number,
): Promise<number> {
  if (group.length === 1) await runAlone(transaction, group);
  if (group.length <= 1) return group.length;
  let begun = 0;
  try {
    const handOuts = await transaction(async (db) => {
      const ends = now() + LONGEST_GROUP_MS;
      // The database may retry the transaction from its start.
      begun = 0;
      const outcomes: (() => void)[] = [];
      for (const piece of group) {
        begun += 1;
        outcomes.push(await (piece.undo ? withUndo(db, piece, piece.undo) : inSavepoint(db, piece)));
        if (now() > ends) break;
      }
      return outcomes;
    });
    for (const handOut of handOuts) handOut();
  } catch (error) {
    // The transaction did not begin, so no piece is to blame. Running each alone would only repeat the same failure.
    if (begun === 0) {
      for (const { reject } of group) reject(error);
      return group.length;
    }
    // Work that may have been committed must not run again.
    if (error instanceof CommitUnknownError) {
      for (const { reject } of group.slice(0, begun)) reject(error);
      return begun;
    }
    await runAlone(transaction, group.slice(0, begun));
  }
  return begun;
}

async function runAlone(transaction: Transaction, pieces: readonly Piece[]): Promise<void> {
  for (const { run, reject } of pieces) await transaction(run).then((handOut) => handOut(), reject);
}

/**
 * Runs work in a savepoint, so that a failure undoes only its own changes. Returns a function that settles the caller's promise.
 * @throws if the database has rolled back the whole transaction, for example on a full disk
 */
async function inSavepoint(db: Db, { run, reject }: Piece): Promise<() => void> {
  await db.run(sql`savepoint piece`, { keepsCache: true });
  try {
    return await run(db);
  } catch (error) {
    await db.run(sql`rollback to piece`);
    return () => reject(error);
  } finally {
    // PostgreSQL uses the newest savepoint of a name, so releasing it would waste a round trip.
    if (db.dialect === 'sqlite') await db.run(sql`release piece`, { keepsCache: true });
  }
}

/** Runs work without a savepoint, and calls `undo` if it fails. Throws the error of the work if `undo` can't undo the changes. */
async function withUndo(db: Db, { run, reject }: Piece, undo: UndoFailedWork): Promise<() => void> {
  try {
    return await run(db);
  } catch (error) {
    if (!(await undo(db, error))) throw error;
    return () => reject(error);
  }
}
