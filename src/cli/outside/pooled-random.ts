/** Takes cryptographic random octets from a pool, because each call of the random source takes as long as computing a signature. */
import type { RandomOctets } from '../../client/ports.ts';

const POOL = 4096;

/**
 * Returns a random source that takes octets from a pool, and fills the empty pool from `source`. Takes each octet of the pool only once,
 * and then erases this octet from the pool.
 */
export function createPooledRandomSource(source: (count: number) => Uint8Array): RandomOctets {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return (count) => {
    if (count > POOL) return source(count);
    if (at + count > pool.length) {
      pool = source(POOL);
      at = 0;
    }
    // A copy is needed: `slice` of a Buffer shares its memory.
    const given = new Uint8Array(pool.subarray(at, at + count));
    pool.fill(0, at, at + count);
    at += count;
    return given;
  };
}
