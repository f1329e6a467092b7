/** Contract, "Tests of campaigns", The test file: "The grammar of statements is closed". */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SENTENCES } from '../../src/features/campaign/test-file/grammar.ts';
import { campaignTestSchema } from '../../src/features/campaign/test-file/schema.ts';
import { readTestFile } from '../../src/features/campaign/test-file/test-file.ts';
import { CAMPAIGN_TEST_EXAMPLE } from '../../src/features/explain/campaign-test-page.ts';
import { email, rule, task, text } from '../campaign/support.ts';
import { NOW } from '../support/sandbox.ts';

const campaign = {
  campaign: 'Spring',
  company: null,
  items: [
    email('spring'),
    email('thanks'),
    text('reminder'),
    task('newsletter', { message: { key: 'spring' } }),
    task('last-day', { message: { key: 'reminder' } }),
    rule('thank-you', {
      values: { actiontype: 'email_autoresponder' },
      references: { message_id: { key: 'spring' }, actiontarget: { key: 'thanks' } },
    }),
    rule('loyalty', {
      values: { actiontype: 'addtolist' },
      references: { message_id: { key: 'spring' }, actiontarget: { id: '2' } },
    }),
  ],
};
const surroundings = { campaign, start: NOW, zone: 'Europe/London', lists: new Set([1, 2, 3]) };

const HEAD = [
  'version: 1',
  'campaign: spring.yaml',
  'people:',
  '  ada: {list: 1, email: ada@example.com}',
  'tests:',
  '  t:',
];
const LINE = HEAD.length + 1;

async function read(...lines: readonly string[]) {
  const octets = Buffer.from(`${lines.join('\n')}\n`);
  const found = await readTestFile({ path: 'spring.test.yaml', octets }, async () => surroundings);
  return 'faults' in found
    ? {
        faults: found.faults.map(({ line, column, message }) => `${line}:${column} ${message}`),
        file: undefined,
      }
    : { faults: [], file: found.file };
}
const readStatement = (statement: string) => read(...HEAD, `    - ${statement}`);

/** Returns `form` with a value for each slot. */
const filled = (form: string): string =>
  form
    .replace('<person>', 'ada')
    .replace('<list>', 'list 2')
    .replace('<message>', 'spring')
    .replace('<times>', 'at most 2 times')
    .replace('<count>', '2..5')
    .replace('<text>', '"harbour COFFEE"')
    .replace('<number>', '447700900990')
    .replace('[<when>]', '1h after newsletter')
    .replace('[<within>]', 'within 2h');

const MEASURES = [
  'messages-per-person: {week: at most 2, day: 1, 7d: at most 3, test: 0..9}',
  'recipients: {thanks: at most 10% of spring, newsletter: 300..500}',
  'credits: {email: at most 700, sms: at most 300}',
  'sends: {between: 08:00-20:00, on: mon-fri, count: 2}',
  'messages: {email: at least 1, sms: 0, count: exactly 5, between: 22:00-06:00}',
  'gap-between-messages: at least 4h',
  'gap-between-sends: at least 1d',
];
const OTHERS = [
  'ada receives email 5 once',
  'ada receives task 12',
  'ada receives click:4 twice within 1 day 2 hours',
  'ada clicks link 7 at 2026-12-03 10:00',
  'ada opens newsletter 2d after start',
  'ada receives exactly 1 message',
  'ada unsubscribes',
];
const statements = [...Object.values(SENTENCES).map(({ form }) => filled(form)), ...OTHERS, ...MEASURES];

describe('each form of a statement', () => {
  it.each(statements)('is read: %s', async (statement) => {
    const { faults, file } = await readStatement(statement);
    expect(faults).toEqual([]);
    expect(file?.tests[0]?.statements).toHaveLength(1);
  });

  const validate = new Ajv2020({ allowUnionTypes: true }).compile(campaignTestSchema());
  it.each(statements)('fits the JSON Schema: %s', (statement) => {
    const file = parse([...HEAD, `    - ${statement}`].join('\n'));
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  });

  it('of another form does not fit the JSON Schema', () => {
    for (const statement of [
      'ada dances',
      'creditz: {email: 1}',
      'list 9 receives everything',
      'credits: {email: a lot}',
    ])
      expect(validate(parse([...HEAD, `    - ${statement}`].join('\n')))).toBe(false);
  });
});

it('reads the values of a statement', async () => {
  const { file } = await readStatement('ada clicks spring 1h after newsletter');
  expect(file?.tests[0]?.statements[0]).toEqual({
    ...{ kind: 'sentence', name: 'click', text: 'ada clicks spring 1h after newsletter' },
    place: { line: LINE, column: 7 },
    slots: {
      person: 'ada',
      message: { text: 'spring', item: { kind: 'message', key: 'spring' } },
      when: {
        ...{ text: '1h after newsletter', seconds: 3600 },
        after: { text: 'newsletter', item: { kind: 'task', key: 'newsletter' } },
      },
    },
  });
});

it('accepts the example of svc explain campaign-test', async () => {
  const lines = CAMPAIGN_TEST_EXAMPLE.split('\n');
  expect((await read(...lines)).faults).toEqual([]);
});

