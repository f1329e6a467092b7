/** Runs `work` for several items at once and yields the results in the order of the items. Holds at most `most` of them. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = [];
  for await (const item of items) {
    const started = work(item);
    // An error is reported when its turn comes. Until then it must not count as unhandled.
    started.catch(() => undefined);
    waiting.push(started);
    if (waiting.length >= most) yield await (waiting.shift() as Promise<R>);
  }
  for (const each of waiting) yield await each;
}
