/** Valid and invalid sequences, for the reader and the JSON Schema (contract, "Campaigns as files"). */
import { variable } from './samples.ts';

const HEAD = 'version: 1\ncampaign: Sale\n';
/** Returns the sequence `w` with attributes from line 5 on: name, list, and `steps` in line 7. */
const sequenceOf = (steps: string): string =>
  `${HEAD}sequences:\n  w:\n    name: Welcome\n    list: 7\n    steps:\n${steps}`;

export const ACCEPTED_SEQUENCES: readonly (readonly [title: string, yaml: string])[] = [
  ['a sequence of one step', sequenceOf('      - {message: 12, after: 0m}\n')],
  [
    'a sequence with everything',
    sequenceOf(
      '      - {message: 12, after: 0, key: welcome, id: 3, hash: abcdefg}\n      - {message: 12, after: 3d, at-hour: 9, weekends: false}\n      - {message: 5, channel: sms, after: 3d, at-hour: 10:00}\n    paused: true\n',
    ),
  ],
  ['a step at the next nine o’clock', sequenceOf('      - {message: 12, after: 0m, at-hour: 9}\n')],
  [
    'a sequence with variables',
    sequenceOf(`      - {message: "${variable('n')}", after: "${variable('n')}m"}\n`),
  ],
  [
    'a sequence and a rule of one key',
    `${sequenceOf('      - {message: 12, after: 0m}\n')}automations:\n  w: {kind: date, name: R, actiontype: notify, actiontarget: a@shop.example}\n`,
  ],
];

export const REFUSED_SEQUENCES = [
  {
    title: 'a sequence of no steps',
    yaml: `${HEAD}sequences:\n  w: {name: Welcome, list: 7, steps: []}\n`,
    faults: [['4:38', 'sequence w: steps must be a list with at least one step']],
  },
  {
    title: 'a sequence without anything',
    yaml: `${HEAD}sequences:\n  w: {}\n`,
    faults: [
      ['4:3', 'sequence w: name is required'],
      ['4:3', 'sequence w: list is required'],
      ['4:3', 'sequence w: steps is required'],
    ],
  },
  {
    title: 'a step without a message and a time',
    yaml: sequenceOf('      - {at-hour: 9}\n'),
    faults: [
      ['8:9', 'sequence w: message is required'],
      ['8:9', 'sequence w: after is required'],
    ],
  },
  {
    title: 'a step that is no mapping, and one with the attribute of a sequence',
    yaml: sequenceOf('      - 12\n      - {message: 12, after: 1d, list: 8, mesage: 3}\n'),
    faults: [
      ['8:9', 'step 1 must have attributes'],
      ['9:34', 'unknown attribute list'],
      ['9:43', 'unknown attribute mesage; did you mean message?'],
    ],
  },
  {
    title: 'a step before its predecessor',
    yaml: sequenceOf(
      '      - {message: 12, after: 3d}\n      - {message: 12, after: 2d}\n      - {message: 13, after: 2d, at-hour: 10}\n      - {message: 14, after: 2d, at-hour: 9}\n',
    ),
    faults: [
      ['9:30', 'sequence w: after is shorter than that of the step above (3 days)'],
      ['11:43', 'sequence w: at-hour is before that of the step above, on the same day'],
    ],
    beyond: 'value',
  },
  {
    title: 'a step with an hour, less than a day after the subscription',
    yaml: sequenceOf('      - {message: 12, after: 3h, at-hour: 9}\n'),
    faults: [['8:30', 'after']],
    beyond: 'value',
  },
  {
    title: 'a first step that leaves out weekends but has no time',
    yaml: sequenceOf('      - {message: 12, after: 0m, weekends: false}\n'),
    faults: [['8:44', 'weekends can be false only if at-hour or after is set']],
    beyond: 'value',
  },
  {
    title: 'keys of steps twice, as numbers and as variables',
    yaml: sequenceOf(
      `      - {message: 12, after: 1d, key: a}\n      - {message: 12, after: 2d, key: a}\n      - {message: 12, after: 2d, key: 4}\n`,
    ),
    faults: [
      ['9:39', 'sequence w: step 1 has the key a too'],
      ['10:39', 'sequence w: key must have 1 to 40'],
    ],
  },
  {
    title: 'a channel of a message that is in the file, and one that does not exist',
    yaml: `${HEAD}messages:\n  t: {channel: sms, name: Text, from: Shop, message: c/sms.txt}\nsequences:\n  w:\n    name: Welcome\n    list: 7\n    steps:\n      - {message: t, after: 1d, channel: email}\n      - {message: 12, after: 1d, channel: fax}\n`,
    faults: [
      ['10:42', 'channel is allowed only if the message is not in this file'],
      ['11:43', 'channel must be email or sms'],
    ],
  },
  {
    title: 'a list that is no id, once for all steps',
    yaml: `${HEAD}sequences:\n  w:\n    name: Welcome\n    list: club\n    steps:\n      - {message: 12, after: 1d}\n      - {message: 13, after: 1d}\n`,
    faults: [['6:11', 'sequence w: list must be the id of a list']],
  },
  {
    title: 'an alias for the steps',
    yaml: `${HEAD}sequences:\n  w: {name: Welcome, list: 7, steps: &s [{message: 12, after: 1d}]}\n  v: {name: Welcome, list: 7, steps: *s}\n`,
    faults: [['5:38', 'sequence v: steps must be a list with at least one step, and not an alias']],
    beyond: 'yaml',
  },
  {
    title: 'an unknown attribute of a sequence, and a key that is an id',
    yaml: `${HEAD}sequences:\n  w: {name: Welcome, list: 7, after: 1d, steps: [{message: 12, after: 1d}]}\n  7: {}\n`,
    faults: [
      ['4:31', 'sequence w: unknown attribute after'],
      ['5:3', 'a key cannot be the number 7'],
    ],
  },
] as const;
