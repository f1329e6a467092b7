import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPooledRandomSource } from '../../../src/cli/outside/real-context.ts';

it('returns every octet of its source once, in order, and stores none of them', () => {
  const pools: Uint8Array[] = [];
  let next = 0;
  const random = createPooledRandomSource((count) => {
    const pool = Buffer.from(Array.from({ length: count }, () => next++ % 251));
    pools.push(pool);
    return pool;
  });
  const given = Array.from({ length: 204 }, () => [...random(20)]).flat();
  expect(pools).toHaveLength(1);
  expect(given).toEqual(Array.from({ length: 4080 }, (_, at) => at % 251));
  expect(pools[0]?.subarray(0, 4080).some((octet) => octet !== 0)).toBe(false);
  // The last 16 of 4096 octets are too few, and are dropped.
  expect([...random(20)]).toEqual(Array.from({ length: 20 }, (_, at) => (4096 + at) % 251));
  expect(random(5000)).toHaveLength(5000);
});

it('returns no nonce twice from a real source', () => {
  const random = createPooledRandomSource(randomBytes);
  const nonces = new Set(Array.from({ length: 10_000 }, () => Buffer.from(random(20)).toString('hex')));
  expect(nonces.size).toBe(10_000);
});
