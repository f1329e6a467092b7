/**
 * Acceptance, C5, and contract, "Rehearse": the results of a rehearsal are what happens. Random accounts and campaigns are rehearsed,
 * then applied for real in the same sandbox with the same audience and seed. All facts that can be known are the same.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { saySentence } from '../../src/cli/commands/rehearse/sentences.ts';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import type { RehearsalResult } from '../../src/features/rehearse/rehearsal-result.ts';
import { rehearse } from '../../src/features/rehearse/rehearse.ts';
import { measureSms } from '../../src/kit/text/gsm.ts';
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import { clientOf } from '../campaign/support.ts';
import { depth, tried } from '../support/depth.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../support/sandbox.ts';
import { applyForReal, randomAccount } from './random-account.ts';
import { stepsIn, stepsOf } from './steps.ts';

const RUNS = depth('SVC_REHEARSALS', { few: 2, full: 1000 });
const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const SPAN = 30 * 86_400;

const seeds = Array.from({ length: RUNS }, (_, index) => FIRST + index);
const opened: TestSandbox[] = [];
afterEach(async () => {
  for (const { service } of opened.splice(0)) await service.store.close();
});

/** Counts the comparisons of all runs, so that each kind occurs at least once. */
const seen = { sends: 0, refused: 0, stopped: 0, balances: 0, ran: 0, skipped: 0, queued: 0, steps: 0 };
let seenSameDraws = 0;
afterAll(() => {
  if (RUNS >= 100) expect(Math.min(seenSameDraws, ...Object.values(seen))).toBeGreaterThan(0);
});

async function rehearseThenApply(seed: number, hasUnknown: boolean) {
  const sandbox = await createTestSandbox();
  opened.push(sandbox);
  const account = await randomAccount(sandbox, seed, { hasUnknown });
  const options = { overwrite: false, prune: account.pruned, zone: account.zone, madeAt: NOW };
  const { simulatedRecipients, campaign } = account;
  const [before = {}] = await sandbox.rows('account');
  const hasCopiedPeople = await isEachPersonCopied(sandbox);
  const { copy, ...known } = await readAccountCopy(clientOf(sandbox), {
    keepsNotificationTargets: true,
  });
  const story = await rehearse(copy, [{ campaign, options, file: 'random.yaml' }], {
    ...{ random: randomBytes, signal: new AbortController().signal },
    ...{ simulatedRecipients, maxDuration: SPAN, minGap: 86_400, ...known },
  });
  const refusal = await applyForReal(sandbox, account, options);
  await advanceClockTo(sandbox.service.store, NOW + SPAN, {
    machineNow: () => NOW * 1000,
    simulatedRecipients,
  });
  const truth = await truthOf(sandbox, account.zone, before);
  return { story, refusal, truth, hasSamePeople: hasCopiedPeople };
}

/** True if each person who has an address is in one audience and can be reached, so that the copy has the same people under the same ids. */
async function isEachPersonCopied(sandbox: TestSandbox): Promise<boolean> {
  const [subscriptions, found] = [await sandbox.rows('subscription'), await sandbox.rows('profile_data')];
  const people = await sandbox.rows('subscriber');
  const unreachable = people.filter(({ email, msisdn }) => email === null && msisdn === null);
  const ids = new Set<unknown>(unreachable.map(({ id }) => id));
  const places = [...subscriptions, ...found].map((row) => row['subscriber_id']).filter((id) => !ids.has(id));
  return (
    new Set(places).size === places.length &&
    people.every((row) => row['emailsuspended'] !== 1) &&
    (await sandbox.rows('do_not_contact')).length === 0
  );
}

