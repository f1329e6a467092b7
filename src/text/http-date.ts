/**
 * Reads and writes dates of HTTP headers. Hundreds of requests in one second have the same date, so the last date that was read or written
 * is cached.
 */

let lastRead: { readonly text: string; readonly time: number | undefined } = { text: '', time: undefined };

/** Returns milliseconds since the epoch of an IMF-fixdate (RFC 9110), or undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (text !== lastRead.text) lastRead = { text, time: readHttpDate(text) };
  return lastRead.time;
}

function readHttpDate(text: string): number | undefined {
  if (!IMF_FIXDATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toUTCString() !== text ? undefined : time;
}

const IMF_FIXDATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

let lastWritten = { second: Number.NaN, text: '' };

/** Returns the IMF-fixdate of milliseconds since the epoch. */
export function formatHttpDate(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== lastWritten.second) lastWritten = { second, text: new Date(time).toUTCString() };
  return lastWritten.text;
}
