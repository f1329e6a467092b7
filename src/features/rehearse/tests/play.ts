/**
 * Plays tests in one copy of an account. Tests share what happens before the first step of each: there, a test gets a fork of the copy,
 * whose writes are taken back when the test has ended.
 */

import { clickableLinks } from '../../../sandbox/engine/audience/plan.ts';
import { receiveSms } from '../../../sandbox/engine/automations/inbound-sms.ts';
import { type RecipientEvent, recordRecipientEvent } from '../../../sandbox/engine/events.ts';
import { loadCreditBalance } from '../../../sandbox/store/accounts.ts';
import { linksByIds, linksOf } from '../../../sandbox/store/messages.ts';
import type { Db } from '../../../sandbox/store/open.ts';
import {
  listReceivedMessages,
  listSubscriberIdsOn,
  listSubscriptionsOf,
  nextActionTimeOf,
  nextSendTimeOf,
  type ReceivedMessage,
} from '../../../sandbox/store/timeline.ts';
import type { RecipientReactionShares } from '../../../service/protocol/control/audience.ts';
import { ServiceError } from '../../../service/protocol/service-errors.ts';
import { CHANNELS, type Channel } from '../../../service/resources/task.ts';
import { SENTENCES } from '../../campaign/test-file/grammar.ts';
import type { Reference, Slots, Statement } from '../../campaign/test-file/statement.ts';
import type { CampaignTest, TestPerson } from '../../campaign/test-file/test-file.ts';
import { moveTo, type PreparedAccount, type PreparedCampaign, type Targets } from './prepare.ts';

/** The result of a step. */
export interface DoneStep {
  /** Undefined if the moment of the step never came. */
  readonly time: number | undefined;
  /** Why the step was not possible. */
  readonly problem?: string;
}

/** Lists of a person from a time on. */
interface ListsSince {
  readonly time: number;
  readonly lists: readonly number[];
}

/** A played test, at its end or where its verdicts are final, before the fork is taken back. */
export interface PlayedTest extends Stage {
  readonly db: Db;
  /** Maps the index of a statement to its result. */
  readonly steps: ReadonlyMap<number, DoneStep>;
  readonly lists: ReadonlyMap<string, readonly ListsSince[]>;
  readonly listsAtStart: ReadonlyMap<number, readonly number[]>;
  /** Credits that were spent, by channel. */
  readonly credits: Readonly<Record<Channel, number>>;
  /** Messages since the start, of one person or of all. */
  readonly messages: (person?: string) => Promise<readonly ReceivedMessage[]>;
}

export interface Stage {
  readonly account: PreparedAccount;
  readonly campaign: PreparedCampaign;
  readonly people: readonly TestPerson[];
  readonly shares: RecipientReactionShares;
  readonly seed: number;
  /** Unix seconds. */
  readonly end: number;
}

export interface Verdict {
  readonly holds: boolean;
  /** Called if no later event changes the verdict. */
  readonly record: () => void;
}

export type Judge = (test: CampaignTest, played: PlayedTest) => Promise<Verdict>;

/** Records the verdict of each test, in any order. Tests with the same steps end together. */
export async function playTests(stage: Stage, tests: readonly CampaignTest[], judge: Judge): Promise<void> {
  const { store } = stage.account.service;
  const scripts = new Map<string, Script>();
  for (const test of tests) {
    const steps = test.statements.flatMap((statement, index) =>
      isStep(statement) ? [{ ...statement, index }] : [],
    );
    const key = JSON.stringify(steps.map(({ text, index }) => [index, text]));
    const known = scripts.get(key);
    if (known) known.tests.push(test);
    else scripts.set(key, { steps, tests: [test] });
  }
  const watched = new Set(
    tests.flatMap(({ statements }) =>
      statements.flatMap((each) =>
        each.kind === 'sentence' && each.slots.list !== undefined && each.slots.person === undefined
          ? [each.slots.list]
          : [],
      ),
    ),
  );
  await store.revertAfter(async () => {
    const listsAtStart = new Map<number, readonly number[]>();
    for (const list of watched) listsAtStart.set(list, await listSubscriberIdsOn(store.db, list));
    const balances = await balancesOf(stage);
    const state: State = {
      now: stage.account.start,
      steps: new Map(),
      lists: new Map(),
      received: new Map(),
    };
    await noteLists(stage, state);
    await run({ ...stage, listsAtStart, balances, judge }, state, [...scripts.values()]);
  });
}

