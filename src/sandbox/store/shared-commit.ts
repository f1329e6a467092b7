/** One commit, and so one sync of the disk, for all the work that waits at the same time. */
import { differencesOf } from './dialects/dialect.ts';
import type { Db, Store } from './open.ts';
import { changedRows } from './prepared.ts';

type Transaction = Store['transaction'];

/**
 * Takes back what work did that failed with `error`, in the same transaction. False where that can't be done, above all
 * where the database itself failed: all of the group is run again then, each piece alone.
 */
export type TakeBack = (db: Db, error: unknown) => Promise<boolean>;

/** @param takeBack of work that changes so little that it needs no savepoint */
export type SharedTransaction = <T>(work: (db: Db) => Promise<T>, takeBack?: TakeBack) => Promise<T>;

/**
 * A way to run work in transactions that are committed together. Pieces of work run one after the other, each in a
 * savepoint: one that fails takes back its own changes alone. No result and no error is handed out before the commit,
 * since each may rest on what others of the group have done. What comes while a group is under way is in the next one.
 * Where a group can't be committed, each of its pieces is run again in a transaction of its own.
 * @param now milliseconds
 */
export function shareCommits(transaction: Transaction, now: () => number): SharedTransaction {
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
  // Once this turn of the event loop has read what has come: those that came together share a commit.
  const begin = (): void => {
    isUnderWay = true;
    setImmediate(() => void takeTurn());
  };
  return (work, takeBack) =>
    new Promise((resolve, reject) => {
      const run: Piece['run'] = async (db) => {
        const result = await work(db);
        return () => resolve(result);
      };
      waiting.push({ run, reject, takeBack });
      if (!isUnderWay) begin();
    });
}

interface Piece {
  /** Does the work; what it returns hands out the result. */
  readonly run: (db: Db) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  readonly takeBack: TakeBack | undefined;
}

/** Milliseconds of work after which what is done is committed; the others form a group of their own. */
const LONGEST_GROUP_MS = 10;

/** @returns how many of them are done, one at least; never rejects */
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
      // The database may have all of it run again.
      begun = 0;
      const outcomes: (() => void)[] = [];
      for (const piece of group) {
        begun += 1;
        outcomes.push(
          await (piece.takeBack ? withTakeBack(db, piece, piece.takeBack) : inSavepoint(db, piece)),
        );
        if (now() > ends) break;
      }
      return outcomes;
    });
    for (const handOut of handOuts) handOut();
  } catch (error) {
    // The transaction didn't even begin: it is no piece's fault, and each would wait for the same failure again.
    if (begun === 0) {
      for (const { reject } of group) reject(error);
      return group.length;
    }
    await runAlone(transaction, group.slice(0, begun));
  }
  return begun;
}

async function runAlone(transaction: Transaction, pieces: readonly Piece[]): Promise<void> {
  for (const { run, reject } of pieces) await transaction(run).then((handOut) => handOut(), reject);
}

/** @throws where the database has ended the whole transaction by itself, as a full disk can make it do */
async function inSavepoint(db: Db, { run, reject }: Piece): Promise<() => void> {
  await execute(db, 'savepoint piece');
  try {
    return await run(db);
  } catch (error) {
    await execute(db, 'rollback to piece');
    return () => reject(error);
  } finally {
    // Of those with one name the newest counts: there is no need for the round trip.
    if (differencesOf(db).name === 'sqlite') await execute(db, 'release piece');
  }
}

/** @throws the error of the work where it can't be taken back */
async function withTakeBack(db: Db, { run, reject }: Piece, takeBack: TakeBack): Promise<() => void> {
  try {
    return await run(db);
  } catch (error) {
    if (!(await takeBack(db, error))) throw error;
    return () => reject(error);
  }
}

const execute = (db: Db, text: string): Promise<unknown> => changedRows(db, text, []);
