/** Runs one operation on many items, a few of them at the same time. */

/**
 * Starts the items in their order, at most `limit` of them at once, and resolves when all started ones have ended. An error of `work` stops
 * further items from starting, and is thrown in the end.
 * @param signal Ctrl-C: no further item is started
 */
export async function workAtOnce<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let next = 0;
  let isStopped = false;
  const worker = async (): Promise<void> => {
    while (!isStopped && !signal?.aborted && next < items.length) {
      const index = next;
      next += 1;
      try {
        await work(items[index] as T, index);
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  const ended = await Promise.allSettled(workers);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
