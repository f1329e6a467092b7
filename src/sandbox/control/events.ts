/** Simulates events that recipients cause, such as an open, a click or an inbound SMS. */

import { phrase } from '../../kit/schema/reason.ts';
import { atLeastOne, atMostOne } from '../../kit/schema/rules.ts';
import type { RecipientReaction } from '../../service/protocol/control/audience.ts';
import type { ControlArguments } from '../../service/protocol/control.ts';
import {
  createConflictError,
  createInvalidRequestError,
  createNotFoundError,
} from '../../service/protocol/service-errors.ts';
import { createReactionsOfSomeRecipients } from '../engine/audience/plan.ts';
import { applyReactions } from '../engine/audience/react.ts';
import { receiveSms } from '../engine/automations/inbound-sms.ts';
import {
  findUnmatchedRules,
  findUnmatchedSmsRules,
  type RuleOutcome,
  type TimedRuleEvent,
  type UnmatchedRule,
} from '../engine/automations/triggers.ts';
import { readServiceTime } from '../engine/clock.ts';
import type { NotifyUrlRequest } from '../engine/due.ts';
import { type RecipientEvent, recordRecipientEvent } from '../engine/events.ts';
import { runAccountWorkStep } from '../engine/step.ts';
import { userOf } from '../store/accounts.ts';
import { linksOf } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import { insertRows } from '../store/rows.ts';
import type { TaskRow } from '../store/tasks.ts';
import { recordFailedLogin, userIdByName } from '../store/users.ts';
import type { ControlCall, ControlContext, ControlOperationsForNoun } from './operation.ts';
import { findEmailMessageId, findListId, findSubscriberId, type IdOrName, taskOf } from './records.ts';

export const eventSimulationOperations = {
  'event open': async (call, { message, task, ...who }) => {
    if (who.share !== undefined) return reactWithShare(call, 'open', { task, ...who });
    const sentBy = await taskIfGiven(call, task);
    if (sentBy === undefined && message === undefined) throw missing('message');
    return record(call, {
      kind: 'open',
      messageId: message === undefined ? messageOf(sentBy) : await findEmailMessageId(call, message),
      subscriberId: await one(call, who),
      taskId: sentBy?.id,
    });
  },
  'event click': async (call, { link, task, ...who }) => {
    if (who.share !== undefined) return reactWithShare(call, 'click', { task, ...who, link });
    const sentBy = await taskIfGiven(call, task);
    if (link === undefined && sentBy === undefined) throw missing('link');
    return record(call, {
      kind: 'click',
      linkId: link ?? (await firstLink(call, messageOf(sentBy))),
      subscriberId: await one(call, who),
      taskId: sentBy?.id,
    });
  },
  'event subscribe': async (call, { list, subscriber }) =>
    record(call, {
      kind: 'subscription',
      listId: await findListId(call, list),
      subscriberId: await findSubscriberId(call, subscriber),
    }),
  'event unsubscribe': (call, given) => reported(call, 'unsubscribe', given),
  'event complaint': (call, given) => reported(call, 'complaint', given),
  'event bounce': (call, given) => reported(call, 'bounce', given),
  'event date': dateReached,
  'event sms-in': smsReceived,
  'event failed-login': failedLogin,
} satisfies ControlOperationsForNoun<'event'>;

/** Says who reacts: one subscriber, or a share of a task's recipients. */
interface ReactingRecipients {
  readonly subscriber?: IdOrName | undefined;
  readonly share?: number | undefined;
  readonly over?: number | undefined;
  readonly seed?: number | undefined;
}

const missing = (attribute: string) =>
  createInvalidRequestError([{ attribute, reason: { kind: 'required' } }]);

