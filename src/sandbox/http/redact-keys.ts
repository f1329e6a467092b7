/** Keeps API keys out of the request log, wherever in a request a client has put one. */

/** A run of hexadecimal digits as long as a key. The service's keys have 32 or 40; each digit may be percent-encoded. */
const LONG_HEX = /(?:[0-9a-f]|%(?:3[0-9]|[46][1-6])){32,}/gi;

/** Reports whether a text has a run of digits that is as long as a key, so that the keys have to be read. */
export const mayHoldKey = (text: string): boolean => text.search(LONG_HEX) !== -1;

/** Replaces each run of hexadecimal digits that holds one of the keys, whatever its case, with `[redacted]`. */
export const redactKeys = (text: string, keys: readonly string[]): string =>
  text.replace(LONG_HEX, (run) => {
    const digits = decodeURIComponent(run).toLowerCase();
    return keys.some((key) => digits.includes(key.toLowerCase())) ? '[redacted]' : run;
  });