describe('a fault names the word, and the nearest right one', () => {
  it.each([
    ['ada recieves thanks', 7, 'did you mean "ada receives thanks"?'],
    ['ada gets thanks', 7, 'did you mean "ada receives thanks"?'],
    ['adda receives thanks', 7, 'unknown person adda; did you mean ada?'],
    ['ada receives thank', 20, 'the campaign has no message, task or rule thank; did you mean thanks?'],
    ['ada opens spring 1h after newsleter', 24, 'did you mean newsletter?'],
    ['ada receives thanks within soon', 27, 'expected a length of time such as "within 2h"'],
    ['ada receives thanks within 60d', 27, 'longer than the test'],
    ['ada opens spring at 2020-01-01 09:00', 24, 'this time never comes'],
    ['ada opens spring at 2027-06-01 09:00', 24, 'this time never comes'],
    ['ada opens spring 40d after newsletter', 24, 'this time never comes'],
    ['ada opens reminder', 17, 'reminder is an SMS, so people cannot open it'],
    ['ada receives loyalty', 20, 'loyalty is a rule that sends no message'],
    [
      'ada receives thanks thrice',
      27,
      'expected how often: "once", "twice", "at most 3 times", not "thrice"',
    ],
    ['ada is in list 2', 14, 'expected "on", not "in"'],
    ['ada is on list two', 17, 'expected a list such as "list 2"'],
    // No person can have this name. The verb is right, so it is no advice.
    ['1 receives thanks', 7, 'unknown statement "1 receives thanks"; a person '],
    ['dance!', 7, 'unknown statement "dance!"'],
    ['credit: {email: at most 2}', 7, 'unknown statement credit; did you mean credits?'],
    ['credits: {emails: at most 2}', 17, 'unknown credits emails; did you mean email?'],
    ['credits: {email: some}', 24, '"some" is not a number'],
    ['credits: at most 2', 7, 'credits takes email, sms, in braces'],
    ['recipients: {thank: 2}', 20, 'did you mean thanks?'],
    ['recipients: {thanks: at most 200% of spring}', 28, '200% is more than 100%'],
    ['sends: {between: 8-20}', 24, 'must be two times of day'],
    ['gap-between-messages: 4h', 29, 'must be a shortest time, such as at least 4h'],
    ['[a, b]', 7, 'a statement is one sentence'],
  ])('%s', async (statement, column, message) => {
    const { faults } = await readStatement(statement);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
    expect(faults[0]).toMatch(/^[0-9]+:[0-9]+ /);
    expect(faults[0]?.split(' ')[0]).toBe(`${LINE}:${column}`);
  });
});

it('reports all faults of a file at once', async () => {
  const { faults } = await read(
    ...[
      'version: 1',
      'campaign: spring.yaml',
      'seeds: many',
      'audience: opens=140%',
      'for: 100d',
      'colour: red',
    ],
    ...[
      'people:',
      '  ada: {list: 9, email: ada@example.com}',
      '  bob: {email: bob@example.com}',
      '  eve: {list: 1}',
    ],
    ...['  List: {list: 1, email: ADA@example.com}', 'tests:', '  t: [ada dances]', '  u: nothing'],
  );
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    '3:8',
    '4:11',
    '5:6',
    '6:1',
    '8:15',
    '9:3',
    '10:3',
    '11:3',
    '13:7',
    '14:6',
  ]);
  expect(faults.join('\n')).toMatch(
    /list 9 is neither in the account nor in the campaign; there are 1, 2, 3/,
  );
  expect(faults.join('\n')).toMatch(/bob is on no list/);
});

it.each([
  ['', 'a test file must be a mapping that begins with "version: 1"'],
  ['version: 2\ntests: {}', 'version'],
  ['version: 1', 'campaign is required'],
  ['version: 1\ncampaign: a.yaml', 'tests is required'],
  ['version: 1\ncampaign: a.yaml\ntests: {t: []}', 'has no statement'],
  ['version: 1\ncampaign: [a]\ntests: {t: [x]}', 'campaign must be a single value, not a list'],
])('refuses the file %j', async (content, message) => {
  expect((await read(content)).faults.join('\n')).toContain(message);
});

it('takes sms as a key before a number of times, and as a record otherwise', async () => {
  const octets = Buffer.from(
    [...HEAD, '    - ada receives sms 2 times', '    - ada receives sms 2 twice', ''].join('\n'),
  );
  const items = [...campaign.items, text('sms')];
  const found = await readTestFile({ path: 'spring.test.yaml', octets }, async () => ({
    ...surroundings,
    campaign: { ...campaign, items },
  }));
  const statements = 'file' in found ? found.file.tests[0]?.statements : undefined;
  expect(statements).toMatchObject([
    { name: 'receives-times', slots: { message: { item: { key: 'sms' } }, times: { least: 2, most: 2 } } },
    { name: 'receives-times', slots: { message: { record: { kind: 'sms', id: 2 } }, times: { most: 2 } } },
  ]);
});
