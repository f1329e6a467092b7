/** The state of the model: plain maps, from the words of the documents alone. Nothing of src is used here. */

export type Channel = 'email' | 'sms';

export interface Subscriber {
  readonly id: number;
  readonly email: string | null;
  readonly msisdn: string | null;
  readonly suspended: Record<Channel, boolean>;
  city: string | null;
  readonly lists: Set<number>;
}

export interface Message {
  readonly channel: Channel;
  readonly id: number;
  /** The credits for each recipient. */
  readonly cost: number;
  deleted: boolean;
  used: boolean;
}

export const STATISTICS = ['open', 'click', 'bounce', 'unsubscribe', 'complaint'] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface Task {
  readonly id: number;
  readonly message: Message;
  readonly rate: number | null;
  list: number | null;
  search: number | null;
  scheduledtime: number;
  size: number;
  cancelled: boolean;
  completed: boolean;
  endtime: number | null;
  started: boolean;
  /** The id of the last processed subscriber. */
  cursor: number;
  /** The time of the next messages; null after the task has ended. */
  due: number | null;
  skipped: number;
  /** The address of each subscriber who got a message. */
  readonly sent: Map<number, string>;
  spent: number;
  stopped: boolean;
  /** The subscribers who performed each action. */
  readonly did: Record<Statistic, Set<number>>;
}

export const RULE_KINDS = ['click', 'open', 'subscription', 'date'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

export type Action =
  | { readonly type: 'addtolist' | 'copytolist' | 'movetolist'; readonly list: number }
  | { readonly type: 'removefromlist' | 'notify' }
  | { readonly type: 'email_autoresponder' | 'sms_autoresponder'; readonly message: Message };

export interface Rule {
  readonly kind: RuleKind;
  readonly id: number;
  /** The list of a subscription rule, or the message of a click or open rule; null for a date rule. */
  readonly watches: number | null;
  readonly action: Action;
  /** The offset in seconds. */
  readonly offset: number;
  paused: boolean;
}

export interface Queued {
  readonly due: number;
  readonly order: number;
  readonly rule: Rule;
  readonly subscriber: number;
  /** The rules that led to this action, with its own rule last. */
  readonly chain: readonly Rule[];
}

export interface SingleSms {
  readonly id: number;
  readonly msisdn: string;
  due: number;
  outcome: 'waiting' | 'tried' | 'dispatched' | 'failed';
}

/** One message that a person got. */
export interface Sent {
  readonly time: number;
  readonly channel: Channel | 'notification';
  readonly to: string;
  readonly cause: string;
}

export interface Model {
  now: number;
  readonly credits: Record<Channel, number>;
  /** The credits spent since they were last set. */
  readonly spent: Record<Channel, number>;
  readonly folders: Set<number>;
  /** The folder of each list. */
  readonly lists: Map<number, number | null>;
  readonly subscribers: Map<number, Subscriber>;
  /** The contactdata on Do Not Contact. */
  readonly blocked: Set<string>;
  readonly messages: readonly Message[];
  /** The city that each search looks for. */
  readonly searches: Map<number, string>;
  readonly tasks: Map<number, Task>;
  readonly sms: Map<number, SingleSms>;
  readonly rules: Rule[];
  queue: Queued[];
  queuedSoFar: number;
  readonly outbox: Sent[];
  loops: number;
  /** The highest id so far. */
  readonly made: Record<'list' | 'folder' | 'subscriber', number>;
}

export const isBlocked = (
  { blocked }: Pick<Model, 'blocked'>,
  { email, msisdn }: { readonly email?: string | null; readonly msisdn?: string | null },
): boolean =>
  (email != null && (blocked.has(email) || blocked.has(email.slice(email.indexOf('@') + 1)))) ||
  (msisdn != null && blocked.has(msisdn));

/** Interface, doNotContact: "All subscribers matching the new value are deleted." */
export function block(model: Model, contactdata: string): void {
  model.blocked.add(contactdata);
  for (const subscriber of model.subscribers.values())
    if (isBlocked({ blocked: new Set([contactdata]) }, subscriber)) model.subscribers.delete(subscriber.id);
}

export const addressOf = (subscriber: Subscriber, channel: Channel): string | null =>
  channel === 'email' ? subscriber.email : subscriber.msisdn;

/** Returns the members of a list or search who have an address of the channel, by id. */
export function audienceOf(
  { subscribers, searches }: Model,
  channel: Channel,
  { list, search }: { readonly list: number | null; readonly search: number | null },
): readonly Subscriber[] {
  const isIn = (subscriber: Subscriber): boolean =>
    search === null ? list !== null && subscriber.lists.has(list) : subscriber.city === searches.get(search);
  return [...subscribers.values()]
    .filter((subscriber) => isIn(subscriber) && addressOf(subscriber, channel) !== null)
    .sort((a, b) => a.id - b.id);
}

/** Takes credits if there are enough. Returns whether it did. */
export function spend(model: Model, channel: Channel, credits: number): boolean {
  if (model.credits[channel] < credits) return false;
  model.credits[channel] -= credits;
  model.spent[channel] += credits;
  return true;
}

/** Deletes a list and its subscriptions, and pauses rules that name it (interface, "States"). */
export function dropList(model: Model, list: number): void {
  model.lists.delete(list);
  for (const subscriber of model.subscribers.values()) subscriber.lists.delete(list);
  for (const rule of model.rules) {
    const isTarget = 'list' in rule.action && rule.action.list === list;
    if (isTarget || (rule.kind === 'subscription' && rule.watches === list)) rule.paused = true;
  }
}

const HOURS_72 = 72 * 3600;

/** Interface, folder DELETE: "targeted by a task in the last 72 hours or … by a scheduled task". */
export const isTargeted = (model: Model, list: number): boolean =>
  [...model.tasks.values()].some(
    (task) =>
      task.list === list && (task.endtime === null || (task.started && task.endtime > model.now - HOURS_72)),
  );
