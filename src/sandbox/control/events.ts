/** What recipients would do. */
import { notFound } from '../../protocol/faults.ts';
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
import { type Arguments, id, msisdn, number, optional, text } from './arguments.ts';
import { type ControlCall, type Operation, type Operations, ofCompany, ofSandbox } from './operation.ts';

/** Interface, "Limits": consecutive failed logins that lock a user. */
const LOCKING_LOGINS = 3;

const recipientEvent = (read: (args: Arguments) => RecipientEvent): Operation =>
  ofCompany(async ({ db, account, now }, args) => {
    const event = read(args);
    await recordEvent(db, account.id, event, now);
    return { event: event.kind, subscriber: event.subscriberId, time: now };
  });

const subscriberId = (args: Arguments): number => id(args, 'subscriber');
const task = (args: Arguments) => {
  const taskId = optional(args, 'task', id);
  return taskId === undefined ? {} : { taskId };
};
const onTask = (kind: 'unsubscribe' | 'complaint' | 'bounce'): Operation =>
  recipientEvent((args) => ({ kind, taskId: id(args, 'task'), subscriberId: subscriberId(args) }));

export const eventOperations: Operations = {
  'event open': recipientEvent((args) => ({
    kind: 'open',
    messageId: id(args, 'message'),
    subscriberId: subscriberId(args),
    ...task(args),
  })),
  'event click': recipientEvent((args) => ({
    kind: 'click',
    linkId: id(args, 'link'),
    subscriberId: subscriberId(args),
    ...task(args),
  })),
  'event subscribe': recipientEvent((args) => ({
    kind: 'subscribe',
    listId: id(args, 'list'),
    subscriberId: subscriberId(args),
  })),
  'event unsubscribe': onTask('unsubscribe'),
  'event complaint': onTask('complaint'),
  'event bounce': onTask('bounce'),
  'event date': ofCompany(dateReached),
  'event sms-in': ofSandbox(async ({ service, engine }, args) => {
    const sms = { to: text(args, 'to'), from: msisdn(args, 'from'), text: text(args, 'text') };
    const company = optional(args, 'company', id);
    const effects: Effect[] = [];
    const received = await service.store.transaction(async (db) => {
      const now = await serviceNow(db, service.outside.machineNow());
      return receiveSms(db, sms, company, now, { afterwards: (effect) => effects.push(effect) });
    });
    for (const effect of effects) engine.perform?.(effect);
    return { event: 'sms-in', company: received.accountId ?? null, rules: [...received.ruleIds] };
  }),
  'event failed-login': ofCompany(failedLogin),
};

/** wire, "date rules: which date": this is what sets it. */
async function dateReached({ db, account, now }: ControlCall, args: Arguments) {
  const ruleId = id(args, 'rule');
  const time = number(args, 'at', { least: 0, most: 253_402_300_799 });
  const subscriber = await subscriberById(db, account.id, subscriberId(args));
  if (!subscriber) throw notFound(`Subscriber ${subscriberId(args)}`);
  if (!(await dateRuleById(db, account.id, ruleId))) throw notFound(`dateAutomation ${ruleId}`);
  await fireTrigger(db, { kind: 'date', ruleId, time }, subscriber.id, account.id, now);
  return { event: 'date', subscriber: subscriber.id, rule: ruleId, at: time };
}

async function failedLogin({ db, account }: ControlCall, args: Arguments) {
  const username = text(args, 'username');
  const userId = await userIdByName(db, account.id, username);
  const user = userId === undefined ? undefined : await userOf(db, account.id, userId);
  if (!user) throw notFound(`User ${username}`);
  const failed = user.failed_logins + 1;
  const locked = user.locked === 1 || failed >= LOCKING_LOGINS;
  await updateRow(db, 'user', user.id, { failed_logins: failed, locked: locked ? 1 : 0 });
  return { id: user.id, username, failed, locked };
}
