/** Remembers in memory which rows of SQLite hold used nonces. An index would be slower: each request would change a random page of it. */
/** A group of used nonces that expire at about the same time. */
interface Generation {
  /** The rowids of the nonces with a hash: one, or several if hashes collide. */
  readonly rows: Map<number, number | readonly number[]>;
  /** Unix seconds at which the last nonce of this group expires. */
  expires: number;
}

/** Maximum number of hashes in one `Generation`. The process pauses whenever JavaScript enlarges a map: the larger, the longer. */
const MOST_IN_GENERATION = 200_000;

/**
 * Finds the rows of used nonces by a 32-bit hash. The caller reads each row that is found: it may hold another nonce, or be deleted.
 * A search never misses the row of a stored nonce.
 */
export class UsedNonces {
  /** Groups of used nonces that expire at about the same time, newest group last. */
  #generations: Generation[] = [];
  /** True once this object has the nonces that an earlier process left in the database. */
  isLoaded = false;
  /** Time of the last deletion of expired rows, in Unix seconds. */
  cleaned = 0;

  /** Returns the rowids that may hold the nonce. */
  rowsOf(identity: string, nonce: string): readonly number[] {
    const hash = hashOf(identity, nonce);
    const found: number[] = [];
    for (const { rows } of this.#generations) {
      const known = rows.get(hash);
      if (typeof known === 'number') found.push(known);
      else if (known !== undefined) found.push(...known);
    }
    return found;
  }

  /** `expires`: Unix seconds. */
  add(identity: string, nonce: string, row: number, expires: number): void {
    const hash = hashOf(identity, nonce);
    let newest = this.#generations.at(-1);
    if (newest === undefined || newest.rows.size >= MOST_IN_GENERATION) {
      newest = { rows: new Map(), expires };
      this.#generations.push(newest);
    }
    newest.expires = Math.max(newest.expires, expires);
    const known = newest.rows.get(hash);
    newest.rows.set(
      hash,
      known === undefined ? row : [...(typeof known === 'number' ? [known] : known), row],
    );
  }

  /** Forgets in which row a nonce is stored. Called after this row was deleted from the database. */
  remove(identity: string, nonce: string, row: number): void {
    const hash = hashOf(identity, nonce);
    for (const { rows } of this.#generations) {
      const known = rows.get(hash);
      if (known === row) rows.delete(hash);
      else if (typeof known === 'object')
        rows.set(
          hash,
          known.filter((each) => each !== row),
        );
    }
  }

  /** Forgets each group of nonces that have all expired before `now`, in Unix seconds. */
  dropExpired(now: number): void {
    this.#generations = this.#generations.filter(({ expires }) => expires >= now);
  }
}

/** Returns the FNV-1a hash of both texts. */
function hashOf(identity: string, nonce: string): number {
  let hash = 0x811c9dc5;
  for (const text of [identity, nonce])
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