async function one(call: ControlCall, { subscriber, over, seed }: ReactingRecipients): Promise<number> {
  const extra = over !== undefined ? 'over' : seed !== undefined ? 'seed' : undefined;
  if (extra !== undefined)
    throw createInvalidRequestError([{ attribute: extra, reason: phrase`needs ${'share'}` }]);
  if (subscriber === undefined) throw createInvalidRequestError([atLeastOne('subscriber', 'share')]);
  return findSubscriberId(call, subscriber);
}

const taskIfGiven = async (call: ControlCall, task: IdOrName | undefined): Promise<TaskRow | undefined> =>
  task === undefined ? undefined : taskOf(call, task);

function messageOf(task: TaskRow | undefined): number {
  if (task?.channel !== 'email')
    throw createConflictError(`Task ${task?.id} sends SMS, which cannot be opened or clicked`);
  return task.message_id;
}

async function firstLink({ db }: ControlCall, messageId: number): Promise<number> {
  const [link] = await linksOf(db, messageId);
  if (link === undefined) throw createNotFoundError(`A link in e-mail message ${messageId}`);
  return link.id;
}

async function reported(
  call: ControlCall,
  kind: 'unsubscribe' | 'complaint' | 'bounce',
  { task, ...who }: ReactingRecipients & { readonly task: IdOrName },
) {
  if (who.share !== undefined) return reactWithShare(call, kind, { task, ...who });
  const { id: taskId } = await taskOf(call, task);
  return record(call, { kind, taskId, subscriberId: await one(call, who) });
}

/** Makes a share of a task's recipients react: at once, or over time as the clock moves. */
async function reactWithShare(
  call: ControlCall,
  reaction: RecipientReaction,
  {
    task,
    subscriber,
    share = 0,
    over = 0,
    seed = 1,
    link,
  }: ReactingRecipients & {
    readonly task?: IdOrName | undefined;
    readonly link?: number | undefined;
  },
) {
  if (subscriber !== undefined) throw createInvalidRequestError([atMostOne('subscriber', 'share')]);
  if (task === undefined)
    throw createInvalidRequestError([{ attribute: 'task', reason: phrase`is required with ${'share'}` }]);
  const { db, account, now } = call;
  const row = await taskOf(call, task);
  const wanted = { reaction, share, seed, span: over, linkId: link };
  const { recipients, rows } = await createReactionsOfSomeRecipients(db, row, wanted, now);
  const isLater = over > 0;
  if (isLater) await insertRows(db, 'reaction', rows);
  const { outcomes } = isLater
    ? { outcomes: [] }
    : await runAccountWorkStep(db, account.id, (step) => applyReactions(step, rows));
  return {
    ...{ event: reaction, subscriber: null, task: row.id, name: row.name, time: now },
    ...{ recipients, count: rows.length, until: isLater ? (rows.at(-1)?.due ?? now) : null },
    why: isLater ? 'the events will happen later' : null,
    automations: summed(outcomes),
  };
}

/** Returns one row for each rule, with the number of recipients for whom it ran. */
function summed(outcomes: readonly RuleOutcome[]) {
  const rules = new Map<string, { readonly first: RuleOutcome; times: number }>();
  for (const outcome of outcomes) {
    const key = `${outcome.kind}:${outcome.ruleId}`;
    const known = rules.get(key);
    if (known) known.times += 1;
    else rules.set(key, { first: outcome, times: 1 });
  }
  return [...rules.values()].map(({ first, times }) => ({ ...asMatched(first), times }));
}

/** The events that an operation simulates without more to do. */
type SimpleEvent = Extract<RecipientEvent, { readonly kind: RecipientReaction | 'subscription' }>;

async function record({ db, account, now }: ControlCall, event: SimpleEvent) {
  const { trigger, outcomes, why, taskId } = await recordRecipientEvent(db, account.id, event, now);
  const automations = await automationsOf(db, account.id, trigger, outcomes);
  const countsFor = event.kind === 'open' || event.kind === 'click' ? { task: taskId ?? null } : {};
  return {
    event: event.kind === 'subscription' ? ('subscribe' as const) : event.kind,
    subscriber: event.subscriberId,
    ...namedIn(event),
    time: now,
    ...countsFor,
    why,
    automations,
  };
}

