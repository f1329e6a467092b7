/** The model's work as time passes: tasks, single SMS and actions of rules, each at its own time. */
import {
  addressOf,
  audienceOf,
  isBlocked,
  type Message,
  type Model,
  type Queued,
  type Rule,
  type SingleSms,
  type Subscriber,
  spend,
  type Task,
} from './state.ts';
import { UNDELIVERABLE } from './steps.ts';

/**
 * Performs everything that is due until that time. README, "The service's clock": at equal times tasks come first, then single SMS, then
 * actions of rules, each by id.
 */
export function passTime(model: Model, until: number): void {
  for (;;) {
    const next = nextDue(model);
    if (!next || next.due > until) break;
    model.now = Math.max(model.now, next.due);
    next.run();
  }
  model.now = Math.max(model.now, until);
}

interface Due {
  readonly due: number;
  readonly run: () => void;
}

function nextDue(model: Model): Due | undefined {
  const inOrder: Due[] = [
    ...[...model.tasks.values()]
      .sort((a, b) => a.id - b.id)
      .flatMap((task) => (task.due === null ? [] : [{ due: task.due, run: () => sendOn(model, task) }])),
    ...[...model.sms.values()]
      .filter(({ outcome }) => outcome === 'waiting' || outcome === 'tried')
      .map((sms) => ({ due: sms.due, run: () => dispatch(model, sms) })),
    ...model.queue.map((queued) => ({ due: queued.due, run: () => act(model, queued) })),
  ];
  return inOrder.reduce<Due | undefined>(
    (first, each) => (first && first.due <= each.due ? first : each),
    undefined,
  );
}

/** README, "When a task runs", "`rate`", "Too few credits"; no one gets a task's message twice. */
function sendOn(model: Model, task: Task): void {
  task.started = true;
  const { channel, cost } = task.message;
  for (const subscriber of audienceOf(model, channel, task).filter(({ id }) => id > task.cursor)) {
    const due = dueOfNext(task);
    if (due > model.now) {
      task.due = due;
      return;
    }
    const address = addressOf(subscriber, channel) ?? '';
    if (isLeftOut(model, task, subscriber, address)) task.skipped += 1;
    else if (spend(model, channel, cost)) {
      task.sent.set(subscriber.id, address);
      task.spent += cost;
      model.outbox.push({ time: model.now, channel, to: address, cause: `task ${task.id}` });
    } else {
      task.stopped = true;
      break;
    }
    task.cursor = subscriber.id;
  }
  end(model, task);
}

/** README, "When a task runs": on Do Not Contact (by the channel's address) or suspended in that channel. */
function isLeftOut(model: Model, task: Task, subscriber: Subscriber, address: string): boolean {
  const { channel } = task.message;
  const contact = channel === 'email' ? { email: address } : { msisdn: address };
  return (
    subscriber.suspended[channel] || isBlocked(model, contact) || [...task.sent.values()].includes(address)
  );
}

/** Returns the time at which one more message may be sent: the minute by whose end `rate` allows that number. */
function dueOfNext(task: Task): number {
  if (task.rate === null) return task.scheduledtime;
  let minute = 0;
  while (Math.ceil((task.rate * (minute + 1)) / 60) <= task.sent.size) minute += 1;
  return task.scheduledtime + 60 * minute;
}

function end(model: Model, task: Task): void {
  task.completed = true;
  task.endtime = model.now;
  task.due = null;
}

/**
 * README, "Single SMS": on Do Not Contact or with too few credits: failed, not dispatched, nothing charged. A number that no network
 * accepts times out after two weeks.
 */
function dispatch(model: Model, sms: SingleSms): void {
  if (sms.outcome === 'tried' || isBlocked(model, { msisdn: sms.msisdn }) || !spend(model, 'sms', 1)) {
    sms.outcome = 'failed';
  } else if (sms.msisdn === UNDELIVERABLE) {
    sms.outcome = 'tried';
    sms.due += 14 * 86_400;
  } else {
    sms.outcome = 'dispatched';
    model.outbox.push({ time: model.now, channel: 'sms', to: sms.msisdn, cause: `sms ${sms.id}` });
  }
}

/** Queues the actions of the active rules that match an event, by id. A rule that its own action would trigger again is stopped. */
export function trigger(
  model: Model,
  matches: (rule: Rule) => boolean,
  subscriber: number,
  chain: readonly Rule[] = [],
  from = model.now,
): void {
  for (const rule of model.rules) {
    if (rule.paused || !matches(rule)) continue;
    if (chain.includes(rule)) {
      model.loops += 1;
      continue;
    }
    model.queuedSoFar += 1;
    const due = Math.max(model.now, from + rule.offset);
    model.queue.push({ due, order: model.queuedSoFar, rule, subscriber, chain: [...chain, rule] });
  }
}

/** Adds a subscription. Returns false if it already exists. */
export function subscribe(
  model: Model,
  subscriber: Subscriber,
  list: number,
  chain: readonly Rule[] = [],
): boolean {
  if (subscriber.lists.has(list)) return false;
  subscriber.lists.add(list);
  trigger(model, ({ kind, watches }) => kind === 'subscription' && watches === list, subscriber.id, chain);
  return true;
}

function act(model: Model, queued: Queued): void {
  model.queue = model.queue.filter((each) => each !== queued);
  const { rule, chain } = queued;
  const subscriber = model.subscribers.get(queued.subscriber);
  if (!subscriber) return;
  const { action } = rule;
  switch (action.type) {
    case 'notify':
      notify(model, rule);
      return;
    case 'email_autoresponder':
    case 'sms_autoresponder':
      answer(model, rule, action.message, subscriber);
      return;
    case 'removefromlist':
      subscriber.lists.delete(rule.watches ?? 0);
      return;
    default:
      changeLists(model, rule, action, subscriber, chain);
  }
}

export const OFFICE = 'office@example.com';

function notify(model: Model, rule: Rule): void {
  if (isBlocked(model, { email: OFFICE })) return;
  model.outbox.push({
    time: model.now,
    channel: 'notification',
    to: OFFICE,
    cause: `${rule.kind} ${rule.id}`,
  });
}

function answer(model: Model, rule: Rule, { channel, cost, deleted }: Message, subscriber: Subscriber): void {
  const to = addressOf(subscriber, channel);
  if (deleted || to === null || subscriber.suspended[channel]) return;
  if (isBlocked(model, channel === 'email' ? { email: to } : { msisdn: to })) return;
  if (!spend(model, channel, cost)) return;
  model.outbox.push({ time: model.now, channel, to, cause: `${rule.kind} ${rule.id}` });
}

/** Changes lists. Copying and moving need the subscription that triggered the rule. */
function changeLists(
  model: Model,
  rule: Rule,
  { type, list }: { readonly type: string; readonly list: number },
  subscriber: Subscriber,
  chain: readonly Rule[],
): void {
  if (type !== 'addtolist' && !subscriber.lists.has(rule.watches ?? 0)) return;
  if (!model.lists.has(list) || isBlocked(model, subscriber)) return;
  if (type === 'movetolist') subscriber.lists.delete(rule.watches ?? 0);
  subscribe(model, subscriber, list, chain);
}
