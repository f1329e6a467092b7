/** Draws bars of a given width, and formats the percentages and times next to them. */
import { truncateToWidth } from '../../kit/text/display-width.ts';
import type { Environment } from '../outside/context.ts';
import type { ColourPainter } from './colour.ts';

export interface ProgressBarGlyphs {
  readonly full: string;
  readonly rest: string;
}

/** Returns block characters in a UTF-8 locale, and always on Windows and macOS. */
export function chooseProgressBarGlyphs(env: Environment, platform: NodeJS.Platform): ProgressBarGlyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const isUtf8 = /utf-?8/i.test(locale) || platform === 'win32' || platform === 'darwin';
  return isUtf8 ? { full: '█', rest: '░' } : { full: '#', rest: '.' };
}

/** Draws a bar of `width` columns for a share from 0 to 1. Any value above 0 shows at least one cell; only 100 % fills the bar. */
export function drawProgressBar(
  share: number,
  width: number,
  { full, rest }: ProgressBarGlyphs,
): { full: string; rest: string } {
  const exact = Math.min(1, Math.max(0, share)) * width;
  const filled = exact === 0 ? 0 : Math.min(share < 1 ? width - 1 : width, Math.max(1, Math.round(exact)));
  return { full: full.repeat(Math.max(0, filled)), rest: rest.repeat(Math.max(0, width - filled)) };
}

const WIDEST_BAR = 60;
const NARROWEST_BAR = 8;

/** Truncates the text instead if a line of `width` columns has no room for a bar. */
export function appendProgressBar(
  text: string,
  share: number,
  {
    width,
    paint,
    glyphs,
  }: { readonly width: number; readonly paint: ColourPainter; readonly glyphs: ProgressBarGlyphs },
): string {
  const room = Math.min(WIDEST_BAR, width - text.length - 2);
  if (room < NARROWEST_BAR) return truncateToWidth(text.trimEnd(), width);
  const { full, rest } = drawProgressBar(share, room, glyphs);
  return `${text}  ${full}${paint.faint(rest)}`;
}

/** Returns `12.30%`, or `-` if the total is 0. Two decimal places, because complaint rates below one percent matter. */
export const percentOf = (count: number, total: number): string =>
  total > 0 ? `${((100 * count) / total).toFixed(2)}%` : '-';

/** Returns `9:42` or `1:09:42`. Seconds are rounded up, so that the text shows `0:00` only at the end. */
export function formatTimeLeft(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const padded = (number: number): string => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
