/** Contract, "Tests of campaigns", A test. Campaigns and people on the demo company, whose lists are 1, 2 and 3. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Campaign, WantedItem } from '../../src/features/campaign/model.ts';
import { readTestFile } from '../../src/features/campaign/test-file/test-file.ts';
import {
  demoAccount,
  demoLists,
  demoZone,
  lastSundayNoon,
} from '../../src/features/rehearse/tests/account.ts';
import { runTests } from '../../src/features/rehearse/tests/run.ts';
import { DEFAULT_WIRE_NAMING } from '../../src/service/protocol/naming.ts';
import { email, HOUR, rule, task, text } from '../campaign/support.ts';
import { NOW } from '../support/sandbox.ts';

const START = lastSundayNoon(NOW);
const DAY = 24 * HOUR;
const LINK = { html: '<p><a href="https://example.com/a">a</a></p>', text: 'https://example.com/a' };
const from = 'news@harbourcoffee.example';

/** A send a day after the start; whoever clicks is thanked an hour later, and whoever opens joins list 2 after two days. */
const ITEMS: readonly WantedItem[] = [
  email('spring', { ...LINK, fromemail: from }),
  email('thanks', { ...LINK, fromemail: from }),
  text('reminder', { message: 'x'.repeat(200) }),
  task('newsletter', { message: { key: 'spring' }, list: '1', at: String(START + DAY) }),
  rule('thank-you', {
    rule: 'click',
    values: { actiontype: 'email_autoresponder', actiontimediff: HOUR, actiononweekend: true },
    references: { message_id: { key: 'spring' }, actiontarget: { key: 'thanks' } },
  }),
  rule('loyalty', {
    rule: 'open',
    values: { actiontype: 'addtolist', actiontimediff: 2 * DAY, actiononweekend: true },
    references: { message_id: { key: 'spring' }, actiontarget: { id: '2' } },
  }),
];

interface Given {
  readonly items?: readonly WantedItem[];
  readonly audience?: string;
  readonly seeds?: number;
  readonly people?: string;
}

async function run(tests: Readonly<Record<string, readonly string[]>>, given: Given = {}) {
  const campaign: Campaign = { campaign: 'Spring', company: null, items: [...(given.items ?? ITEMS)] };
  const content = [
    ...['version: 1', 'campaign: spring.yaml', `audience: ${given.audience ?? 'none'}`],
    ...[
      'people:',
      given.people ?? '  ada: {list: 1, email: ada@example.com, msisdn: 447700900888}',
      'tests:',
    ],
    ...Object.entries(tests).flatMap(([name, statements]) => [
      `  ${name}:`,
      ...statements.map((statement) => `    - ${statement}`),
    ]),
  ];
  const octets = Buffer.from(content.join('\n'));
  const read = await readTestFile({ path: 'spring.test.yaml', octets }, async () => ({
    ...{ campaign, start: START, zone: demoZone, lists: demoLists },
  }));
  if ('faults' in read) throw new Error(read.faults.map(({ message }) => message).join('\n'));
  const random = (octets: number) => randomBytes(octets);
  const seeds = Array.from({ length: given.seeds ?? 1 }, (_, index) => index + 1);
  const { tests: results } = await runTests(read.file, {
    ...{ campaign, seeds, random, listSizes: new Map(), signal: new AbortController().signal },
    planOptions: { overwrite: false, prune: false, zone: demoZone, madeAt: START },
    account: { seeded: demoAccount(START, DEFAULT_WIRE_NAMING, random), zone: demoZone, start: START },
  });
  return results;
}

/** Returns the statements that fail, each with what happened instead. */
async function failuresOf(statements: readonly string[], given?: Given) {
  const [result] = await run({ t: statements }, given);
  return (result?.failures ?? []).map(({ statement, happened }) => `${statement} | ${happened}`);
}

describe('steps and checks', () => {
  it('hold as the rules of the campaign say', async () => {
    expect(
      await failuresOf([
        ...[
          'ada receives newsletter once',
          'ada does not receive thanks within 1d',
          'ada is not on list 2 within 1d',
        ],
        ...[
          'ada clicks spring 3h after newsletter',
          'ada receives thanks within 1h',
          'ada receives thank-you',
        ],
        ...['ada opens spring 4h after newsletter', 'ada is on list 2 within 2d', 'ada is on list 2'],
        ...['ada receives exactly 2 messages', 'list 9 receives nothing'],
      ]),
    ).toEqual([]);
  });

  it('fail a minute too early, and say what happened instead', async () => {
    const failures = await failuresOf([
      ...['ada clicks spring 3h after newsletter', 'ada receives thanks within 59m'],
      ...['ada opens spring 4h after newsletter', 'ada is on list 2 within 47h'],
    ]);
    expect(failures).toEqual([
      expect.stringMatching(
        /^ada receives thanks within 59m \| ada received it 1 hour after "ada clicks spring 3h after newsletter": 2026-11-30 16:00 thanks \(email [0-9]+\) by thank-you \(click:[0-9]+\)$/,
      ),
      'ada is on list 2 within 47h | ada came on list 2 at 2026-12-02 16:00',
    ]);
  });

  it('fail if a step is not possible', async () => {
    const failures = await failuresOf([
      ...['ada opens thanks', 'ada complains 1h after start', 'ada subscribes to list 1 2h after start'],
      ...[
        'ada writes "harbour NOTHING" to 447700900990 1h after start',
        'ada writes COFFEE to 999 1h after start',
      ],
    ]);
    expect(failures).toEqual([
      'ada opens thanks | this step was not possible: ada does not get thanks within 30 days',
      expect.stringContaining('ada has received no message of a task by then'),
      expect.stringContaining('ada is on list 1 already'),
      expect.stringContaining('no rule matches the SMS'),
      expect.stringContaining('no destination matches'),
    ]);
  });

  it('of SMS, subscriptions and unsubscriptions', async () => {
    expect(
      await failuresOf([
        // The demo company's rules: "Save a seat" (sms) and "Welcome newcomers" (subscription).
        ...['ada writes "harbour COFFEE" to 447700900990 1h after start', 'ada receives sms 2 within 1m'],
        ...['ada is on list 3', 'ada unsubscribes 1h after newsletter', 'ada is not on list 1'],
      ]),
    ).toEqual(['ada is on list 3 | ada came on list 3 at 2026-11-29 13:00, and left it at 2026-11-30 13:00']);
    const people = '  bob: {email: bob@example.com}';
    expect(
      await failuresOf(
        [
          'bob subscribes to list 1',
          'bob receives email 3 within 15m',
          'bob receives newsletter',
          'bob is on list 1 within 0s',
        ],
        { people },
      ),
    ).toEqual([]);
  });
});

