/** Reads iCalendar files with Debian's python3-icalendar. */
import { spawnSync } from 'node:child_process';

const PYTHON = ['/usr/bin/python3', 'python3'].find(
  (python) => spawnSync(python, ['-c', 'import icalendar']).status === 0,
);

export const hasCalendarReader = PYTHON !== undefined;

export interface ReadEvent {
  readonly uid: string;
  readonly summary: string;
  readonly description: string;
  readonly status: string;
  /** A time such as `2026-12-01T09:00:00+00:00`. */
  readonly start: string;
  readonly end: string | null;
  readonly stamp: string;
}

export interface ReadCalendar {
  readonly version: string;
  /** Names of all components, the calendar's first. */
  readonly components: readonly string[];
  readonly events: readonly ReadEvent[];
  /** The parts that the reader could not understand. */
  readonly errors: readonly string[];
}

const SCRIPT = `
import sys, json, icalendar
calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
when = lambda event, name: event[name].dt.isoformat() if name in event else None
print(json.dumps({
  'version': str(calendar['VERSION']),
  'components': [each.name for each in calendar.walk()],
  'events': [{
    'uid': str(event['UID']), 'summary': str(event['SUMMARY']), 'description': str(event['DESCRIPTION']),
    'status': str(event['STATUS']), 'start': when(event, 'DTSTART'), 'end': when(event, 'DTEND'), 'stamp': when(event, 'DTSTAMP'),
  } for event in calendar.walk('VEVENT')],
  'errors': [str(error) for each in calendar.walk() for error in each.errors],
}))
`;

/**
 * Reads a calendar.
 * @throws if the text is not an iCalendar file at all
 */
export function readCalendar(text: string): ReadCalendar {
  const run = spawnSync(PYTHON ?? 'python3', ['-c', SCRIPT], { input: text, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as ReadCalendar;
}