type Step = Statement & { readonly kind: 'sentence'; readonly index: number };

export const isStep = (statement: Statement): statement is Statement & { readonly kind: 'sentence' } =>
  statement.kind === 'sentence' && SENTENCES[statement.name].kind === 'step';

interface Script {
  readonly steps: readonly Step[];
  readonly tests: CampaignTest[];
}

interface Playing extends Stage {
  readonly listsAtStart: PlayedTest['listsAtStart'];
  readonly balances: Readonly<Record<Channel, number>>;
  readonly judge: Judge;
}

interface State {
  now: number;
  readonly steps: Map<number, DoneStep>;
  readonly lists: Map<string, ListsSince[]>;
  /** Messages of people until now, as far as they were read. */
  readonly received: Map<string, Promise<readonly ReceivedMessage[]>>;
}

async function run(playing: Playing, state: State, started: readonly Script[]): Promise<void> {
  const { store } = playing.account.service;
  let scripts = started;
  for (;;) {
    const waiting = await Promise.all(
      scripts.map(async (script) => ({ script, next: await nextStep(playing, state, script) })),
    );
    const due = waiting.filter(({ next }) => next.time !== undefined && next.time <= state.now);
    for (const { script, next } of due) {
      const { step } = next;
      if (!step) continue;
      if (scripts.length === 1) await perform(playing, state, step);
      else {
        await store.revertAfter(async () => {
          const own: State = {
            now: state.now,
            steps: new Map(state.steps),
            lists: new Map([...state.lists].map(([name, lists]) => [name, [...lists]])),
            received: new Map(state.received),
          };
          await perform(playing, own, step);
          await run(playing, own, [script]);
        });
        scripts = scripts.filter((each) => each !== script);
        if (scripts.length === 0) return;
      }
    }
    if (due.length > 0) continue;
    if (state.now >= playing.end) break;
    const [script] = scripts;
    const settled = scripts.length === 1 && script ? settlingTime(playing, state, script) : undefined;
    if (script && settled !== undefined && settled <= state.now)
      if (await endIfAllHold(playing, state, script)) return;
    const times = waiting.flatMap(({ next }) => (next.time === undefined ? [] : [next.time]));
    if (settled !== undefined && settled > state.now) times.push(settled);
    const sends = await nextSendTimeOf(store.db, [...new Set(waiting.flatMap(({ next }) => next.tasks))]);
    const action = await nextActionTimeOf(store.db, [...playing.account.people.values()]);
    const stop = Math.min(playing.end, ...times, sends ?? playing.end, action ?? playing.end);
    await moveTo(playing.account, Math.max(stop, state.now), playing);
    state.now = Math.max(stop, state.now);
    state.received.clear();
    await noteLists(playing, state);
  }
  for (const script of scripts) for (const { record } of await verdictsOf(playing, state, script)) record();
}

/**
 * Returns the time from which the verdicts are final if all statements hold. Undefined if a statement may fail until the end, or if a step
 * is still to come.
 */
function settlingTime({ account }: Playing, state: State, { tests }: Script): number | undefined {
  let latest = account.start;
  for (const { statements } of tests) {
    let origin = account.start;
    for (const [index, statement] of statements.entries()) {
      if (statement.kind === 'measure') return undefined;
      const { within, count, times } = statement.slots;
      if (SENTENCES[statement.name].kind === 'step') {
        const done = state.steps.get(index);
        if (done?.time === undefined || done.problem !== undefined) return undefined;
        origin = done.time;
      } else if (within !== undefined) latest = Math.max(latest, origin + within);
      else if (statement.name !== 'receives' && (count ?? times)?.most !== Number.POSITIVE_INFINITY)
        return undefined;
    }
  }
  return latest;
}

async function endIfAllHold(playing: Playing, state: State, script: Script): Promise<boolean> {
  const verdicts = await verdictsOf(playing, state, script);
  if (!verdicts.every(({ holds }) => holds)) return false;
  for (const { record } of verdicts) record();
  return true;
}

