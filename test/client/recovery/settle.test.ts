/** Acceptance, "How long a look waits", and the constants that are defined once. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lookUpSchedule, settleTime } from '../../../src/client/requests/recovery/settle.ts';

describe('the settling time', () => {
  it.each([
    ['the default time-out plus 2 seconds', {}, 62_000],
    ['the time-out plus 2 seconds', { timeout: 10_000 }, 12_000],
    ['the value of --settle', { settle: 5000, timeout: 10_000 }, 5000],
    ['no time at all', { settle: 0 }, 0],
  ])('is %s', (_, options, expected) => {
    expect(settleTime(options)).toBe(expected);
  });
});

describe('the look-ups', () => {
  it.each([
    ['after 2 seconds, and when the settling time is over', 62_000, [2000, 62_000]],
    ['once if the first would come shortly before the last', 4000, [4000]],
    ['twice for longer times', 4001, [2000, 4001]],
    ['at once if nothing can arrive any more', 0, [0]],
  ])('are %s', (_, settleMs, expected) => {
    const looks = lookUpSchedule(settleMs);
    expect(looks.map(({ afterMs }) => afterMs)).toEqual(expected);
    expect(looks.map(({ isLast }) => isLast)).toEqual(
      expected.map((_each, at) => at === expected.length - 1),
    );
  });
});

describe('the numbers', () => {
  const SRC = new URL('../../../src/', import.meta.url).pathname;
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^(client|journal|bulk|cli)\//.test(file) && file.endsWith('.ts'),
  );
  const names = [
    'SETTLE_MARGIN',
    'FIRST_LOOK_UP',
    'MAX_HTTP_POST_ATTEMPTS',
    'SERVICE_CLOCK_SLACK_SECONDS',
    'MIN_SECONDS_FROM_REQUEST_TO_SEND_TIME',
    'MAX_DATE_HEADER_CLOCK_SKEW_MS',
    'MIN_CLOCK_SKEW_TO_TRUST_401_MS',
  ];

  it.each(names)('%s is defined only once', (name) => {
    const places = files.filter((file) =>
      new RegExp(`const ${name}\\b`).test(readFileSync(`${SRC}${file}`, 'utf8')),
    );
    expect(places).toEqual(['client/requests/recovery/settle.ts']);
  });
});
