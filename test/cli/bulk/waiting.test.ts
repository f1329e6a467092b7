/** Contract: "A wait of more than 2 seconds is never silent". The note says the reason, the longest time, and that Ctrl-C is safe. */
import { describe, expect, it } from 'vitest';
import { createRowProgressDisplay } from '../../../src/cli/bulk/progress.ts';
import { createJobWaitTracker } from '../../../src/cli/bulk/waiting.ts';
import type { TraceEvent } from '../../../src/client/requests/connection.ts';

const about = { method: 'POST', path: '/v1/sms', query: '', attempt: 1 } as const;
const request: TraceEvent = { ...about, kind: 'request', headers: {} };
const answer = (status: number, headers = {}): TraceEvent => ({
  ...about,
  kind: 'answer',
  status,
  ms: 1,
  headers,
});
const totals = { rows: 9, added: 9, skipped: 0, rejected: 0, failed: 0, unconfirmed: 0 };

function job({ isTTY = false, quiet = false } = {}) {
  let now = 0;
  let text = '';
  const clock = { now: () => now };
  const waiting = createJobWaitTracker(clock, 60_000);
  const stderr = {
    isTTY,
    columns: 80,
    write: async (more: string): Promise<void> => {
      text += more;
    },
  };
  const glyphs = { full: '#', rest: '.' };
  const progress = createRowProgressDisplay({
    stderr,
    isDrawn: isTTY,
    clock,
    quiet,
    glyphs,
    total: 9,
    verb: 'sent',
    waiting: waiting.text,
  });
  progress.update(totals);
  /** Reports every half second, as a running job does. */
  const until = (time: number): string => {
    for (; now < time; now += 500) progress.redraw();
    progress.redraw();
    return text;
  };
  return { waiting, progress, until };
}

describe('a job without progress', () => {
  it.each([
    ['rows in doubt', 'checking if the service stored 3 rows (at most 1 minute); Ctrl-C is safe'],
    ['a response that does not arrive', 'waiting for 1 response (timeout in 1 minute); Ctrl-C is safe'],
    ['a service that is busy', 'the service is busy or unreachable; retrying in 43 seconds; Ctrl-C is safe'],
    ['an unreachable service', 'the service is busy or unreachable; retrying in 3 seconds; Ctrl-C is safe'],
  ])('without a terminal reports %s after 2 seconds, then every 10 seconds', (what, words) => {
    const { waiting, until } = job();
    if (what.startsWith('rows')) waiting.setUnknownRows(3, 62_000);
    else waiting.trace(request);
    if (what.endsWith('busy')) waiting.trace(answer(429, { 'retry-after': '45' }));
    if (what === 'an unreachable service') {
      waiting.trace({ ...about, kind: 'failure', problem: 'the connection was refused', ms: 1 });
      waiting.trace({ ...about, kind: 'retry', why: 'unreachable', ms: 5000 });
    }
    expect(until(1500)).toBe('');
    expect(until(2000)).toMatch(/^100% {2}9 of 9 rows .* 9 sent; .*\n$/);
    expect(until(2000)).toContain(`; ${words}\n`);
    expect(until(11_500).match(/\n/g)).toHaveLength(1);
    expect(until(12_500).match(/\n/g)).toHaveLength(2);
  });

  it('prints nothing for short waits, without waits, and with --quiet', () => {
    const { waiting, progress, until } = job();
    waiting.trace(request);
    until(1500);
    progress.update({ ...totals, added: 10 });
    expect(until(3000)).toBe('');
    waiting.trace(answer(202));
    expect(until(9000)).toBe('');
    const silent = job({ quiet: true });
    silent.waiting.setUnknownRows(1, 62_000);
    expect(silent.until(30_000)).toBe('');
  });

  it('shows the wait in the progress line on a terminal of 80 columns', () => {
    const { waiting, until } = job({ isTTY: true });
    waiting.setUnknownRows(1024, 62_000);
    const last = until(4000).split('\r\u001b[K').at(-1);
    expect(last).toBe('checking if the service stored 1024 rows (at most 58 seconds); Ctrl-C is safe');
  });
});
