/** Acceptance, I3: a process that dies at any step of its journal, and the next process, which continues. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rowRejectionReason } from '../../src/cli/bulk/report.ts';
import { type AppendOnlyFile, createBulkJobCheckpoint } from '../../src/client/bulk/checkpoint.ts';
import { lockCheckpoint } from '../../src/client/bulk/checkpoint-file.ts';
import type { CheckedRow, RowOperation } from '../../src/client/bulk/row.ts';
import { sendRows } from '../../src/client/bulk/row-sender.ts';
import { createConcurrencyLimiter } from '../../src/client/requests/limiter.ts';
import { temporaryFolder } from '../cli/bulk/folder.ts';
import { virtualTime } from './virtual-time.ts';

/** How many rows allow the next mark, and the number of all rows. Marks at each row are slow, and need fewer rows. */
type Case = readonly [step: number, count: number];
const CASES: readonly Case[] = [
  [1, 100],
  [16, 300],
  [256, 300],
];
const IDENTITY = {
  ...{ command: 'dnc import', sha256: 'aa', origin: 'https://api.example.com', options: {} },
  ...{ company: 1, user: 1, partner: null },
};
const never = new Promise<never>(() => undefined);

async function* rows(count: number): AsyncGenerator<CheckedRow<number>> {
  for (let row = 0; row < count; row += 1) yield { kind: 'good', row, line: row + 1, value: '', body: row };
}

/**
 * Sends rows until the process dies as from kill -9. Rows that it has already sent still arrive.
 * @param steps the number of writes and syncs before it dies
 */
async function runUntil(path: string, made: Map<number, number>, [step, count]: Case, steps: number) {
  const clock = virtualTime();
  const { signal } = new AbortController();
  // As src/cli/bulk/job.ts does: sixteen rows sleep at once.
  setMaxListeners(0, signal);
  let left = steps;
  let die: () => void = () => undefined;
  const death = new Promise<'dead'>((resolve) => {
    die = () => resolve('dead');
  });
  const alive = <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left === 0) die();
    return left > 0 ? work() : never;
  };
  const held = await lockCheckpoint(path);
  const opened = await held.open(
    IDENTITY,
    async () => ({}),
    async () => undefined,
  );
  const file: AppendOnlyFile = {
    append: (text) => alive(async () => opened.file.append(text)),
    sync: () => alive(opened.file.sync),
    close: opened.file.close,
  };
  const operation: RowOperation<number> = {
    sendAgain: true,
    lookUp: async (row) => ((made.get(row) ?? 0) > 0 ? 'added' : undefined),
    send: async (row) => {
      if (left <= 0) return never;
      await clock.sleep(1 + ((row * 37) % 90));
      made.set(row, (made.get(row) ?? 0) + 1);
      return left > 0 ? 'added' : never;
    },
  };
  const job = sendRows({
    rows: rows(count),
    operation,
    checkpoint: createBulkJobCheckpoint(file, opened, step),
    limiter: createConcurrencyLimiter({ clock, signal, max: 16 }),
    clock,
    signal,
    lateArrivalMs: 1500,
    maxUnanswered: 24,
    reasonOf: rowRejectionReason,
    onReport: () => undefined,
    onProgress: () => undefined,
  });
  const ended = await Promise.race([job, death]);
  // Rows that were sent still arrive: the clock stops only when nothing sleeps any more.
  await clock.sleep(1000);
  await opened.file.close();
  held.release();
  return ended;
}

it.each(CASES)(
  'I3: every row is made once, at whichever step the process dies (mark moved by %i)',
  async (...each) => {
    const [, count] = each;
    for (let steps = 1; steps <= 40; steps += 1) {
      await using folder = await temporaryFolder();
      const made = new Map<number, number>();
      const path = join(folder.path, 'j');
      const first = await runUntil(path, made, each, steps);
      const second = first === 'dead' ? await runUntil(path, made, each, Number.POSITIVE_INFINITY) : first;
      expect([steps, second]).toMatchObject([
        steps,
        { open: 0, problem: undefined, totals: { added: count } },
      ]);
      expect([steps, made.size, [...made].filter(([, times]) => times !== 1)]).toEqual([steps, count, []]);
    }
  },
  // A time limit for a hang: each of the 40 runs waits for the disk some hundred times.
  600_000,
);
