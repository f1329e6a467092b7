/** Simulates what recipients do. */
import type { ControlArguments } from '../../protocol/control.ts';
import { notFound } from '../../protocol/service-errors.ts';
import { receiveSms } from '../engine/automations/inbound-sms.ts';
import type { RuleOutcome } from '../engine/automations/rule-outcome.ts';
import type { Trigger } from '../engine/automations/triggers.ts';
import { type UnmatchedRule, unmatchedRules, unmatchedSmsRules } from '../engine/automations/unmatched.ts';
import { serviceNow } from '../engine/clock.ts';
import type { Effect } from '../engine/due.ts';
import { type RecipientEvent, recordEvent } from '../engine/events.ts';
import { userOf } from '../store/identity.ts';
import type { Db } from '../store/open.ts';
import { noteFailedLogin, userIdByName } from '../store/users.ts';
import type { ControlCall, ControlContext, OperationsOf } from './operation.ts';

export const eventOperations = {
  'event open': (call, { message, subscriber, task }) =>
    record(call, { kind: 'open', messageId: message, subscriberId: subscriber, taskId: task }),
  'event click': (call, { link, subscriber, task }) =>
    record(call, { kind: 'click', linkId: link, subscriberId: subscriber, taskId: task }),
  'event subscribe': (call, { list, subscriber }) =>
    record(call, { kind: 'subscription', listId: list, subscriberId: subscriber }),
  'event unsubscribe': (call, { task, subscriber }) =>
    record(call, { kind: 'unsubscribe', taskId: task, subscriberId: subscriber }),
  'event complaint': (call, { task, subscriber }) =>
    record(call, { kind: 'complaint', taskId: task, subscriberId: subscriber }),
  'event bounce': (call, { task, subscriber }) =>
    record(call, { kind: 'bounce', taskId: task, subscriberId: subscriber }),
  'event date': dateReached,
  'event sms-in': smsReceived,
  'event failed-login': failedLogin,
} satisfies OperationsOf<'event'>;

async function record({ db, account, now }: ControlCall, event: RecipientEvent) {
  const { trigger, outcomes, why, taskId } = await recordEvent(db, account.id, event, now);
  const automations = await automationsOf(db, account.id, trigger, outcomes);
  const countsFor = event.kind === 'open' || event.kind === 'click' ? { task: taskId ?? null } : {};
  const name = event.kind === 'subscription' ? 'subscribe' : event.kind;
  return { event: name, subscriber: event.subscriberId, time: now, ...countsFor, why, automations };
}

/** Returns the outcomes of the rules that matched, then the reasons why the other rules of that kind did not. */
async function automationsOf(
  db: Db,
  accountId: number,
  trigger: Trigger | undefined,
  outcomes: readonly RuleOutcome[],
) {
  if (trigger === undefined) return outcomes.map(asMatched);
  const others = await unmatchedRules(db, accountId, trigger, idsOf(outcomes, trigger.kind));
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

async function dateReached(
  { db, account, now }: ControlCall,
  { rule, at, subscriber }: ControlArguments<'event date'>,
) {
  const event = { kind: 'date', ruleId: rule, time: at, subscriberId: subscriber } as const;
  const { trigger, outcomes, why } = await recordEvent(db, account.id, event, now);
  const automations = await automationsOf(db, account.id, trigger, outcomes);
  return { event: 'date', subscriber, rule, at, why, automations };
}

async function smsReceived({ service, engine }: ControlContext, args: ControlArguments<'event sms-in'>) {
  const { company, ...sms } = args;
  const scope = company === undefined ? undefined : ({ kind: 'account', id: company } as const);
  const { effects, answer } = await service.store.transaction(async (db) => {
    const effects: Effect[] = [];
    const now = await serviceNow(db, service.outside.machineNow());
    const received = await receiveSms(db, sms, company, now, {
      afterwards: (effect) => effects.push(effect),
    });
    const { accountId, ruleIds, outcomes, word, why } = received;
    const others =
      accountId === undefined || word === undefined
        ? []
        : await unmatchedSmsRules(db, accountId, word, new Set(ruleIds));
    const automations = [...outcomes.map(asMatched), ...others.map(asUnmatched)];
    const answer = { company: accountId ?? null, rules: [...ruleIds], time: now, why, automations };
    return { effects, answer };
  }, scope);
  for (const effect of effects) engine.perform?.(effect);
  return { event: 'sms-in', ...answer };
}

async function failedLogin(
  { db, account }: ControlCall,
  { username }: ControlArguments<'event failed-login'>,
) {
  const userId = await userIdByName(db, account.id, username);
  const user = userId === undefined ? undefined : await userOf(db, account.id, userId);
  if (!user) throw notFound(`User ${username}`);
  const { failed, locked } = await noteFailedLogin(db, user);
  const why = 'no kind of rule is set off by a failed login';
  return { id: user.id, username, failed, locked, why, automations: [] };
}
