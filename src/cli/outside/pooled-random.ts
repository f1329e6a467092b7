/** Random octets of a cryptographic source, asked for many at a time: each time it is asked takes as long as signing does. */
import type { RandomOctets } from '../../client/ports.ts';

const POOL = 4096;

/** No octet is given out twice, and what was given out is no longer held here. */
export function pooledRandom(source: (count: number) => Uint8Array): RandomOctets {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return (count) => {
    if (count > POOL) return source(count);
    if (at + count > pool.length) {
      pool = source(POOL);
      at = 0;
    }
    // A copy: what a Buffer calls a slice is none.
    const given = new Uint8Array(pool.subarray(at, at + count));
    pool.fill(0, at, at + count);
    at += count;
    return given;
  };
}
