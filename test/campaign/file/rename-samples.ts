/** Files with `renamed-from`, valid and invalid, for the reader and the JSON Schema (contract, "Campaigns as files"). */

const HEAD = 'version: 1\ncampaign: Sale\n';
const MAIL = '{channel: sms, name: Mail, from: Shop, message: c/sms.txt';
const mails = (...keys: readonly string[]): string =>
  `messages:\n${keys.map((each) => `  ${each}}\n`).join('')}`;
const sequence = (steps: string, more = ''): string =>
  `${HEAD}sequences:\n  welcome:\n    name: W\n    list: 7\n${more}    steps:\n${steps}`;

const BY_ADOPT =
  'the record of a step of a sequence, or of a time of a series, keeps its life under another key with --adopt KEY=ID';

export const ACCEPTED_RENAMES: readonly (readonly [title: string, yaml: string])[] = [
  ['an earlier key', `${HEAD}${mails(`b: ${MAIL}, renamed-from: a`)}`],
  ['a list of earlier keys', `${HEAD}${mails(`c: ${MAIL}, renamed-from: [a, b]`)}`],
  ['an earlier key of a folder', `${HEAD}folders:\n  b: {name: News, renamed-from: a}\n`],
  [
    'one key for two kinds',
    `${HEAD}folders:\n  b: {name: News, renamed-from: a}\n${mails(`b: ${MAIL}, renamed-from: a`)}`,
  ],
  ['an earlier name of the campaign', `${HEAD}renamed-from: Spring\n`],
  ['earlier names of the campaign', `${HEAD}renamed-from: [Winter, 2026]\n`],
  [
    'earlier keys and numbers of steps',
    sequence(
      '      - {message: 3, after: 0m, key: hello, renamed-from: 1}\n      - {message: 4, after: 1d, key: tips, renamed-from: [2, hint]}\n',
    ),
  ],
  [
    'an earlier key of a sequence',
    sequence('      - {message: 3, after: 0m}\n', '    renamed-from: [club, guests]\n'),
  ],
];

export const REFUSED_RENAMES = [
  {
    title: 'an earlier key that is still in the file',
    yaml: `${HEAD}${mails(`a: ${MAIL}`, `b: ${MAIL}, renamed-from: a`)}`,
    faults: [
      [
        '5:79',
        'message b: renamed-from: message a is still in the file, so it cannot be the earlier key of another item; remove one of the two',
      ],
    ],
    beyond: 'value',
  },
  {
    title: 'keys that are exchanged',
    yaml: `${HEAD}${mails(`a: ${MAIL}, renamed-from: b`, `b: ${MAIL}, renamed-from: a`)}`,
    faults: [
      [
        '4:79',
        'message a: renamed-from: message b is still in the file, so it cannot be the earlier key of another item; remove one of the two',
      ],
      [
        '5:79',
        'message b: renamed-from: message a is still in the file, so it cannot be the earlier key of another item; remove one of the two',
      ],
    ],
    beyond: 'value',
  },
  {
    title: 'the key of the item itself, and a key twice',
    yaml: `${HEAD}${mails(`a: ${MAIL}, renamed-from: [a, b, b]`)}`,
    faults: [
      ['4:80', 'message a: renamed-from: a is the key of this item itself; write the key that it had before'],
      ['4:86', 'message a: renamed-from: b is given twice'],
    ],
    beyond: 'value',
  },
  {
    title: 'an earlier key of two items',
    yaml: `${HEAD}${mails(`b: ${MAIL}, renamed-from: a`, `c: ${MAIL}, renamed-from: [x, a]`)}`,
    faults: [
      ['5:83', 'message c: renamed-from: message b also names a; a record can belong to only one item'],
    ],
    beyond: 'value',
  },
  {
    title: 'earlier keys that are none',
    yaml: `${HEAD}folders:\n  a: {name: A, renamed-from: 7}\n  b: {name: B, renamed-from: []}\n  c: {name: C, renamed-from: [{x: y}, "\${{ n }}"]}\n`,
    faults: [
      ['4:30', 'folder a: renamed-from must be an earlier key, not "7"'],
      ['5:30', 'folder b: renamed-from must be a name or a list of names'],
      ['6:31', 'folder c: renamed-from must be a name or a list of names'],
      ['6:39', 'folder c: renamed-from must be an earlier key, not a variable'],
    ],
  },
  {
    title: 'keys of a step and of a time, which a plan shows',
    yaml: `${HEAD}folders:\n  a: {name: A, renamed-from: welcome/tips}\n  b: {name: B, renamed-from: news@2026-12-07}\n`,
    faults: [
      ['4:30', `folder a: renamed-from must be an earlier key, not "welcome/tips"; ${BY_ADOPT}`],
      ['5:30', `folder b: renamed-from must be an earlier key, not "news@2026-12-07"; ${BY_ADOPT}`],
    ],
  },
  {
    title: 'names of the campaign that are its own, or given twice',
    yaml: `${HEAD}renamed-from: [Sale, Spring, Spring]\n`,
    faults: [
      ['3:16', 'renamed-from: this is the name of the campaign itself; write an earlier name'],
      ['3:30', 'renamed-from: "Spring" is given twice'],
    ],
    beyond: 'value',
  },
  {
    title: 'a name of the campaign that is none',
    yaml: `${HEAD}renamed-from: [true, {a: b}]\n`,
    faults: [
      ['3:16', 'renamed-from must be text; put true in quotes'],
      ['3:22', 'renamed-from must be a name or a list of names'],
    ],
  },
  {
    title: 'a step and a sequence that are still in the file',
    yaml: `${sequence('      - {message: 3, after: 0m, key: a, renamed-from: 2}\n      - {message: 4, after: 1d}\n')}  club:\n    name: C\n    list: 8\n    renamed-from: welcome\n    steps:\n      - {message: 4, after: 1d}\n`,
    faults: [
      [
        '8:55',
        'sequence welcome: renamed-from: automation welcome/2 is still in the file, so it cannot be the earlier key of another item; remove one of the two',
      ],
      [
        '13:19',
        'sequence club: renamed-from: sequence welcome is still in the file, so it cannot be the earlier key of another sequence; remove one of the two',
      ],
    ],
    beyond: 'value',
  },
] as const;
