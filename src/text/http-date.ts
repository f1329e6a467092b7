/** Dates of HTTP headers. */

/** Milliseconds since the epoch of an IMF-fixdate (RFC 9110), or undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (!IMF_FIXDATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toUTCString() !== text ? undefined : time;
}

const IMF_FIXDATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;