async function verdictsOf(
  playing: Playing,
  state: State,
  { steps, tests }: Script,
): Promise<readonly Verdict[]> {
  const { account } = playing;
  const { store } = account.service;
  const done = new Map(state.steps);
  for (const { index, slots } of steps)
    if (!done.has(index)) done.set(index, { time: undefined, problem: waitedInVain(slots, playing) });
  const after = await balancesOf(playing);
  const spent = (channel: Channel): number => {
    const credits = playing.balances[channel] - after[channel];
    return Number.isFinite(credits) ? credits : 0;
  };
  const kept = new Map<string, Promise<readonly ReceivedMessage[]>>();
  const played: PlayedTest = {
    ...playing,
    db: store.db,
    steps: done,
    lists: state.lists,
    credits: { email: spent('email'), sms: spent('sms') },
    messages: (person = '') => {
      const id = person === '' ? undefined : (account.people.get(person) ?? 0);
      const found = kept.get(person) ?? listReceivedMessages(store.db, account.companyId, account.start, id);
      kept.set(person, found);
      return found;
    },
  };
  const verdicts: Verdict[] = [];
  for (const test of tests) verdicts.push(await playing.judge(test, played));
  return verdicts;
}

function waitedInVain({ person, when, message }: Slots, { end, account }: Playing): string {
  const waited = when && 'after' in when && when.after !== 'start' ? when.after.text : message?.text;
  const days = Math.round((end - account.start) / 86_400);
  return waited === undefined
    ? `the moment of this step does not come within ${days} days`
    : `${person} does not get ${waited} within ${days} days`;
}

async function balancesOf({ account }: Stage): Promise<Readonly<Record<Channel, number>>> {
  const [email, sms] = await Promise.all(
    CHANNELS.map((channel) => loadCreditBalance(account.service.store.db, account.companyId, channel)),
  );
  return { email: email ?? 0, sms: sms ?? 0 };
}

/** Records the present lists of the people. Between two stops, their lists do not change. */
async function noteLists({ account }: Stage, state: State): Promise<void> {
  const rows = await listSubscriptionsOf(account.service.store.db, [...account.people.values()]);
  for (const [name, id] of account.people) {
    const lists = rows.flatMap(({ subscriber_id, list_id }) => (subscriber_id === id ? [list_id] : []));
    const known = state.lists.get(name) ?? [];
    if (known.at(-1)?.lists.join() !== lists.join()) known.push({ time: state.now, lists });
    state.lists.set(name, known);
  }
}

interface NextStep {
  readonly step: Step | undefined;
  /** Undefined until the moment of a step is known. */
  readonly time: number | undefined;
  /** Tasks whose sends may make the moment of a step known. */
  readonly tasks: readonly number[];
}

/** Returns the step that is due first. */
async function nextStep(playing: Playing, state: State, { steps }: Script): Promise<NextStep> {
  let found: NextStep = { step: undefined, time: undefined, tasks: [] };
  const tasks: number[] = [];
  for (const [position, step] of steps.entries()) {
    if (state.steps.has(step.index)) continue;
    const above = steps[position - 1];
    const moment = await momentOf(
      playing,
      state,
      step,
      above && state.steps.get(above.index),
      above !== undefined,
    );
    if (moment.time === undefined) tasks.push(...moment.tasks);
    else if (found.time === undefined || moment.time < found.time)
      found = { step, time: Math.max(moment.time, state.now), tasks: [] };
  }
  return { ...found, tasks };
}

const AT_ONCE = 60;

async function momentOf(
  playing: Playing,
  state: State,
  { slots, name }: Step,
  above: DoneStep | undefined,
  hasStepAbove: boolean,
): Promise<{ readonly time: number | undefined; readonly tasks: readonly number[] }> {
  const { when, person = '' } = slots;
  const { start } = playing.account;
  if (when && 'at' in when) return { time: when.at, tasks: [] };
  if (when?.after === 'start') return { time: start + when.seconds, tasks: [] };
  if (when) {
    const { tasks, received } = await receiptsOf(playing, state, person, when.after);
    const [first] = received;
    return { time: first && first.time + when.seconds, tasks };
  }
  if (hasStepAbove && above?.time === undefined) return { time: undefined, tasks: [] };
  const earliest = above?.time === undefined ? start + AT_ONCE : above.time + AT_ONCE;
  if (name === 'subscribe' || name === 'write' || (hasStepAbove && !slots.message))
    return { time: earliest, tasks: [] };
  const { tasks, received } = await receiptsOf(playing, state, person, slots.message);
  const [first] = received;
  const time = first && Math.max(earliest, first.time + AT_ONCE);
  return { time: time === undefined || time > playing.end ? undefined : Math.max(time, state.now), tasks };
}

