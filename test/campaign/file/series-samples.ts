/** Valid and invalid series, for the reader and the JSON Schema (contract, "Campaigns as files", "Series"). */
import { variable } from './samples.ts';

/** Returns a task `t` with `repeat` in line 5, whose value begins in column 82. */
const seriesOf = (repeat: string, at = '2026-12-07 09:00', more = ''): string =>
  `version: 1
campaign: Sale
tasks:
  t:
    {name: T, message: 12, list: 7, at: "${at.padEnd(29)}", repeat: ${repeat}${more}}
`;

export const ACCEPTED_SERIES: readonly (readonly [title: string, yaml: string])[] = [
  ['a series with a last day', seriesOf('{every: week, until: 2026-12-31}')],
  ['a series with a number of times', seriesOf('{every: month, times: 366, ahead: 12}')],
  ['a series of one time', seriesOf('{every: weekday, until: 2026-12-07, times: null}')],
  ['a series of 366 days', seriesOf('{every: day, until: 2027-12-07}')],
  ['a series from Unix seconds on', seriesOf('{every: day, times: 2}', '1796115600')],
  ['a series in the past', seriesOf('{every: day, times: 2}', '2020-01-01 09:00')],
  ['a series with variables', seriesOf(`{every: "${variable('every')}", times: "${variable('few')}"}`)],
  [
    'a series with existing records',
    seriesOf(
      '{every: week, times: 2}',
      undefined,
      ', occurrences: [{day: 2026-12-07, id: 3, hash: abcdefg}, {day: 2026-12-14, id: 4}]',
    ),
  ],
  ['a task with repeat: null', seriesOf('null')],
];

export const REFUSED_SERIES = [
  {
    title: 'a series without an end, and with an unknown attribute',
    yaml: seriesOf('{every: week, untill: 2026-12-31}'),
    faults: [
      ['5:82', 'task t: a series needs an end: until, such as 2026-12-31, or times, such as 10'],
      ['5:96', 'task t: repeat: unknown attribute untill; did you mean until?'],
    ],
  },
  {
    title: 'a series with two ends',
    yaml: seriesOf('{every: week, until: 2026-12-31, times: 3}'),
    faults: [['5:115', 'task t: give until or times, not both']],
  },
  {
    title: 'a series with nothing but an end',
    yaml: seriesOf('{times: 3}'),
    faults: [['5:82', 'task t: every is required: day, weekday, week, month']],
  },
  {
    title: 'values out of range, and an unknown distance',
    yaml: seriesOf('{every: fortnight, times: 0, ahead: 13}'),
    faults: [
      ['5:90', 'every must be day, weekday, week or month, not "fortnight"'],
      ['5:108', 'times must be a whole number from 1 to 366, not "0"'],
      ['5:118', 'ahead must be a whole number from 1 to 12, not "13"'],
    ],
  },
  {
    title: 'a day that does not exist',
    yaml: seriesOf('{every: day, until: 2027-02-29}'),
    faults: [['5:102', 'until must be a day, such as 2026-12-31, not "2027-02-29"']],
    beyond: 'value',
  },
  {
    title: 'an end before the first time',
    yaml: seriesOf('{every: day, until: 2026-12-06}'),
    faults: [['5:102', 'until is before the first time, 2026-12-07']],
    beyond: 'value',
  },
  {
    title: 'more than 366 times by a number',
    yaml: seriesOf('{every: day, times: 367}'),
    faults: [['5:102', 'the series has more than 366 times; end it earlier']],
  },
  {
    title: 'more than 366 times by a day',
    yaml: seriesOf('{every: day, until: 2027-12-08}'),
    faults: [['5:102', 'the series has more than 366 times; end it earlier']],
    beyond: 'value',
  },
  {
    title: 'a first time on a weekend, of a series from Monday to Friday',
    yaml: seriesOf('{every: weekday, times: 3}', '2026-12-05 09:00'),
    faults: [['5:41', 'at is on a Sat, but the series sends from Monday to Friday']],
    beyond: 'value',
  },
  {
    title: 'a relative first time',
    yaml: seriesOf('{every: week, times: 3}', 'monday 09:00'),
    faults: [['5:41', 'at of a series must be a date and a time, such as 2026-12-07 09:00']],
    beyond: 'value',
  },
  {
    title: 'a series without a first time',
    yaml: 'version: 1\ncampaign: Sale\ntasks:\n  t: {name: T, message: 12, list: 7, repeat: {every: day, times: 2}}\n',
    faults: [['4:3', 'task t: at is required']],
  },
  {
    title: 'a text, a list and an alias',
    yaml: 'version: 1\ncampaign: Sale\ntasks:\n  a: {name: T, message: 12, list: 7, at: 2026-12-07 09:00, repeat: weekly}\n  b: {name: T, message: 12, list: 7, at: 2026-12-07 09:00, repeat: [day]}\n',
    faults: [
      ['4:68', 'task a: repeat must have attributes, such as {every: week, times: 10}'],
      ['5:68', 'task b: repeat must have attributes'],
    ],
  },
  {
    title: 'the id of a single task',
    yaml: seriesOf('{every: day, times: 2}', undefined, ', id: 7'),
    faults: [['5:110', 'id is for a single task; name the records of a series in occurrences']],
    beyond: 'value',
  },
  {
    title: 'records of a task that is no series',
    yaml: seriesOf('null', undefined, ', occurrences: [{day: 2026-12-07, id: 7}]'),
    faults: [['5:101', 'occurrences needs repeat']],
    beyond: 'value',
  },
  {
    title: 'records of other days, of one day twice, without an id, and with a wrong hash',
    yaml: seriesOf(
      '{every: week, times: 2}',
      undefined,
      ', occurrences: [{day: monday, id: 7}, {day: 2026-12-07}, {day: 2026-12-07, id: 8, hash: x}, {day: 2026-12-07, id: 9}, {day: 2026-12-07, id: 10}, {day: 2026-12-14, id: 9}, 12]',
    ),
    faults: [
      ['5:127', 'day must be a day'],
      ['5:143', 'id must be the id of an existing record'],
      ['5:193', 'hash is not a hash written by svc export'],
      ['5:229', 'another occurrence has the day 2026-12-07 too'],
      ['5:272', 'id 9 is also used by task t'],
      ['5:276', 'an occurrence must have day and id'],
    ],
  },
  {
    title: 'a record of a day that the series does not have',
    yaml: seriesOf('{every: week, times: 2}', undefined, ', occurrences: [{day: 2026-12-08, id: 7}]'),
    faults: [['5:82', 'occurrences: 2026-12-08 is not a day of this series']],
    beyond: 'value',
  },
] as const;