/** Reads the tables of the real account, without the code of the rehearsal. */
async function truthOf(sandbox: TestSandbox, zone: string, before: SqlRow) {
  const [tasks, recipients, deliveries] = await Promise.all([
    ...[sandbox.rows('task'), sandbox.rows('task_recipient'), sandbox.rows('delivery')],
  ] as const);
  const [actions, queue] = await Promise.all([sandbox.rows('rule_action'), sandbox.rows('queued_action')]);
  const live = tasks.filter(
    (row) => row['cancelled'] !== 1 && (row['completed'] !== 1 || Number(row['endtime']) >= NOW),
  );
  const counts = new Map<string, { ran: number; sent: number; skipped: number; queued: number }>();
  const count = (rule: string) => {
    const found = counts.get(rule) ?? { ran: 0, sent: 0, skipped: 0, queued: 0 };
    counts.set(rule, found);
    return found;
  };
  for (const row of deliveries) {
    if (row['cause'] !== 'rule') continue;
    const rule = count(`${row['rule_kind']}:${row['cause_id']}`);
    rule.ran += 1;
    rule.sent += 1;
  }
  for (const row of actions) {
    const rule = count(`${row['rule_kind']}:${row['rule_id']}`);
    if (row['why'] === null) rule.ran += 1;
    else rule.skipped += 1;
  }
  for (const row of queue) count(`${row['rule_kind']}:${row['rule_id']}`).queued += 1;
  const ofTasks = recipients.map((row) => ({ person: row['subscriber_id'], time: Number(row['senttime']) }));
  const messages = [
    ...ofTasks,
    ...deliveries
      .filter((row) => row['message_id'] !== null)
      .map((row) => ({ person: row['subscriber_id'], time: Number(row['time']) })),
  ];
  return {
    steps: await stepsIn(sandbox, zone),
    sends: live.map((row) => ({
      ...{ task: Number(row['id']), time: Number(row['scheduledtime']), channel: row['channel'] },
      ...{ list: row['list_id'], search: row['search_id'], size: row['size'], sent: row['sent'] },
      credits: row['credits'],
      isStopped: row['stopped'] !== null,
    })),
    rules: [...counts].map(([rule, each]) => ({ rule, ...each })),
    people: { mostInADay: most(messages, zone, 0), mostInAWeek: most(messages, zone, 1) },
    peopleOfTasks: { mostInADay: most(ofTasks, zone, 0), mostInAWeek: most(ofTasks, zone, 1) },
    balances: balancesAfter(live, { tasks, recipients, deliveries, before }),
  };
}

/** Returns the balance after each task, by its id, computed from the messages that were sent until its end. */
function balancesAfter(
  live: readonly SqlRow[],
  {
    tasks,
    recipients,
    deliveries,
    before,
  }: {
    readonly tasks: readonly SqlRow[];
    readonly recipients: readonly SqlRow[];
    readonly deliveries: readonly SqlRow[];
    readonly before: SqlRow;
  },
): ReadonlyMap<number, number> {
  const taskOf = new Map(tasks.map((row) => [row['id'], row]));
  const spent = [
    ...recipients.map((row) => {
      const { channel, credits, sent } = taskOf.get(row['task_id'] ?? null) ?? {};
      return { channel, time: Number(row['senttime']), credits: Number(credits) / Number(sent) };
    }),
    ...deliveries
      .filter(({ message_id }) => message_id !== null)
      .map(({ channel, time, body }) => ({
        ...{ channel, time: Number(time) },
        credits: channel === 'sms' ? measureSms(String(body)).credits : 1,
      })),
  ];
  return new Map(
    live.flatMap((row) => {
      const { id, channel, endtime, completed } = row;
      const own = spent.filter((each) => each.channel === channel);
      // The tables do not show the order of tasks that ended in the same second.
      const others = live.filter((each) => each !== row && each['endtime'] === endtime);
      const isUnsure =
        others.length > 0 ||
        deliveries.some((each) => each['time'] === endtime && each['channel'] === channel);
      if (completed !== 1 || isUnsure) return [];
      const until = own.filter(({ time }) => time <= Number(endtime));
      const initial = Number(before[`${channel}creditbalance`]);
      return [[Number(id), initial - until.reduce((sum, { credits }) => sum + credits, 0)] as const];
    }),
  );
}

