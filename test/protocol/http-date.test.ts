import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../src/service/protocol/wire.ts';

// RFC 9110, section 5.6.7: a recipient must accept all three forms. Its own examples are the first three rows.
describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777_000],
    ['Sun Nov  6 08:49:37 1994', 784_111_777_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Tue Dec 01 09:00:00 2026', 1_796_115_600_000],
    ['Thu Dec 31 09:00:00 2026', 1_798_707_600_000],
    ['Tue Dec  1 09:00:00 2026', 1_796_115_600_000],
    ['Tuesday, 01-Dec-26 09:00:00 GMT', 1_796_115_600_000],
    ['Monday, 01-Dec-26 09:00:00 GMT', undefined],
    ['Tuesday, 31-Feb-26 09:00:00 GMT', undefined],
    ['Tue, 01-Dec-26 09:00:00 GMT', undefined],
    ['Tuesday, 01-Dec-2026 09:00:00 GMT', undefined],
    ['Tue Dec 1 09:00:00 2026', undefined],
    ['Mon Dec  1 09:00:00 2026', undefined],
    ['Tue Dec  1 09:00:00 2026 GMT', undefined],
    ['Sun, 06 Nov 1994 08:49:37 +0000', undefined],
    ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 25:49:37 GMT', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });
});

// The latest result of each direction is cached, so that the same second is not computed again.
it('writes any two consecutive moments as JavaScript does, and reads them back', () => {
  const moments = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(moments, fc.integer({ min: -2000, max: 2000 }), (time, later) => {
      for (const each of [time, Math.max(0, time + later), time + 0.5]) {
        expect(formatHttpDate(each)).toBe(new Date(each).toUTCString());
        expect(parseHttpDate(formatHttpDate(each))).toBe(1000 * Math.floor(each / 1000));
        expect(parseHttpDate(`${formatHttpDate(each)} `)).toBeUndefined();
      }
    }),
  );
});
