import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Flags for attributes" (times, durations), "Forms", "Safety" (times that are past, the truth of a time), "Output".
export const TIME_TOPIC: HelpPage = {
  summary: 'How to write times and durations, and in which zone svc reads them',
  usage: 'svc task create --at <time> [flags]',
  sections: [
    helpSection(
      'Times',
      helpItems([
        ['"2026-12-01 09:00"', 'Local time'],
        ['"tomorrow 09:00"', 'Local time tomorrow'],
        ['"friday 9am"', 'Next Friday at 9:00 local time; on a Friday before 9:00, the same day'],
        ['"next monday 08:00"', 'svc rejects this time if it could mean either of two Mondays'],
        ['09:00, 9am', 'The next time at which the clock shows this; svc prints on stderr which day that is'],
        [
          '"25.12.2026 09:00"',
          'Day, month, year; svc rejects such a date if the day is 12 or less, because it could be the month',
        ],
        ['2026-12-01T09:00:00Z', 'ISO 8601 with Z or an offset, such as +01:00'],
        ['1796000000', 'Unix seconds'],
        ['+2h, "in 3 hours"', "Relative to now, by the service's clock; +2d is 48 hours"],
      ]),
    ),
    helpSection(
      'Durations',
      helpItems([
        ['90s, 5m, 2h, 1d, 1w', 'Seconds, minutes, hours, days, weeks'],
        ['1h30m', 'Combined'],
        [
          '--after 2d',
          'Delay of a rule; svc converts it to minutes or seconds, as the kind of rule requires',
        ],
        ['--before 1d', "How long before the subscriber's date a date rule acts"],
      ]),
    ),
    {
      heading: 'Zones',
      paragraphs: [
        'svc reads a local time in the zone of --tz, then of the profile (tz), then of the company. It never reads a time in ' +
          "the zone of this machine; it only shows times in that zone next to the company's.",
        "Tables show times in the company's zone. Other output formats contain Unix seconds. --tz does not change the output; it applies only to times that you type.",
        "The actionhour of a rule is in the company's local time.",
      ],
    },
    {
      heading: 'Clock changes',
      paragraphs: [
        'If the clocks go forward and skip a local time, svc rejects it and names the next valid time.',
        'If the clocks go back and a local time occurs twice, svc uses the first and says so on stderr.',
      ],
    },
    {
      heading: 'Rejected times',
      paragraphs: [
        'The service treats a past time as now, so a wrong year or zone would send at once. task create, task update ' +
          'and sms send reject a time in the past, less than 2 minutes ahead, or more than 2 years ahead. They also reject ' +
          'a Unix time in milliseconds. To send at once, use --now; svc rejects --at now.',
        "Before svc schedules a task, it prints the task's time on stderr: in UTC, the company's zone and yours, with the " +
          'weekday and the time left until then. --quiet does not hide this.',
      ],
    },
  ],
  examples: [
    'svc task update 1 --at "tomorrow 09:00"',
    'svc task update 1 --at "2026-12-01 09:00" --tz Europe/London',
  ],
  notes: [],
};