describe('measures', () => {
  const audience = 'opens=40%,clicks=10%';
  it('hold, or say the number', async () => {
    const failures = await failuresOf(
      [
        ...['messages-per-person: {week: at most 2, 7d: 1..2}', 'messages-per-person: {day: at most 1}'],
        ...['recipients: {thanks: at least 9% of spring}', 'recipients: {thanks: at most 20}'],
        ...[
          'credits: {email: 400..600, sms: 0}',
          'credits: {email: at most 100}',
          'sends: {count: 1, between: 08:00-20:00, on: mon}',
        ],
        ...[
          'sends: {on: tue-sun}',
          'messages: {sms: 0, email: at least 400}',
          'gap-between-messages: at least 1h',
          'gap-between-messages: at least 40h',
        ],
      ],
      { audience },
    );
    expect(failures).toEqual([
      expect.stringMatching(
        /^messages-per-person: \{day: at most 1\} \| \S+@\S+ received 2 messages in a day: 2026-11-30 12:00 spring /,
      ),
      expect.stringMatching(/^recipients: \{thanks: at most 20\} \| 44 people received thanks$/),
      expect.stringMatching(/^credits: \{email: at most 100\} \| the messages cost 4[0-9]{2} email credits$/),
      expect.stringMatching(
        /^sends: \{on: tue-sun\} \| newsletter \(task [0-9]+\) was sent at Mon 2026-11-30 12:00$/,
      ),
      expect.stringMatching(
        /^gap-between-messages: at least 40h \| \S+@\S+ received two messages [0-9].* apart: /,
      ),
    ]);
  });

  it('count the seeds for which they fail, and need as few people as possible', async () => {
    const [result] = await run({ t: ['messages-per-person: {day: at most 1}'] }, { audience, seeds: 3 });
    const [failure] = result?.failures ?? [];
    expect({ seed: failure?.seed, failedSeeds: failure?.failedSeeds }).toEqual({ seed: 1, failedSeeds: 3 });
    expect(failure?.smallest).toEqual({
      shares: { open: 0, click: 1, unsubscribe: 0, complaint: 0, bounce: 0 },
      lists: new Map([
        [1, 1],
        [2, 0],
        [3, 0],
      ]),
    });
  });

  // Contract: "svc looks for it for the first 3 failed statements of a file". Each one plays the campaign again and again.
  it('look for the smallest audience for the first three alone', async () => {
    const [first, second] = await run({
      t: ['credits: {email: at most 0}', 'ada receives nothing'],
      u: Array.from({ length: 200 }, (_, index) => `credits: {email: at most ${1000 - index * 5}}`),
    });
    const found = [first, second].flatMap((test) =>
      (test?.failures ?? []).map(({ smallest }) => smallest === 'not-sought'),
    );
    expect(found.slice(0, 4)).toEqual([false, false, false, true]);
    expect(found.slice(3).every((isSkipped) => isSkipped)).toBe(true);
  });
});

it('plays each test in its own copy: a step of one does not change another', async () => {
  const results = await run({
    clicks: ['ada clicks spring 1h after newsletter', 'ada receives thanks'],
    waits: ['ada does not receive thanks', 'ada is not on list 2'],
    opens: ['ada opens spring 1h after newsletter', 'ada is on list 2', 'ada does not receive thanks'],
    leaves: ['ada unsubscribes 1h after newsletter', 'ada is not on list 1'],
    again: ['ada is on list 1', 'ada receives newsletter once'],
  });
  expect(results.map(({ name, failures }) => [name, failures])).toEqual(
    ['clicks', 'waits', 'opens', 'leaves', 'again'].map((name) => [name, []]),
  );
});

it('fails all tests of a campaign that is blocked', async () => {
  const items = [...ITEMS, task('early', { message: { key: 'spring' }, list: '1', at: String(START - DAY) })];
  const results = await run(
    { a: ['ada receives newsletter'], b: ['credits: {email: at most 999}'] },
    { items },
  );
  for (const { failures } of results)
    expect(failures.map(({ happened }) => happened)).toEqual([
      expect.stringContaining('the campaign cannot be applied'),
    ]);
});

it('begins tests of the demo company on the last Sunday at noon', () => {
  expect(new Date(START * 1000).toISOString()).toBe('2026-11-29T12:00:00.000Z');
  expect(lastSundayNoon(START)).toBe(START);
  expect(lastSundayNoon(START - 1)).toBe(START - 7 * DAY);
});
