/**
 * Merges the rows of many sources into one stream. Holds a limited number of rows in memory. A source waits for the reader only when that
 * number is reached.
 */

export interface RowMerger<R> {
  /** Passes a row to the stream. Waits while the maximum number of rows is in memory. Returns false after the reader has stopped. */
  readonly push: (source: number, row: R) => Promise<boolean>;
  /** Marks a source as finished. */
  readonly end: (source: number) => void;
  /** Marks all sources as finished. */
  readonly endAll: () => void;
  /** Yields the rows. May be called only once. If the reader stops early, `push` returns false from then on. */
  readonly rows: () => AsyncGenerator<R, void>;
}

/**
 * Maximum number of rows that wait in memory for the reader. At this number, sources wait before they push more rows. If the reader reads
 * one source after another, the limit for the source that it is reading counts only the rows of this source. The rows of other sources
 * could otherwise block this source forever.
 */
const MAX_HELD = 10_000;

/**
 * Creates the stream.
 * @param inOrder true for all rows of source 0, then those of source 1, and so on; false for the order in which rows arrive
 * @param maxHeld maximum number of rows held; a source that would exceed it waits
 */
export function createRowMerger<R>(sources: number, inOrder: boolean, maxHeld = MAX_HELD): RowMerger<R> {
  const held: R[][] = Array.from({ length: inOrder ? sources : 1 }, () => []);
  const ended = new Set<number>();
  let turn = 0;
  let count = 0;
  let isOver = false;
  let hasReaderStopped = false;
  const waiting: (() => void)[] = [];
  const changed = (): void => {
    for (const wake of waiting.splice(0)) wake();
  };
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });
  const placeOf = (source: number): number => (inOrder ? source : 0);
  const isFull = (place: number): boolean =>
    place === turn ? (held[place]?.length ?? 0) >= maxHeld : count >= maxHeld;

  return {
    push: async (source, row) => {
      const place = placeOf(source);
      while (!hasReaderStopped && isFull(place)) await change();
      if (hasReaderStopped) return false;
      held[place]?.push(row);
      count += 1;
      changed();
      return true;
    },
    end: (source) => {
      ended.add(source);
      changed();
    },
    endAll: () => {
      isOver = true;
      changed();
    },
    async *rows() {
      try {
        for (;;) {
          const batch = held[turn] ?? [];
          if (batch.length > 0) {
            held[turn] = [];
            count -= batch.length;
            changed();
            yield* batch;
          } else if (isOver || (inOrder ? ended.has(turn) : ended.size >= sources)) {
            if (!inOrder || turn + 1 >= sources) return;
            turn += 1;
            changed();
          } else {
            await change();
          }
        }
      } finally {
        hasReaderStopped = true;
        changed();
      }
    },
  };
}
