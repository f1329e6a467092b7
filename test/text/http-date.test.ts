import { describe, expect, it } from 'vitest';
import { parseHttpDate } from '../../src/text/http-date.ts';

describe('parseHttpDate: IMF-fixdate (RFC 9110)', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', undefined],
    ['Sun Nov  6 08:49:37 1994', undefined],
    ['Sun, 06 Nov 1994 08:49:37 +0000', undefined],
    ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 25:49:37 GMT', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });
});
