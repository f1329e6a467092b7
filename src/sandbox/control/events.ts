/** What recipients would do. */
import type { ControlArguments } from '../../protocol/control.ts';
import { notFound } from '../../protocol/service-errors.ts';
import { receiveSms } from '../engine/automations/inbound-sms.ts';
import { fireTrigger } from '../engine/automations/triggers.ts';
import { serviceNow } from '../engine/clock.ts';
import type { Effect } from '../engine/due.ts';
import { type RecipientEvent, recordEvent } from '../engine/events.ts';
import { dateRuleById } from '../store/control.ts';
import { userOf } from '../store/identity.ts';
import { updateRow } from '../store/rows.ts';
import { subscriberById } from '../store/subscribers.ts';
import { userIdByName } from '../store/users.ts';
import type { ControlCall, ControlContext, OperationsOf } from './operation.ts';

/** Interface, "Limits": consecutive failed logins that lock a user. */
const LOCKING_LOGINS = 3;

export const eventOperations = {
  'event open': (call, { message, subscriber, task }) =>
    record(call, { kind: 'open', messageId: message, subscriberId: subscriber, taskId: task }),
  'event click': (call, { link, subscriber, task }) =>
    record(call, { kind: 'click', linkId: link, subscriberId: subscriber, taskId: task }),
  'event subscribe': (call, { list, subscriber }) =>
    record(call, { kind: 'subscribe', listId: list, subscriberId: subscriber }),
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
  await recordEvent(db, account.id, event, now);
  return { event: event.kind, subscriber: event.subscriberId, time: now };
}

/** wire, "date rules: which date": this is what sets it. */
async function dateReached({ db, account, now }: ControlCall, args: ControlArguments<'event date'>) {
  const { rule, at } = args;
  const subscriber = await subscriberById(db, account.id, args.subscriber);
  if (!subscriber) throw notFound(`Subscriber ${args.subscriber}`);
  if (!(await dateRuleById(db, account.id, rule))) throw notFound(`dateAutomation ${rule}`);
  await fireTrigger(
    { db, accountId: account.id, now },
    { kind: 'date', ruleId: rule, time: at },
    subscriber.id,
  );
  return { event: 'date', subscriber: subscriber.id, rule, at };
}

async function smsReceived({ service, engine }: ControlContext, args: ControlArguments<'event sms-in'>) {
  const { company, ...sms } = args;
  const effects: Effect[] = [];
  const received = await service.store.transaction(async (db) => {
    const now = await serviceNow(db, service.outside.machineNow());
    return receiveSms(db, sms, company, now, { afterwards: (effect) => effects.push(effect) });
  });
  for (const effect of effects) engine.perform?.(effect);
  return { event: 'sms-in', company: received.accountId ?? null, rules: [...received.ruleIds] };
}

async function failedLogin(
  { db, account }: ControlCall,
  { username }: ControlArguments<'event failed-login'>,
) {
  const userId = await userIdByName(db, account.id, username);
  const user = userId === undefined ? undefined : await userOf(db, account.id, userId);
  if (!user) throw notFound(`User ${username}`);
  const failed = user.failed_logins + 1;
  const locked = user.locked === 1 || failed >= LOCKING_LOGINS;
  await updateRow(db, 'user', user.id, { failed_logins: failed, locked: locked ? 1 : 0 });
  return { id: user.id, username, failed, locked };
}
