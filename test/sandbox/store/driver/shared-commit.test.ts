/** Design, "Decisions"; acceptance, X2: one commit for all waiting work, and no result before it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createSharedTransactionRunner,
  type SharedTransactionRunner,
} from '../../../../src/sandbox/store/driver/shared-commit.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { CommitUnknownError } from '../../../../src/sandbox/store/driver/store.ts';
import { type Db, openStore, type Store } from '../../../../src/sandbox/store/open.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let store: Store;
/** A second connection, which sees only committed data. */
let onlooker: Database.Database;
let transactions: number;
let share: SharedTransactionRunner;
let now: number;
beforeEach(async () => {
  folder = await makeTemporaryFolder('commit');
  store = await openStore(join(folder, 'sandbox.db'));
  onlooker = new Database(join(folder, 'sandbox.db'));
  transactions = 0;
  now = 0;
  const counted: Store['transaction'] = (work) => {
    transactions += 1;
    return store.transaction(work);
  };
  share = createSharedTransactionRunner(counted, () => now);
});
afterEach(async () => {
  onlooker.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const write = (key: string) => async (db: Db) => {
  await db.run(sql`insert into setting values (${key}, '')`);
  return key;
};
const failing = (key: string) => async (db: Db) => {
  await write(key)(db);
  throw new Error(`${key} fails`);
};
const committed = (): readonly string[] =>
  (onlooker.prepare('select key from setting order by key').all([]) as { key: string }[]).map(
    ({ key }) => key,
  );

it('commits once for all requests that arrive together', async () => {
  const keys = Array.from({ length: 20 }, (_, at) => `k${String(at).padStart(2, '0')}`);
  expect(await Promise.all(keys.map((key) => share(write(key))))).toEqual(keys);
  expect(transactions).toBe(1);
  expect(committed()).toEqual(keys);
});

it('rolls back only the work of a failing request, and says why', async () => {
  const results = await Promise.allSettled([share(write('a')), share(failing('b')), share(write('c'))]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: { message: 'b fails' } },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(transactions).toBe(1);
  expect(committed()).toEqual(['a', 'c']);
});

it('undoes work without a savepoint, or runs the group again one by one', async () => {
  const remove = (key: string, isSure: boolean) => async (db: Db) => {
    await db.run(sql`delete from setting where key = ${key}`);
    return isSure;
  };
  const sure = [share(write('a')), share(failing('b'), remove('b', true)), share(write('c'))];
  expect((await Promise.allSettled(sure)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect([transactions, committed()]).toEqual([1, ['a', 'c']]);
  const unsure = [share(write('d')), share(failing('e'), remove('none', false)), share(write('f'))];
  expect(await Promise.allSettled(unsure)).toMatchObject([
    { value: 'd' },
    { reason: { message: 'e fails' } },
    { value: 'f' },
  ]);
  // The transactions are the group, the two begun pieces alone, and the remaining one.
  expect([transactions, committed()]).toEqual([1 + 4, ['a', 'c', 'd', 'f']]);
});

it('runs each piece once and loses none if the database repeats the whole group', async () => {
  // The first run is rolled back completely, as after a deadlock.
  const again: Store['transaction'] = async (work) => {
    await store
      .transaction(async (db) => {
        await work(db);
        throw new Error('taken back');
      })
      .catch(() => undefined);
    return store.transaction(work);
  };
  const sharing = createSharedTransactionRunner(again, () => 0);
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => sharing(write(key))))).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
  // If a group takes too long, its remaining pieces go to the next group.
  let clock = 0;
  const slow = createSharedTransactionRunner(again, () => {
    clock += 11;
    return clock;
  });
  expect(await Promise.all(['e', 'f', 'g', 'h'].map((key) => slow(write(key))))).toEqual([
    'e',
    'f',
    'g',
    'h',
  ]);
  expect(committed()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
});

it('runs them one after the other, and each sees the changes of the earlier ones', async () => {
  const seen: number[] = [];
  const look = async (db: Db): Promise<void> => {
    await write(`k${seen.length}`)(db);
    await Promise.resolve();
    seen.push(Number((await db.first(sql<{ n: number }>`select count(*) as n from setting`))?.n));
  };
  await Promise.all([share(look), share(look), share(look)]);
  expect(seen).toEqual([1, 2, 3]);
});

it('returns neither results nor errors before the commit', async () => {
  const seen: [string, readonly string[]][] = [];
  const note = (who: string) => () => {
    seen.push([who, committed()]);
  };
  const begun = [
    share(write('a')).then(note('a')),
    share(failing('b')).catch(note('b')),
    share(write('c')).then(note('c')),
  ];
  await Promise.all(begun);
  expect(seen).toEqual(['a', 'b', 'c'].map((who) => [who, ['a', 'c']]));
});

it('adds work that arrives during a group to the next one, which waits for no other', async () => {
  let later: Promise<string> | undefined;
  await share(async (db) => {
    later = share(write('later'));
    await write('first')(db);
  });
  expect(committed()).toEqual(['first']);
  expect(await later).toBe('later');
  expect([transactions, committed()]).toEqual([2, ['first', 'later']]);
});

it('runs each piece again alone if the commit fails, so that only the faulty one fails', async () => {
  const owing = async (db: Db): Promise<void> => {
    await db.exec(sql`pragma defer_foreign_keys = on`);
    await db.run(sql`insert into folder_access (user_id, folder_id) values (7, 7)`);
  };
  const results = await Promise.allSettled([share(write('a')), share(owing), share(write('c'))]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: { code: expect.stringContaining('SQLITE_CONSTRAINT') } },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(transactions).toBe(4);
  expect(committed()).toEqual(['a', 'c']);
});

// Acceptance, X10: PostgreSQL has committed the group, and dies before it reports that.
it('runs no piece again if the outcome of the commit is unknown, and reports that to each', async () => {
  let runs = 0;
  const lost = new CommitUnknownError(new Error('Connection terminated unexpectedly'));
  const dying = createSharedTransactionRunner(
    async (work) => {
      runs += 1;
      await store.transaction(work);
      throw lost;
    },
    () => now,
  );
  const results = await Promise.allSettled([dying(write('a')), dying(write('b')), dying(write('c'))]);
  expect(results.map((each) => each.status === 'rejected' && each.reason)).toEqual([lost, lost, lost]);
  expect(lost.message).toContain('it is not known whether the request succeeded');
  expect(runs).toBe(1);
  expect(committed()).toEqual(['a', 'b', 'c']);
});

it('runs the others again if one has ended the whole transaction, as with a full disk', async () => {
  const ending = async (db: Db): Promise<void> => {
    await write('b')(db);
    await db.run(sql`rollback`);
    throw new Error('the disk is full');
  };
  const results = await Promise.allSettled([share(write('a')), share(ending), share(write('c'))]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: { message: 'the disk is full' } },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(committed()).toEqual(['a', 'c']);
});

it('commits a slow group before all have had their turn', async () => {
  const slow = (key: string) => async (db: Db) => {
    now += 6;
    return write(key)(db);
  };
  const keys = ['a', 'b', 'c', 'd', 'e'];
  expect(await Promise.all(keys.map((key) => share(slow(key))))).toEqual(keys);
  expect(transactions).toBe(3);
});

it('lets other transactions run between two groups', async () => {
  const order: string[] = [];
  const note = (who: string) => async () => {
    order.push(who);
  };
  const first = share(async () => {
    order.push('first');
    const engine = store.transaction(note('engine'));
    const second = share(note('second'));
    void Promise.all([engine, second]);
  });
  await first;
  await pass(20);
  expect(order).toEqual(['first', 'engine', 'second']);
});

// A read-only database fails at the beginning, before any piece has run.
it('fails the whole group at once if a transaction cannot begin, and the next group starts again', async () => {
  let failures = 1;
  const refusing: Store['transaction'] = (work) => {
    transactions += 1;
    if (failures === 0) return store.transaction(work);
    failures -= 1;
    return Promise.reject(new Error('it is read-only'));
  };
  share = createSharedTransactionRunner(refusing, () => now);
  const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => share(write(key))));
  expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual(
    Array.from({ length: 3 }, () => 'it is read-only'),
  );
  expect([transactions, committed()]).toEqual([1, []]);
  await share(write('d'));
  expect(committed()).toEqual(['d']);
});
