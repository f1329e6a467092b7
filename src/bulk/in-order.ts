/** Does `work` for several at once and gives the results in the order of the items; holds `most` of them at most. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = [];
  for await (const item of items) {
    const started = work(item);
    // It is told when its turn comes; until then it must not count as unhandled.
    started.catch(() => undefined);
    waiting.push(started);
    if (waiting.length >= most) yield await (waiting.shift() as Promise<R>);
  }
  for (const each of waiting) yield await each;
}
