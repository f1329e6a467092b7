/** Runs the row sender against a service in memory, with a clock that advances while the code sleeps. */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { rowRejectionReason } from '../../src/cli/bulk/report.ts';
import {
  createBulkJobCheckpoint,
  createRowOutcomes,
  type ResumedJobProgress,
} from '../../src/client/bulk/checkpoint.ts';
import type { CheckedRow, FailedRowReport, RowOperation } from '../../src/client/bulk/row.ts';
import { sendRows } from '../../src/client/bulk/row-sender.ts';
import { ClientError, type ClientErrorKind } from '../../src/client/requests/errors.ts';
import { createConcurrencyLimiter } from '../../src/client/requests/limiter.ts';
import { virtualTime } from './virtual-time.ts';

const failing = (kind: ClientErrorKind, status?: number): ClientError =>
  new ClientError(kind, kind, { method: 'POST', path: '/v1/doNotContact', status });

interface Setting {
  readonly rows: number;
  readonly send: (body: number, attempt: number) => Promise<'added' | 'skipped'>;
  readonly look?: (body: number) => Promise<'added' | 'skipped' | undefined>;
  readonly sendAgain?: boolean;
  readonly past?: ResumedJobProgress;
  readonly settle?: number;
  readonly signal?: AbortSignal;
}

async function run(setting: Setting) {
  const clock = virtualTime();
  const signal = setting.signal ?? new AbortController().signal;
  setMaxListeners(0, signal);
  const sent: { readonly body: number; readonly at: number }[] = [];
  const told: FailedRowReport[] = [];
  const lines: string[] = [];
  let most = 0;
  let now = 0;
  const operation: RowOperation<number> = {
    sendAgain: setting.sendAgain ?? true,
    lookUp: setting.look ?? (async () => undefined),
    send: async (body) => {
      sent.push({ body, at: clock.now() });
      now += 1;
      most = Math.max(most, now);
      try {
        await clock.sleep(10);
        return await setting.send(body, sent.filter((each) => each.body === body).length);
      } finally {
        now -= 1;
      }
    },
  };
  const file = {
    append: async (text: string) => void lines.push(text),
    sync: async () => undefined,
    close: async () => undefined,
  };
  const past = setting.past ?? { sendableBelow: 0, outcomes: createRowOutcomes() };
  async function* rows(): AsyncGenerator<CheckedRow<number>> {
    for (let row = 0; row < setting.rows; row += 1)
      yield { kind: 'good', row, line: row + 1, value: `row ${row}`, body: row };
  }
  const ended = await sendRows({
    rows: rows(),
    operation,
    checkpoint: createBulkJobCheckpoint(file, past, 16),
    limiter: createConcurrencyLimiter({ clock, signal, max: 16 }),
    clock,
    signal,
    lateArrivalMs: setting.settle ?? 62_000,
    maxUnanswered: 24,
    reasonOf: rowRejectionReason,
    onReport: (each) => void told.push(each),
    onProgress: () => undefined,
  });
  return { ...ended, sent, told, most, now: clock.now(), journal: lines.join('') };
}

describe('rows with an answer', () => {
  it('are sent once each, several at once, and recorded', async () => {
    const { totals, open, problem, sent, most, journal } = await run({
      rows: 500,
      send: async () => 'added',
    });
    expect([totals.added, open, problem]).toEqual([500, 0, undefined]);
    expect(sent.map(({ body }) => body).sort((a, b) => a - b)).toEqual([...Array(500).keys()]);
    expect(most).toBe(16);
    expect(journal.match(/^A /gm)).toHaveLength(500);
  });

  it('are reported with their line and never sent again if they are refused', async () => {
    const { totals, told, sent } = await run({
      rows: 10,
      send: async (body) => {
        if (body === 3) throw failing('refused', 400);
        return body === 4 ? 'skipped' : 'added';
      },
    });
    expect(totals).toMatchObject({ rows: 10, added: 8, skipped: 1, failed: 1 });
    expect(told).toEqual([{ row: 3, line: 4, value: 'row 3', reason: 'refused' }]);
    expect(sent).toHaveLength(10);
  });
});

