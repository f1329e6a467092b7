/** Wire, "Authentication, where open": a used nonce is remembered for 30 minutes. */
import { describe, expect, it } from 'vitest';
import { UsedNonces } from '../../../src/sandbox/store/driver/used-nonces.ts';
import { forgetNonce, isNonceUsed, rememberNonce } from '../../../src/sandbox/store/nonces.ts';
import type { Db, Store } from '../../../src/sandbox/store/open.ts';
import { openTestStore } from '../../support/store.ts';

const NOW = 1_000_000;
const WHO = 'company 1';
const MEMORY = { now: NOW, expires: NOW + 1800 };

const using = <T>(store: Store, work: (db: Db) => Promise<T>): Promise<T> =>
  store.transaction(work, { kind: 'without-lock' });
const remember = (store: Store, nonce: string, memory = MEMORY): Promise<boolean> =>
  using(store, (db) => rememberNonce(db, WHO, nonce, memory));
const isUsed = (store: Store, nonce: string, now = NOW): Promise<boolean> =>
  using(store, (db) => isNonceUsed(db, WHO, nonce, now));

describe('a nonce', () => {
  it('is remembered once, for each signer separately', async () => {
    const store = await openTestStore();
    expect([await remember(store, 'once'), await remember(store, 'once')]).toEqual([true, false]);
    expect(await using(store, (db) => rememberNonce(db, 'partner 1', 'once', MEMORY))).toBe(true);
  });

  it('is forgotten on demand, and can then be used again', async () => {
    const store = await openTestStore();
    await remember(store, 'kept');
    await remember(store, 'returned');
    await using(store, (db) => forgetNonce(db, WHO, 'returned'));
    await using(store, (db) => forgetNonce(db, WHO, 'unknown'));
    expect([await isUsed(store, 'returned'), await isUsed(store, 'kept')]).toEqual([false, true]);
    expect([await remember(store, 'returned'), await remember(store, 'returned')]).toEqual([true, false]);
  });

  it('is released if its transaction is rolled back', async () => {
    const store = await openTestStore();
    const failed = using(store, async (db) => {
      await rememberNonce(db, WHO, 'failed', MEMORY);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    // The next nonce reuses the number of the deleted row.
    expect(await remember(store, 'next')).toBe(true);
    expect(await isUsed(store, 'failed')).toBe(false);
    expect([await remember(store, 'failed'), await remember(store, 'failed')]).toEqual([true, false]);
    expect(await isUsed(store, 'next')).toBe(true);
  });

  it('can be used again after it has expired, and its row is deleted', async () => {
    const store = await openTestStore();
    await remember(store, 'early');
    await remember(store, 'late', { now: NOW + 900, expires: NOW + 2700 });
    expect(await isUsed(store, 'early', NOW + 1800)).toBe(true);
    expect(await isUsed(store, 'early', NOW + 1801)).toBe(false);
    expect(await remember(store, 'early', { now: NOW + 1900, expires: NOW + 3700 })).toBe(true);
    expect(await isUsed(store, 'early', NOW + 1900)).toBe(true);
    expect(await isUsed(store, 'late', NOW + 1900)).toBe(true);
  });

  it('is distinguished from another one with the same hash', async () => {
    // Found by trial: their 32-bit hashes are equal.
    const [one, other] = ['719fdce1c9', '9120e67dd0'];
    const store = await openTestStore();
    expect([await remember(store, one), await remember(store, other)]).toEqual([true, true]);
    expect([await remember(store, one), await remember(store, other)]).toEqual([false, false]);
    await using(store, (db) => forgetNonce(db, WHO, one));
    expect([await isUsed(store, one), await isUsed(store, other)]).toEqual([false, true]);
  });
});

describe('the memory of the rows', () => {
  const memoryOf = (count: number, expires = (_: number) => NOW): UsedNonces => {
    const memory = new UsedNonces();
    for (let row = 1; row <= count; row += 1) memory.add(WHO, `n${row}`, row, expires(row));
    return memory;
  };

  it('contains all of 250,000', () => {
    const memory = memoryOf(250_000);
    for (let row = 1; row <= 250_000; row += 1)
      if (!memory.rowsOf(WHO, `n${row}`).includes(row)) expect.fail(`row ${row} is missing`);
  });

  it('shrinks as nonces expire, and keeps the others', () => {
    const memory = memoryOf(280_000, (row) => NOW + (row > 240_000 ? 100 : 0));
    memory.dropExpired(NOW + 1);
    expect(memory.rowsOf(WHO, 'n1')).toEqual([]);
    for (let row = 240_001; row <= 280_000; row += 1)
      if (!memory.rowsOf(WHO, `n${row}`).includes(row)) expect.fail(`row ${row} is missing`);
  });
});