/** Returns the id of the record that the event concerns, such as `{message: 12}`: the request may have given only its name. */
function namedIn(event: SimpleEvent) {
  switch (event.kind) {
    case 'open':
      return { message: event.messageId };
    case 'click':
      return { link: event.linkId };
    case 'subscription':
      return { list: event.listId };
    default:
      return { task: event.taskId };
  }
}

/** Returns the outcomes of the rules that matched, then the reasons why the other rules of the same kind did not. */
async function automationsOf(
  db: Db,
  accountId: number,
  trigger: TimedRuleEvent | undefined,
  outcomes: readonly RuleOutcome[],
) {
  if (trigger === undefined) return outcomes.map(asMatched);
  const others = await findUnmatchedRules(db, accountId, trigger, idsOf(outcomes, trigger.kind));
  return [...outcomes.map(asMatched), ...others.map(asUnmatched)];
}

const idsOf = (outcomes: readonly RuleOutcome[], kind: RuleOutcome['kind']): ReadonlySet<number> =>
  new Set(outcomes.filter((outcome) => outcome.kind === kind).map(({ ruleId }) => ruleId));

const asMatched = ({ kind, ruleId, name, action, target, queued, done, why }: RuleOutcome) => ({
  rule: `${kind}:${ruleId}`,
  name,
  matched: true,
  action,
  target,
  queued,
  done,
  why,
});

const asUnmatched = ({ kind, ruleId, name, why }: UnmatchedRule) => ({
  rule: `${kind}:${ruleId}`,
  name,
  matched: false,
  action: null,
  target: null,
  queued: null,
  done: false,
  why,
});

async function dateReached(call: ControlCall, args: ControlArguments<'event date'>) {
  const { db, account, now } = call;
  const { rule, at } = args;
  const subscriber = await findSubscriberId(call, args.subscriber);
  const event = { kind: 'date', ruleId: rule, time: at, subscriberId: subscriber } as const;
  const { trigger, outcomes, why } = await recordRecipientEvent(db, account.id, event, now);
  const automations = await automationsOf(db, account.id, trigger, outcomes);
  return { event: 'date' as const, subscriber, rule, at, why, automations };
}

async function smsReceived({ service, engine }: ControlContext, args: ControlArguments<'event sms-in'>) {
  const { company, ...sms } = args;
  const scope = company === undefined ? undefined : ({ kind: 'account', id: company } as const);
  const { effects, answer } = await service.store.transaction(async (db) => {
    const effects: NotifyUrlRequest[] = [];
    const now = await readServiceTime(db, service.environment.machineNow());
    const received = await receiveSms(db, sms, company, now, {
      requestAfterCommit: (effect) => effects.push(effect),
    });
    const { accountId, ruleIds, outcomes, word, why } = received;
    const others =
      accountId === undefined || word === undefined
        ? []
        : await findUnmatchedSmsRules(db, accountId, word, new Set(ruleIds));
    const automations = [...outcomes.map(asMatched), ...others.map(asUnmatched)];
    const answer = { company: accountId ?? null, rules: [...ruleIds], time: now, why, automations };
    return { effects, answer };
  }, scope);
  for (const effect of effects) engine.sendNotifyUrlRequest?.(effect);
  return { event: 'sms-in' as const, ...answer };
}

async function failedLogin(
  { db, account }: ControlCall,
  { username }: ControlArguments<'event failed-login'>,
) {
  const userId = await userIdByName(db, account.id, username);
  const user = userId === undefined ? undefined : await userOf(db, account.id, userId);
  if (!user) throw createNotFoundError(`User ${username}`);
  const { failed, locked } = await recordFailedLogin(db, user);
  const why = 'a failed login never triggers a rule';
  return { id: user.id, username, failed, locked, why, automations: [] };
}
