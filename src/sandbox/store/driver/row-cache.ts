/** Caches rows that every request reads and that change rarely: accounts, partners, users and settings. */
export class RowCache {
  readonly #rows = new Map<string, unknown>();
  #forgotten = 0;

  /** Returns the row of this kind and key, and calls `read` only if it is not cached. The row is frozen. */
  async get<Row>(
    kind: string,
    key: string | number,
    read: () => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const name = `${kind} ${key}`;
    const found = this.#rows.get(name);
    if (found !== undefined || this.#rows.has(name)) return found as Row | undefined;
    const before = this.#forgotten;
    const row = await read();
    // A write may have come in between.
    if (before === this.#forgotten) this.keep(kind, key, row);
    return row;
  }

  keep(kind: string, key: string | number, row: unknown): void {
    if (this.#rows.size >= MOST_ROWS) this.#rows.clear();
    this.#rows.set(`${kind} ${key}`, Object.freeze(row));
  }

  /** Removes all rows from the cache. */
  forget(): void {
    this.#forgotten += 1;
    if (this.#rows.size > 0) this.#rows.clear();
  }
}

/** A cache that stays empty. It is used outside transactions, where another transaction may change any row. */
export class AlwaysEmptyRowCache extends RowCache {
  override keep(): void {}
}

const MOST_ROWS = 5_000;
