/** Contract, "Insight", `task calendar --ics`: the requirements of RFC 5545 for a file. */
import { describe, expect, it } from 'vitest';
import { type CalendarEvent, formatCalendarFile } from '../../src/kit/report/icalendar.ts';
import { hasCalendarReader, readCalendar } from '../support/icalendar-reader.ts';

const NOW = Date.parse('2026-12-01T09:00:00Z') / 1000;
const EVENT: CalendarEvent = {
  uid: 'task-1@api.example.com',
  start: NOW,
  summary: 'Spring',
  description: 'Task 1',
  categories: ['e-mail'],
};
const text = (...events: readonly Partial<CalendarEvent>[]) =>
  formatCalendarFile(
    events.map((event) => ({ ...EVENT, ...event })),
    NOW,
    'svc',
  );

describe('a file', () => {
  it('is a calendar of its events, with times in UTC and lines that end in CR LF', () => {
    expect(text({ start: NOW + 0.9, end: NOW + 60, created: NOW - 60 }).split('\r\n')).toEqual([
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//svc//EN', 'CALSCALE:GREGORIAN', 'BEGIN:VEVENT'],
      ...['UID:task-1@api.example.com', 'DTSTAMP:20261201T090000Z', 'DTSTART:20261201T090000Z'],
      ...['DTEND:20261201T090100Z', 'CREATED:20261201T085900Z', 'SUMMARY:Spring', 'DESCRIPTION:Task 1'],
      ...['CATEGORIES:e-mail', 'STATUS:CONFIRMED', 'TRANSP:TRANSPARENT', 'END:VEVENT', 'END:VCALENDAR', ''],
    ]);
  });

  it.each([[NOW], [NOW - 60], [NOW + 0.5]])('has only ends that are later than the start (%d)', (end) => {
    expect(text({ end })).not.toContain('DTEND');
  });

  it('has a component even without events: RFC 5545, 3.6', () => {
    expect(text()).toContain('BEGIN:VTIMEZONE\r\n');
  });
});

/** RFC 5545, 3.3.11: the characters of a text, and how they are written. */
const TEXTS: readonly (readonly [what: string, given: string, written: string, read: string])[] = [
  ['comma, semicolon, backslash', 'a, b; c\\d', 'a\\, b\\; c\\\\d', 'a, b; c\\d'],
  ['a backslash before an n', '\\n', '\\\\n', '\\n'],
  ['lines', 'one\ntwo\r\nthree\rfour', 'one\\ntwo\\nthree\\nfour', 'one\ntwo\nthree\nfour'],
  ['a colon and quotes', 'say: "hi"', 'say: "hi"', 'say: "hi"'],
  ['a property of its own', 'x\r\nSTATUS:CANCELLED', 'x\\nSTATUS:CANCELLED', 'x\nSTATUS:CANCELLED'],
  ['forbidden characters', 'a\0b\u001bc\ud800d', 'a\ufffdb\ufffdc\ufffdd', 'a\ufffdb\ufffdc\ufffdd'],
];

describe('texts', () => {
  it.each(TEXTS)('%s', (_, given, written) => {
    expect(text({ summary: given }).split('\r\n')).toContain(`SUMMARY:${written}`);
  });
});

const LONG = ['x'.repeat(500), 'ä€😀'.repeat(60), `${'x'.repeat(66)}${'é'.repeat(40)}`, 'a, '.repeat(100)];

describe('lines are folded at 75 octets, and no character is cut in two (RFC 5545, 3.1)', () => {
  it.each(LONG)('%s', (summary) => {
    const lines = text({ summary }).split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    expect(lines.join('')).not.toContain('\ufffd');
    const unfolded = text({ summary }).replaceAll('\r\n ', '').split('\r\n');
    expect(unfolded).toContain(`SUMMARY:${summary.replaceAll(',', '\\,')}`);
  });
});

// The reader of Debian 12 (4.0) treats `\\n` as a line end, although RFC 5545 has a backslash and an n.
const READ = TEXTS.filter(([, given]) => !given.includes('\\n'));

describe.runIf(hasCalendarReader)('read by python3-icalendar (skipped if it is not installed)', () => {
  it.each([
    ...READ.map(([what, given, , read]) => [what, given, read] as const),
    ...LONG.map((long) => ['long', long, long] as const),
  ])('%s', (_, summary, read) => {
    const { events, errors } = readCalendar(text({ summary, description: summary }));
    expect(errors).toEqual([]);
    expect(events).toMatchObject([{ summary: read, description: read, status: 'CONFIRMED' }]);
  });

  it('a calendar without events', () => {
    const { components, errors } = readCalendar(text());
    expect([components, errors]).toEqual([['VCALENDAR', 'VTIMEZONE', 'STANDARD'], []]);
  });
});

if (!hasCalendarReader)
  it.skip('python3-icalendar is not installed: no other program has read the file', () => undefined);
