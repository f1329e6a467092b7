/** A source waits for the reader only when the maximum number of rows is in memory. */

/**
 * If sources are read one after another, the current source counts only its own rows: those of other sources could otherwise block it
 * forever.
 */
const MAX_HELD = 10_000;

/**
 * @param inOrder true for all rows of source 0, then those of source 1, and so on; false for the order in which rows arrive
 * @param maxHeld maximum number of rows held; a source that would exceed it waits
 */
export function createRowMerger<R>(sources: number, inOrder: boolean, maxHeld = MAX_HELD) {
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
    /** Waits while the maximum number of rows is in memory. Returns false after the reader has stopped. */
    push: async (source: number, row: R): Promise<boolean> => {
      const place = placeOf(source);
      while (!hasReaderStopped && isFull(place)) await change();
      if (hasReaderStopped) return false;
      held[place]?.push(row);
      count += 1;
      changed();
      return true;
    },
    end: (source: number): void => {
      ended.add(source);
      changed();
    },
    endAll: (): void => {
      isOver = true;
      changed();
    },
    /** May be called only once. If the reader stops early, `push` returns false from then on. */
    async *rows(): AsyncGenerator<R, void> {
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
