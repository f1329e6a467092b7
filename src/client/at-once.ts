/** Runs one operation on many items, a few of them at the same time. */

/**
 * Runs `work` for the items in their order, for at most `limit` of them at once. Resolves when all work that was started has ended. After
 * an error of `work`, no further item is started, and the error is thrown in the end.
 * @param signal after Ctrl-C, no further item is started
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
