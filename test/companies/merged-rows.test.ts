import { describe, expect, it } from 'vitest';
import { createRowMerger } from '../../src/client/companies/merged-rows.ts';
import { runConcurrently } from '../../src/client/requests/limiter.ts';

const all = async <T>(rows: AsyncIterable<T>): Promise<readonly T[]> => {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('rows of many sources', () => {
  it('are in the order of the sources, whichever is faster', async () => {
    const merged = createRowMerger<string>(3, true);
    const reading = all(merged.rows());
    await merged.push(2, 'c1');
    merged.end(2);
    await merged.push(0, 'a1');
    await merged.push(1, 'b1');
    await merged.push(0, 'a2');
    merged.end(1);
    merged.end(0);
    expect(await reading).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('keep their order of arrival if no order is requested', async () => {
    const merged = createRowMerger<string>(2, false);
    const reading = all(merged.rows());
    await merged.push(1, 'b1');
    await merged.push(0, 'a1');
    await merged.push(1, 'b2');
    merged.end(0);
    merged.end(1);
    expect(await reading).toEqual(['b1', 'a1', 'b2']);
  });

  it('pause a source that is ahead if many rows are held, and the next source continues', async () => {
    const merged = createRowMerger<number>(3, true, 4);
    let late = 0;
    const source = async (at: number, rows: number): Promise<void> => {
      for (let row = 0; row < rows; row += 1) {
        await merged.push(at, row);
        if (at === 2) late += 1;
      }
      merged.end(at);
    };
    const last = source(2, 100);
    await settled();
    expect(late).toBe(4);
    const reading = all(merged.rows());
    await source(0, 50);
    await source(1, 50);
    await last;
    expect(await reading).toHaveLength(200);
  });

  it('stop their sources if the reader closes', async () => {
    const merged = createRowMerger<number>(1, true, 2);
    const rows = merged.rows();
    await merged.push(0, 1);
    await merged.push(0, 2);
    const waiting = merged.push(0, 3);
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    await rows.return();
    expect([await waiting, await merged.push(0, 4)]).toEqual([expect.any(Boolean), false]);
  });

  it('end if the work ended early', async () => {
    const merged = createRowMerger<number>(9, true);
    await merged.push(0, 1);
    merged.end(0);
    merged.endAll();
    expect(await all(merged.rows())).toEqual([1]);
  });
});

describe('concurrent work', () => {
  it('is limited, begins in order, and does every item once', async () => {
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    await runConcurrently([...Array(20).keys()], 3, async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await settled();
      running -= 1;
    });
    expect([most, begun]).toEqual([3, [...Array(20).keys()]]);
  });

  it('starts nothing more after an error, ends running sources, and throws the error', async () => {
    const ended: number[] = [];
    const work = runConcurrently([...Array(20).keys()], 2, async (item) => {
      await settled();
      if (item === 1) throw new Error('no');
      ended.push(item);
    });
    await expect(work).rejects.toThrow('no');
    expect(ended.length).toBeLessThan(4);
  });

  it('begins no item after the signal is aborted', async () => {
    const controller = new AbortController();
    const begun: number[] = [];
    await runConcurrently(
      [1, 2, 3, 4],
      1,
      async (item) => {
        begun.push(item);
        if (item === 2) controller.abort();
      },
      controller.signal,
    );
    expect(begun).toEqual([1, 2]);
  });
});
