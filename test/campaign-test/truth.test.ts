/**
 * Contract, "Tests of campaigns", A test: its verdicts are those of what really happens. Random accounts, campaigns and statements: the
 * campaign is applied for real in the sandbox, a person acts there, and an oracle that reads only the tables says which statements hold.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readTestFile } from '../../src/features/campaign/test-file/test-file.ts';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import { copiedAccount } from '../../src/features/rehearse/tests/account.ts';
import { runTests } from '../../src/features/rehearse/tests/run.ts';
import { measureSms } from '../../src/kit/text/gsm.ts';
import { recordRecipientEvent } from '../../src/sandbox/engine/events.ts';
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { clientOf } from '../campaign/support.ts';
import { applyForReal, randomAccount } from '../rehearse/random-account.ts';
import { depth } from '../support/depth.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../support/sandbox.ts';

const RUNS = depth('SVC_CAMPAIGN_TESTS', { few: 3, full: 1000 });
const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const SPAN = 30 * 86_400;
const HOUR = 3600;
const seeds = Array.from({ length: RUNS }, (_, index) => FIRST + index);

const opened: TestSandbox[] = [];
afterEach(async () => {
  for (const { service } of opened.splice(0)) await service.store.close();
});
/** Counts the verdicts of all runs, so that each kind occurs. */
const seen = { holds: 0, fails: 0, steps: 0, refused: 0 };
afterAll(() => {
  if (RUNS >= 100) expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

it.each(seeds)('gives the verdicts of what happens (seed %i)', async (seed) => {
  const random = seededRandom(seed + 7_000_000);
  const below = (most: number): number => Math.floor(random() * most);
  const sandbox = await createTestSandbox();
  opened.push(sandbox);
  const account = await randomAccount(sandbox, seed, { hasUnknown: false });
  const { campaign, zone, simulatedRecipients } = account;
  const read = await readAccountCopy(clientOf(sandbox), { keepsNotificationTargets: true });

  // For real: ada is put on a list, the campaign is applied, and she opens its first e-mail an hour after she gets it.
  const lists = (await sandbox.rows('list')).map(({ id }) => Number(id));
  const list = lists[below(lists.length)] ?? 0;
  const contact = { email: 'ada@people.example', email_domain: 'people.example', msisdn: '447700990000' };
  const ada = await sandbox.put('subscriber', { account_id: IDS.company, cdate: NOW, ...contact });
  await sandbox.put('subscription', { list_id: list, subscriber_id: ada, cdate: NOW });
  const balances = async () => {
    const row = (await sandbox.rows('account')).find(({ id }) => id === IDS.company);
    return { email: Number(row?.['emailcreditbalance']), sms: Number(row?.['smscreditbalance']) };
  };
  const before = await balances();
  const options = { overwrite: false, prune: false, zone, madeAt: NOW };
  const refusal = await applyForReal(sandbox, account, options);
  const { store } = sandbox.service;
  const advance = (time: number) =>
    advanceClockTo(store, time, {
      machineNow: () => NOW * 1000,
      simulatedRecipients: { ...simulatedRecipients, silent: new Set([ada]) },
    });
  const send = campaign.items.find(({ kind, key }) => kind === 'task' && key === 'send1');
  const isEmail =
    send?.kind === 'task' &&
    'key' in send.message &&
    send.message.key !== 'sms' &&
    send.list === String(list);
  let isOpened = false;
  if (isEmail && refusal.length === 0) {
    const task = (await sandbox.rows('task')).find(
      ({ name }) => String(name).startsWith('send1 ') || String(name).startsWith(`${send.name} `),
    );
    const receipt = async () =>
      (await sandbox.rows('task_recipient')).find(
        (row) => row['task_id'] === task?.['id'] && row['subscriber_id'] === ada,
      );
    for (let time = NOW; time <= NOW + SPAN && !isOpened; time += HOUR / 2) {
      await advance(time);
      const got = await receipt();
      if (!got) continue;
      const due = Number(got['senttime']) + HOUR;
      if (due > NOW + SPAN) break;
      await advance(due);
      await store.transaction((db) =>
        recordRecipientEvent(
          db,
          IDS.company,
          {
            kind: 'open',
            messageId: Number(task?.['message_id']),
            subscriberId: ada,
            taskId: Number(task?.['id']),
          },
          due,
        ),
      );
      isOpened = true;
    }
  }
  await advance(NOW + SPAN);

  // The oracle.
  const tasks = (await sandbox.rows('task')).filter(
    (row) => Number(row['started']) === 1 && (row['endtime'] === null || Number(row['endtime']) >= NOW),
  );
  const channelOf = new Map(tasks.map((row) => [row['id'], row['channel']]));
  const messages = [
    ...(await sandbox.rows('task_recipient')).flatMap((row) =>
      Number(row['senttime']) < NOW
        ? []
        : [
            {
              person: Number(row['subscriber_id']),
              time: Number(row['senttime']),
              channel: channelOf.get(row['task_id'] ?? null),
            },
          ],
    ),
    ...(await sandbox.rows('delivery')).flatMap((row) =>
      row['cause'] === 'rule' && row['message_id'] !== null && row['subscriber_id'] !== null
        ? [{ person: Number(row['subscriber_id']), time: Number(row['time']), channel: row['channel'] }]
        : [],
    ),
  ];
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  const perDay = new Map<string, number>();
  for (const { person, time } of messages) {
    const key = `${person} ${format.format(time * 1000)}`;
    perDay.set(key, (perDay.get(key) ?? 0) + 1);
  }
  const after = await balances();
  const truth = {
    own: messages.filter(({ person }) => person === ada).length,
    sms: messages.filter(({ channel }) => channel === 'sms').length,
    inADay: Math.max(0, ...perDay.values()),
    sends: tasks.filter((row) => row['cancelled'] !== 1).length,
    lists: (await sandbox.rows('subscription')).flatMap((row) =>
      row['subscriber_id'] === ada ? [Number(row['list_id'])] : [],
    ),
  };
  expect(measureSms('x').credits).toBe(1);
  const off = (): number => below(3) - 1;
  const some = lists[below(lists.length)] ?? 0;
  const cases: (readonly [statement: string, holds: boolean])[] = [];
  const exact = (say: (count: number) => string, count: number): void => {
    const said = Math.max(0, count + off());
    cases.push([say(said), said === count]);
  };
  exact((count) => `ada receives exactly ${count} messages`, truth.own);
  exact((count) => `credits: {email: ${count}}`, before.email - after.email);
  exact((count) => `credits: {sms: ${count}}`, before.sms - after.sms);
  exact((count) => `messages: {sms: ${count}}`, truth.sms);
  exact((count) => `sends: {count: ${count}}`, truth.sends);
  const most = Math.max(0, truth.inADay + off());
  cases.push([`messages-per-person: {day: at most ${most}}`, truth.inADay <= most]);
  cases.push([`ada is on list ${some}`, truth.lists.includes(some)]);
  cases.push([`ada is not on list ${some}`, !truth.lists.includes(some)]);

  // The test.
  const steps = isOpened ? ['ada opens send1 1h after send1'] : [];
  const people = `  ada: {list: ${list}, email: ${contact.email}, msisdn: ${contact.msisdn}}`;
  const lines = [...steps, ...cases.map(([statement]) => statement)].map((each) => `    - ${each}`);
  const octets = Buffer.from(
    ['version: 1', 'campaign: random.yaml', 'people:', people, 'tests:', '  t:', ...lines].join('\n'),
  );
  const bytes = (count: number) => randomBytes(count);
  const { seeded, lists: known } = copiedAccount({ ...read, unknown: [] }, campaign, bytes);
  const parsed = await readTestFile({ path: 'random.test.yaml', octets }, async () => ({
    ...{ campaign, start: NOW, zone, lists: known },
  }));
  if ('faults' in parsed) throw new Error(parsed.faults.map(({ message }) => message).join('\n'));
  const { tests } = await runTests(
    { ...parsed.file, shares: simulatedRecipients.shares },
    {
      ...{ campaign, planOptions: options, account: { seeded, zone, start: NOW } },
      ...{ seeds: [simulatedRecipients.seed], listSizes: new Map(), random: bytes },
      signal: new AbortController().signal,
    },
  );
  const failures = tests[0]?.failures ?? [];
  if (refusal.length > 0) {
    seen.refused += 1;
    expect(failures.map(({ happened }) => happened)).toEqual([
      expect.stringContaining('the campaign cannot be applied'),
    ]);
    return;
  }
  seen.steps += steps.length;
  const failed = new Set(failures.map(({ statement }) => statement));
  for (const [, holds] of cases) seen[holds ? 'holds' : 'fails'] += 1;
  expect(cases.map(([statement]) => [statement, !failed.has(statement)])).toEqual(cases);
  expect([...failed].filter((statement) => steps.includes(statement))).toEqual([]);
});
