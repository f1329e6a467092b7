import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Flags for attributes" (times, durations), "Forms", "Safety" (times that are past, the truth of a time), "Output".
export const TIME: HelpPage = {
  summary: 'How times and durations are written, and in which zone they are read',
  usage: 'svc task create --at <time> [flags]',
  sections: [
    section(
      'Times',
      items([
        ['"2026-12-01 09:00"', 'Local time'],
        ['"tomorrow 09:00"', 'Local time of the next day'],
        ['"friday 9am"', 'Local time of the next Friday: today if that is still ahead'],
        ['"next monday 08:00"', 'Refused if it could mean either of two Mondays'],
        ['09:00, 9am', 'The next one; stderr says which day'],
        ['"25.12.2026 09:00"', 'Day, month, year, if the day is over 12'],
        ['2026-12-01T09:00:00Z', 'ISO 8601 with Z or an offset, such as +01:00'],
        ['1796000000', 'Unix seconds'],
        ['+2h, "in 3 hours"', 'From now, by the clock of the service; +2d is 48 hours'],
      ]),
    ),
    section(
      'Durations',
      items([
        ['90s, 5m, 2h, 1d', 'Seconds, minutes, hours, days'],
        ['1h30m', 'Several of them'],
        ['--after 2d', 'Delay of a rule, turned into the unit of its kind'],
        ['--before 1d', 'The same before a date, of date rules'],
      ]),
    ),
    {
      heading: 'Zones',
      paragraphs: [
        "A local time is read in the zone of --tz, else of the profile (tz), else of the company. The zone of this machine is never used to read a time; it is only shown beside the company's.",
        "Tables show times in the company's zone. The other formats have Unix seconds, and --tz changes nothing of either.",
        "actionhour of a rule is local time of the company, by the interface's rule.",
      ],
    },
    {
      heading: 'Clock changes',
      paragraphs: [
        'A local time that does not exist, because the clock is put forward over it, is an error that names the next one that does.',
        'One that exists twice, because the clock is put back, is taken for the first, and stderr says so.',
      ],
    },
    {
      heading: 'Times that are refused',
      paragraphs: [
        'The service turns a time that is past into now, so a slip of a year or a zone would send at once. task create, task update and sms send refuse a time that is past, less than 2 minutes ahead, more than 2 years ahead, or looks like milliseconds. --now is the only way to send at once, and --at now is refused.',
        'Before a task is scheduled, stderr says its time in UTC, in the zone of the company and in yours, with the weekday and how far it is from now. --quiet does not silence that.',
      ],
    },
  ],
  examples: [
    'svc task update 1 --at "tomorrow 09:00"',
    'svc task update 1 --at "2026-12-01 09:00" --tz Europe/London',
  ],
  notes: [],
};
