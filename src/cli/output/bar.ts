/** Bars of a given width, and the numbers beside them. */

/** What a bar is made of. */
export interface Glyphs {
  readonly full: string;
  readonly rest: string;
}

/** Blocks where the locale is UTF-8, as on Windows and macOS it always is. */
export function glyphsFor(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Glyphs {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const isUtf8 = /utf-?8/i.test(locale) || platform === 'win32' || platform === 'darwin';
  return isUtf8 ? { full: '█', rest: '░' } : { full: '#', rest: '.' };
}

/**
 * So many columns, filled in part; what is not nothing shows, and only the whole fills the whole.
 * @param share 0 to 1
 */
export function barOf(share: number, width: number, { full, rest }: Glyphs): { full: string; rest: string } {
  const exact = Math.min(1, Math.max(0, share)) * width;
  const filled = exact === 0 ? 0 : Math.min(share < 1 ? width - 1 : width, Math.max(1, Math.round(exact)));
  return { full: full.repeat(Math.max(0, filled)), rest: rest.repeat(Math.max(0, width - filled)) };
}

/** `12,345` */
export const grouped = (count: number): string => String(count).replace(/\B(?=([0-9]{3})+$)/g, ',');

/** `12.30%`; `-` of nothing. Two places: complaints are judged by a tenth of a percent. */
export const percent = (count: number, of: number): string =>
  of > 0 ? `${((100 * count) / of).toFixed(2)}%` : '-';

/** `9:42` or `1:09:42`, rounded up: it ends with the last second, not before it. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const padded = (number: number): string => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
