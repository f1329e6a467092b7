/** Writes iCalendar files (RFC 5545). Times are in UTC, texts are escaped, and lines are folded at 75 octets. */

export interface CalendarEvent {
  /** The same in every file, and unlike that of any other event. */
  readonly uid: string;
  /** Unix seconds, as all times of an event; fractions are removed. */
  readonly start: number;
  /** If omitted, the event is a single moment. */
  readonly end?: number | undefined;
  readonly created?: number | undefined;
  readonly summary: string;
  readonly description: string;
  readonly categories: readonly string[];
}

/** Lines end in CR LF. @param stamp time of creation, Unix seconds @param product program that creates the file: `svc//task calendar` */
export function formatCalendarFile(events: readonly CalendarEvent[], stamp: number, product: string): string {
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:-//${textValue(product)}//EN`, 'CALSCALE:GREGORIAN'],
    ...(events.length === 0 ? EMPTY_CALENDAR : events.flatMap((event) => eventLines(event, stamp))),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** Content of a calendar without events. It defines a time zone, because each calendar must have at least one component (RFC 5545, 3.6). */
const EMPTY_CALENDAR = [
  ...['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0000'],
  ...['TZOFFSETTO:+0000', 'TZNAME:UTC', 'END:STANDARD', 'END:VTIMEZONE'],
];

function eventLines(event: CalendarEvent, stamp: number): readonly string[] {
  const { uid, start, end, created, summary, description, categories } = event;
  return [
    'BEGIN:VEVENT',
    `UID:${textValue(uid)}`,
    `DTSTAMP:${utcTime(stamp)}`,
    `DTSTART:${utcTime(start)}`,
    // RFC 5545, 3.8.2.2: the end is later than the start.
    ...(end !== undefined && Math.floor(end) > Math.floor(start) ? [`DTEND:${utcTime(end)}`] : []),
    ...(created === undefined ? [] : [`CREATED:${utcTime(created)}`]),
    `SUMMARY:${textValue(summary)}`,
    `DESCRIPTION:${textValue(description)}`,
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.map(textValue).join(',')}`]),
    'STATUS:CONFIRMED',
    // The event does not mark anyone as busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** Returns `20261201T090000Z`. */
const utcTime = (seconds: number): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().replace(/[-:]|\.[0-9]+/g, '');

/** RFC 5545, 3.3.11. Control characters and lone surrogates, which are not allowed, become U+FFFD. */
function textValue(text: string): string {
  return text
    .replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cs}/gu, '\ufffd')
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n');
}

const MAX_OCTETS = 75;

/** RFC 5545, 3.1: a folded line continues after CR LF and a space, which counts as an octet. No character is split. */
function folded(line: string): string {
  const lines: string[] = [];
  let current = '';
  let octets = 0;
  for (const character of line) {
    const taken = octetsOf(character);
    if (octets + taken > MAX_OCTETS) {
      lines.push(current);
      current = ' ';
      octets = 1;
    }
    current += character;
    octets += taken;
  }
  return [...lines, current].join('\r\n');
}

function octetsOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