/** Returns the most messages of a person in a local day, or in a local week from Monday. */
function most(
  messages: readonly { readonly person: unknown; readonly time: number }[],
  zone: string,
  isWeek: 0 | 1,
): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  const found = new Map<string, number>();
  for (const { person, time } of messages) {
    const day = Date.parse(`${format.format(time * 1000)}T00:00:00Z`) / 86_400_000;
    const key = `${person} ${isWeek ? Math.floor((day + 3) / 7) : day}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...found.values());
}

const rulesOf = ({ rules }: RehearsalResult) =>
  rules.map(({ rule, ran, sent, skipped, queued }) => ({ rule, ran, sent, skipped, queued }));
const byName = <T extends { readonly rule: string }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((a, b) => (a.rule < b.rule ? -1 : 1));
const findingsIn = ({ findings }: RehearsalResult) =>
  findings.map(({ rule, message, at }) => ({ rule, at, message: saySentence(message, (each) => each) }));
const refusalsIn = (story: RehearsalResult): readonly string[] =>
  findingsIn(story).flatMap(({ rule, message, at }) =>
    (rule === 'blocked' || rule === 'locked') && at === 'random.yaml' ? [message] : [],
  );
const stopped = (story: RehearsalResult): readonly number[] =>
  findingsIn(story)
    .flatMap(({ rule, message }) =>
      (rule === 'credits-short' && message.startsWith('task ')) ||
      (rule === 'blocked' && / is not sent: /.test(message))
        ? [Number(/^task ([0-9]+) /.exec(message)?.[1])]
        : [],
    )
    .sort((a, b) => a - b);

describe('a rehearsal of a completely known account', () => {
  it.each(seeds)('predicts what happens (seed %i)', async (seed) => {
    const { story, truth, refusal } = await rehearseThenApply(seed, false);
    expect(refusalsIn(story)).toEqual(refusal);
    expect(
      story.sends
        .map(({ task, time, channel, list, search, size, sent, credits }) => ({
          ...{ task, time, channel, list, search, size, sent, credits },
        }))
        .toSorted((a, b) => a.task - b.task),
    ).toEqual(truth.sends.map(({ isStopped: _, ...send }) => send));
    expect(stopped(story)).toEqual(truth.sends.flatMap(({ isStopped, task }) => (isStopped ? [task] : [])));
    expect(byName(rulesOf(story))).toEqual(byName(truth.rules));
    expect(stepsOf(story)).toEqual(truth.steps);
    seen.steps += Object.keys(truth.steps).length;
    const told = story.sends.filter(({ task }) => truth.balances.has(task));
    expect(new Map(told.map(({ task, balance }) => [task, balance]))).toEqual(truth.balances);
    seen.sends += truth.sends.length;
    seen.refused += refusal.length;
    seen.stopped += stopped(story).length;
    seen.balances += told.length;
    for (const { ran, skipped, queued } of truth.rules) {
      seen.ran += ran;
      seen.skipped += skipped;
      seen.queued += queued;
    }
    expect(story.people.mostInADay).toBeGreaterThanOrEqual(truth.people.mostInADay);
    expect(story.people.mostInAWeek).toBeGreaterThanOrEqual(truth.people.mostInAWeek);
    if (!story.estimated) expect(story.people).toEqual(truth.people);
    tried('C5', 1);
  });
});

describe('a rehearsal of an account with people on several lists, on Do Not Contact or suspended', () => {
  it.each(seeds)('marks estimates, and counts no fewer messages for a person (seed %i)', async (seed) => {
    const { story, truth, hasSamePeople } = await rehearseThenApply(seed, true);
    const told = new Map(story.sends.map((send) => [send.task, send]));
    for (const send of truth.sends) {
      const { time, size, sent } = told.get(send.task) ?? {};
      expect({ task: send.task, time, size }).toEqual({
        task: send.task,
        time: send.time,
        size: send.size,
      });
      if (sent !== send.sent) expect(story.estimated).toBe(true);
    }
    expect(told.size).toBe(truth.sends.length);
    // The people and their number decide who reacts, and when. If they differ, only the messages of tasks are certain.
    const isSameDraw = hasSamePeople && truth.sends.every(({ task, sent }) => told.get(task)?.sent === sent);
    if (!isSameDraw)
      expect(story.unknown.flat().join()).toContain(
        'the rehearsal chooses them at random, based on the seed',
      );
    const { mostInADay, mostInAWeek } = isSameDraw ? truth.people : truth.peopleOfTasks;
    // An invented person may unsubscribe or bounce before a later task, where the real person gets the message of that task too.
    const missed = truth.sends.filter(({ task, sent }) => Number(told.get(task)?.sent) < Number(sent)).length;
    expect(story.people.mostInADay + missed).toBeGreaterThanOrEqual(mostInADay);
    expect(story.people.mostInAWeek + missed).toBeGreaterThanOrEqual(mostInAWeek);
    seenSameDraws += isSameDraw ? 1 : 0;
    tried('C5', 1);
  });
});
