/** The progress of a bulk job, on a terminal and elsewhere. */
import { describe, expect, it } from 'vitest';
import { createRowProgressDisplay, formatRowProgress } from '../../../src/cli/bulk/progress.ts';
import { groupThousands } from '../../../src/kit/text/words.ts';

const BLOCKS = { full: '█', rest: '░' };

describe('progress', () => {
  const totals = { rows: 41_230, added: 40_000, skipped: 1000, rejected: 200, failed: 30, unconfirmed: 0 };

  it('is formatted in words', () => {
    expect(formatRowProgress(totals, 100_000, 2345.4, 'added', { glyphs: BLOCKS, columns: 200 })).toBe(
      '████████░░░░░░░░░░░░ 41%  41,230 of 100,000 rows  2,345/s  25 seconds left  40,000 added  1,000 skipped  ' +
        '200 rejected  30 failed',
    );
    expect(formatRowProgress({ ...totals, rows: 12 }, undefined, 0, 'sent', undefined)).toBe(
      '12 rows  0/s  40,000 sent  1,000 skipped  200 rejected  30 failed',
    );
    // The locale here has no block characters.
    expect(
      formatRowProgress(totals, 100_000, 0, 'added', { glyphs: { full: '#', rest: '.' }, columns: 200 }),
    ).toMatch(/^#{8}\.{12} 41% /);
    expect([0, 999, 1000, 1_234_567].map(groupThousands)).toEqual(['0', '999', '1,000', '1,234,567']);
  });

  it.each([
    [122, '████████'],
    [110, ''],
  ])('has a bar of the columns that the text leaves: %i', (columns, bar) => {
    const text = formatRowProgress({ ...totals, rows: 60_000 }, 100_000, 2345.4, 'added', {
      glyphs: BLOCKS,
      columns,
    });
    expect([text.length <= columns, /^█*/.exec(text)?.[0], text.endsWith('30 failed')]).toEqual([
      true,
      bar,
      true,
    ]);
  });

  function drawn(columns: number | undefined, quiet = false, plain = false) {
    let text = '';
    let now = 0;
    const write = async (more: string): Promise<void> => {
      text += more;
    };
    const progress = createRowProgressDisplay({
      stderr: { isTTY: columns !== undefined, columns, write },
      isDrawn: columns !== undefined && !plain,
      clock: { now: () => now },
      quiet,
      glyphs: BLOCKS,
      total: 100_000,
      verb: 'added',
      waiting: () => undefined,
    });
    const at = (time: number): void => {
      now = time;
      progress.update({ ...totals, rows: time * 2 });
    };
    return { at, progress, text: () => text };
  }

  // Contract, "Environment": with SVC_PLAIN nothing is drawn over.
  it('is lines without a bar on a terminal that must not be redrawn', () => {
    const screen = drawn(80, false, true);
    for (const time of [50, 200, 10_000, 20_000]) screen.at(time);
    screen.progress.end();
    expect(screen.text().split('\n')).toEqual([
      expect.stringMatching(/^20% {2}20,000 of 100,000 rows /),
      expect.stringMatching(/^40% {2}40,000 of 100,000 rows /),
      '',
    ]);
  });

  it('redraws one line on a terminal, cut to its width, and removes it at the end', () => {
    for (const columns of [80, 200]) {
      const screen = drawn(columns);
      for (const time of [50, 100, 150, 200]) screen.at(time);
      screen.progress.line('line 3: "\u001b[31mx" is no address');
      screen.at(400);
      screen.progress.end();
      const parts = screen.text().split('\r\u001b[K');
      expect(parts).toHaveLength(4);
      expect(parts.every((part) => part.split('\n').every((line) => line.length < columns))).toBe(true);
      expect(parts[2]).toContain('line 3: "␛[31mx" is no address\n');
      expect(parts.at(-1)).toBe('');
      expect(parts).toMatchSnapshot(`${columns} columns`);
    }
  });

  it('prints a line every 10 seconds elsewhere, and none with --quiet', () => {
    const log = drawn(undefined);
    for (let time = 0; time <= 30_000; time += 500) log.at(time);
    expect(log.text().split('\n')).toHaveLength(4);
    expect(log.text()).not.toMatch(/[\r\u001b█]/);
    const quiet = drawn(80, true);
    for (const time of [100, 200]) quiet.at(time);
    expect(quiet.text()).toBe('');
  });
});