/** Returns what the person got of this since the start, oldest first. Without a reference, any message of a task. */
async function receiptsOf(
  { account, campaign }: Playing,
  state: State,
  person: string,
  reference: Reference | undefined,
): Promise<{ readonly tasks: readonly number[]; readonly received: readonly ReceivedMessage[] }> {
  const { db } = account.service.store;
  const reading =
    state.received.get(person) ??
    listReceivedMessages(db, account.companyId, account.start, account.people.get(person) ?? 0);
  state.received.set(person, reading);
  const all = await reading;
  if (!reference) return { tasks: campaign.tasks, received: all.filter(({ task }) => task !== null) };
  const targets = await targetsWithLink(db, account.companyId, reference, campaign);
  return {
    tasks: targets.tasks.size > 0 ? [...targets.tasks] : campaign.tasks,
    received: all.filter((message) => isOf(message, targets)),
  };
}

async function targetsWithLink(
  db: Db,
  companyId: number,
  reference: Reference,
  { targets }: PreparedCampaign,
): Promise<Targets> {
  if (!('record' in reference) || reference.record.kind !== 'link') return targets(reference);
  const [link] = await linksByIds(db, companyId, [reference.record.id]);
  return { ...targets(reference), emails: new Set(link ? [link.message_id] : []) };
}

export const isOf = (
  { task, channel, message, ruleKind, rule }: ReceivedMessage,
  { tasks, emails, sms, rules }: Targets,
): boolean =>
  (task !== null && tasks.has(task)) ||
  (channel === 'sms' ? sms : emails).has(message) ||
  (ruleKind !== null && rules.has(`${ruleKind}:${rule}`));

async function perform(playing: Playing, state: State, step: Step): Promise<void> {
  const problem = await tryStep(playing, state, step);
  state.received.clear();
  state.steps.set(step.index, { time: state.now, ...(problem === undefined ? {} : { problem }) });
  await noteLists(playing, state);
}

/** Returns why the step is not possible. */
async function tryStep(playing: Playing, state: State, { name, slots }: Step): Promise<string | undefined> {
  const { account, people } = playing;
  const { now } = state;
  const { store } = account.service;
  const { person = '', list = 0, text = '', number = '' } = slots;
  const subscriberId = account.people.get(person) ?? 0;
  const record = async (event: RecipientEvent): Promise<string | undefined> => {
    const { trigger } = await store.transaction((db) =>
      recordRecipientEvent(db, account.companyId, event, now),
    );
    const isKnown = event.kind === 'subscription' && trigger === undefined;
    return isKnown ? `${person} is on list ${list} already` : undefined;
  };
  try {
    switch (name) {
      case 'subscribe':
        return await record({ kind: 'subscription', listId: list, subscriberId });
      case 'open':
      case 'click': {
        const { received } = await receiptsOf(playing, state, person, slots.message);
        const newest = received.findLast(({ channel }) => channel === 'email');
        if (!newest) return `${person} has not received ${slots.message?.text} by then`;
        const reader = { subscriberId, taskId: newest.task ?? undefined };
        if (name === 'open') return await record({ kind: 'open', messageId: newest.message, ...reader });
        const { message } = slots;
        const given =
          message && 'record' in message && message.record.kind === 'link' ? message.record.id : undefined;
        const linkId = given ?? clickableLinks(await linksOf(store.db, newest.message))[0]?.id;
        if (linkId === undefined) return `${message?.text} has no link`;
        return await record({ kind: 'click', linkId, ...reader });
      }
      case 'unsubscribe':
      case 'complain': {
        const { received } = await receiptsOf(playing, state, person, undefined);
        const taskId = received.at(-1)?.task ?? undefined;
        if (taskId === undefined) return `${person} has received no message of a task by then`;
        const kind = name === 'complain' ? 'complaint' : 'unsubscribe';
        return await record({ kind, taskId, subscriberId });
      }
      case 'write': {
        const from = people.find((each) => each.name === person)?.msisdn;
        if (from === undefined) return `${person} has no msisdn`;
        const sms = { to: number, from, text };
        const { why, ruleIds } = await store.transaction((db) =>
          receiveSms(db, sms, account.companyId, now, { requestAfterCommit: () => undefined }),
        );
        return why ?? (ruleIds.length === 0 ? 'no rule matches the SMS' : undefined);
      }
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
