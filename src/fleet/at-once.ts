/** One piece of work over many things, a few of them at the same time. */

/**
 * Begins the items in their order, at most `limit` of them under way, and resolves when all that were begun are over.
 * What `work` throws stops the beginning of others, and is thrown in the end.
 * @param signal Ctrl-C: nothing more is begun
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