describe('a row in doubt', () => {
  it('is looked up after 2 s, and again when it can no longer arrive, while the others continue', async () => {
    const looks: number[] = [];
    const { totals, sent, now } = await run({
      rows: 50,
      send: async (body, attempt) => {
        if (body === 0 && attempt === 1) throw failing('unknown');
        return 'added';
      },
      look: async (body) => {
        looks.push(body);
        return undefined;
      },
    });
    expect([totals.added, looks]).toEqual([50, [0, 0]]);
    expect(sent.filter(({ body }) => body === 0).map(({ at }) => at)).toEqual([0, 62_010]);
    expect(sent.filter(({ body }) => body > 0).every(({ at }) => at < 2000)).toBe(true);
    expect(now).toBeLessThan(63_000);
  });

  it('is not sent again if it is found', async () => {
    const { totals, sent } = await run({
      rows: 1,
      send: async () => Promise.reject(failing('unknown')),
      look: async () => 'added',
    });
    expect([totals.added, sent.length]).toEqual([1, 1]);
  });

  it('is reported as unconfirmed if it must not be sent again', async () => {
    const { totals, open, told, sent, journal } = await run({
      rows: 1,
      sendAgain: false,
      send: async () => Promise.reject(failing('unknown')),
    });
    expect([totals.unconfirmed, open, sent.length, told[0]?.line]).toEqual([1, 0, 1, 1]);
    expect(journal).toContain('U {"row":0');
  });
});

describe('after a crash', () => {
  it('looks up only rows that were allowed and not answered, at most 16, and sends nothing twice', async () => {
    const outcomes = createRowOutcomes();
    for (let row = 0; row < 20; row += 1) outcomes.set(row, 'added');
    outcomes.set(20, 'unsent');
    const looks: number[] = [];
    const { totals, sent } = await run({
      rows: 100,
      past: { sendableBelow: 32, outcomes },
      send: async () => 'added',
      look: async (body) => {
        looks.push(body);
        return body < 25 ? 'added' : undefined;
      },
    });
    expect(totals).toMatchObject({ rows: 100, added: 100 });
    expect(new Set(looks)).toEqual(new Set([21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]));
    expect(sent.map(({ body }) => body).sort((a, b) => a - b)).toEqual(
      [...Array(100).keys()].filter((row) => row === 20 || row > 24),
    );
    // Only the rows that an earlier run may have sent wait until they can no longer arrive.
    expect(sent.filter(({ body }) => body >= 25 && body < 32).every(({ at }) => at >= 62_000)).toBe(true);
  });
});

describe('a service that fails', () => {
  it('is tried again after an occasional failure', async () => {
    const { totals, open } = await run({
      rows: 100,
      send: async (body, attempt) => {
        if (body % 10 === 0 && attempt < 3) throw failing('unreachable');
        return 'added';
      },
    });
    expect([totals.added, open]).toEqual([100, 0]);
  });

  it('leaves a row open for the next run if that row fails repeatedly', async () => {
    const { totals, open, problem, journal } = await run({
      rows: 100,
      send: async (body) => (body === 5 ? Promise.reject(failing('throttled', 429)) : 'added'),
    });
    expect([totals.added, open, problem]).toEqual([99, 1, undefined]);
    expect(journal).toContain('N 5\n');
  });

  it('ends the job soon if every row fails', async () => {
    const { open, problem, sent } = await run({
      rows: 10_000,
      send: async () => Promise.reject(failing('unreachable')),
    });
    expect(problem).toMatchObject({ kind: 'unreachable' });
    expect(sent.length).toBeLessThanOrEqual(40);
    expect(open).toBeLessThanOrEqual(20);
  });

  it.each([
    ['the credentials', failing('refused', 401)],
    ['a redirect', failing('redirect', 302)],
    ["an answer that is not the service's", failing('not-ours', 200)],
    ['a bug', new TypeError('oops')],
  ])('ends the job at once because of %s', async (_, error) => {
    const { problem, sent } = await run({ rows: 100, send: async () => Promise.reject(error) });
    expect(problem).toBe(error);
    expect(sent.length).toBeLessThanOrEqual(5);
  });
});

describe('Ctrl-C', () => {
  it('finishes requests in flight and starts none', async () => {
    const controller = new AbortController();
    const { totals, sent, problem } = await run({
      rows: 1000,
      signal: controller.signal,
      send: async (body) => {
        if (body === 100) controller.abort();
        return 'added';
      },
    });
    expect(problem).toBeUndefined();
    expect(sent.length).toBeLessThan(120);
    expect(totals.added).toBe(sent.length);
  });
});
