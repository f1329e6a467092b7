/** Shows the progress of a bulk job: a redrawn line on a terminal, or a line every 10 seconds elsewhere and with `--plain`. */

import type { RowOutcomeTotals } from '../../client/bulk/job-state.ts';
import type { Clock } from '../../client/requests/ports.ts';
import { truncateToWidth } from '../../kit/text/display-width.ts';
import { formatRoundedDuration } from '../../kit/text/duration.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { groupThousands } from '../../kit/text/words.ts';
import { drawProgressBar, type ProgressBarGlyphs } from '../output/bar.ts';
import type { OutputStream } from '../outside/context.ts';
import { MAX_WAIT_WITHOUT_NOTICE_MS } from './waiting.ts';

export interface RowProgressDisplay {
  readonly update: (totals: RowOutcomeTotals) => void;
  /** The job calls this function at regular intervals, even if no row was completed. */
  readonly redraw: () => void;
  readonly line: (text: string) => void;
  readonly end: () => void;
}

const REDRAW = 100;
const EVERY = 10_000;
const WINDOW = 10_000;
const BAR = 20;

export function createRowProgressDisplay(options: {
  readonly stderr: OutputStream;
  readonly isDrawn: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly quiet: boolean;
  readonly glyphs: ProgressBarGlyphs;
  /** Undefined if svc learns the number only at the end of the file. */
  readonly total: number | undefined;
  readonly verb: string;
  /** The display calls this function if no row was completed for 2 seconds. */
  readonly waiting: () => string | undefined;
}): RowProgressDisplay {
  const { stderr, isDrawn, clock, quiet, glyphs, total, verb, waiting } = options;
  const begun = clock.now();
  let drawn = false;
  let next = begun + (isDrawn ? REDRAW : EVERY);
  let samples: readonly { readonly at: number; readonly rows: number }[] = [{ at: begun, rows: 0 }];
  const write = (text: string): void => {
    // A failed write of progress must not end the work.
    stderr.write(text).catch(() => undefined);
  };
  const clear = (): void => {
    if (drawn) write('\r\u001b[K');
    drawn = false;
  };
  let latest: RowOutcomeTotals | undefined;
  let done = 0;
  let moved = begun;
  let lastReportedAt = Number.NEGATIVE_INFINITY;
  const draw = (totals: RowOutcomeTotals, now: number): void => {
    next = now + (isDrawn ? REDRAW : EVERY);
    const kept = samples.filter(({ at }) => at >= now - WINDOW);
    const [first = { at: begun, rows: 0 }] = kept.length > 0 ? kept : samples.slice(-1);
    samples = [...kept.slice(-WINDOW / REDRAW), { at: now, rows: totals.rows }];
    const rate = (1000 * (totals.rows - first.rows)) / Math.max(1, now - first.at);
    const wait = now - moved >= MAX_WAIT_WITHOUT_NOTICE_MS ? waiting() : undefined;
    const columns = (stderr.columns ?? 80) - 1;
    const text = formatRowProgress(totals, total, rate, verb, isDrawn ? { glyphs, columns } : undefined);
    if (!isDrawn) {
      if (wait !== undefined) lastReportedAt = now;
      write(`${text}${wait === undefined ? '' : `; ${wait}`}\n`);
      return;
    }
    clear();
    write(truncateToWidth(wait ?? text, columns));
    drawn = true;
  };
  const tick = (): void => {
    const now = clock.now();
    if (quiet || latest === undefined) return;
    const isNewWait =
      now - moved >= MAX_WAIT_WITHOUT_NOTICE_MS && now - lastReportedAt >= EVERY && waiting() !== undefined;
    if (now >= next || (!isDrawn && isNewWait)) draw(latest, now);
  };
  return {
    update: (totals) => {
      if (quiet) return;
      const before = done;
      done = doneIn(totals);
      if (latest === undefined || done !== before) moved = clock.now();
      latest = totals;
      tick();
    },
    redraw: tick,
    line: (text) => {
      clear();
      write(`${escapeForTerminal(text)}\n`);
    },
    end: clear,
  };
}

const doneIn = ({ added, skipped, rejected, failed, unconfirmed }: RowOutcomeTotals): number =>
  added + skipped + rejected + failed + unconfirmed;

/** Characters of a bar, and the columns that the whole text may have. */
interface BarShape {
  readonly glyphs: ProgressBarGlyphs;
  readonly columns: number;
}

/**
 * @param rate rows per second
 * @param bar undefined for a text without a bar
 */
export function formatRowProgress(
  totals: RowOutcomeTotals,
  total: number | undefined,
  rate: number,
  verb: string,
  bar: BarShape | undefined,
): string {
  const { rows, added, skipped, rejected, failed, unconfirmed } = totals;
  const share = total === undefined ? undefined : Math.min(1, rows / Math.max(1, total));
  const parts = [
    ...(share === undefined ? [] : [`${Math.floor(100 * share)}%`]),
    total === undefined
      ? `${groupThousands(rows)} rows`
      : `${groupThousands(rows)} of ${groupThousands(total)} rows`,
    `${groupThousands(Math.round(rate))}/s`,
    ...(total === undefined || rate <= 0 || rows >= total
      ? []
      : [`${formatRoundedDuration((total - rows) / rate)} left`]),
    `${groupThousands(added)} ${verb}`,
    ...counted('skipped', skipped),
    ...counted('rejected', rejected),
    ...counted('failed', failed),
    ...counted('unconfirmed', unconfirmed),
  ];
  const text = parts.join('  ');
  return `${barText(share, bar, text.length)}${text}`;
}

const counted = (word: string, count: number): readonly string[] =>
  count === 0 ? [] : [`${groupThousands(count)} ${word}`];

/** Returns the bar, which is shorter if the text needs the columns, and is left out below 5 columns. @param used columns of the text */
function barText(share: number | undefined, bar: BarShape | undefined, used: number): string {
  if (share === undefined || bar === undefined) return '';
  const width = Math.min(BAR, bar.columns - used - 1);
  if (width < 5) return '';
  // Rounded to the nearest column. The percentage beside it is exact.
  const { full, rest } = drawProgressBar(Math.round(share * width) / width, width, bar.glyphs);
  return `${full}${rest} `;
}
