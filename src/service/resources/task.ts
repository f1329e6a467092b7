import {
  bool,
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  int,
  oneOf,
  orNull,
  sortable,
  string,
  timestamp,
} from '../../kit/schema/field.ts';
import { type BodyOf, defineResource, type RecordOf } from '../../kit/schema/resource.ts';
import { exactlyOne } from '../../kit/schema/rules.ts';
import { removeMarks } from './campaign-mark.ts';
import { emailMessage } from './email-message.ts';
import { smsMessage } from './sms-message.ts';

const statistic = (what: string) => orNull(int(`${what}; null if the channel does not have this statistic`));

/**
 * Attribute values of all tasks with a status, by which a GET can filter. Where they are equal, svc also compares the time (`scheduled`,
 * `sending`) or the rate (`completed`, `stopped`).
 */
const COMMON = {
  scheduled: { cancelled: false, completed: false },
  sending: { cancelled: false, completed: false },
  completed: { cancelled: false, completed: true },
  cancelled: { cancelled: true },
  stopped: { cancelled: false, completed: true },
} as const satisfies Record<TaskStatus, object>;

/** Declares the resource `task` (interface, "task"). */
export const task = defineResource({
  name: 'task',
  noun: 'task',
  describe: 'One send of a message to the subscribers of a list or saved search, at a set time',
  singular: 'a task',
  plural: 'tasks',
  fields: {
    id: id('Task id'),
    cancelled: bool('The task is cancelled', filterable),
    channel: oneOf(['email', 'sms'], 'Channel of the message', filterable),
    completed: bool('The task is completed', filterable),
    emailuniquebounces: statistic('E-mail recipients whose message bounced'),
    emailuniqueclicks: statistic('E-mail recipients who clicked a link'),
    emailuniqueopens: statistic('E-mail recipients who opened the message'),
    emailuniqueunsubscriptions: statistic('E-mail recipients who unsubscribed'),
    emailuniquecomplaints: statistic('E-mail recipients who complained'),
    smsuniquebounces: statistic('SMS recipients whose message bounced'),
    endtime: orNull(timestamp('When the task finished or was cancelled', sortable)),
    list_id: orNull(int('List that the task sends to', { ...filterable, refersTo: 'list', flag: 'list' })),
    message_id: int('Message that the task sends', {
      ...filterable,
      refersTo: 'message',
      byName: true,
      flag: 'message',
    }),
    name: string('Name of the task', filterableAndSortable),
    rate: orNull(int('Maximum number of messages an hour', { min: 1 })),
    scheduledtime: timestamp('Start time, such as "tomorrow 09:00"', { ...sortable, flag: 'at' }),
    search_id: orNull(int('Saved search to send to', { default: null, refersTo: 'search', flag: 'search' })),
    size: int('Number of subscriptions when the task was created; the actual recipients can differ'),
    splittest_id: orNull(int('Its split test')),
    cdate: creationTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'cancelled', 'channel', 'completed', 'list_id', 'message_id', 'name'] },
    post: {
      required: ['channel', 'message_id', 'name', 'scheduledtime', 'list_id', 'search_id'],
      optional: ['rate'],
    },
    put: { optional: ['cancelled', 'list_id', 'name', 'scheduledtime', 'search_id'] },
  },
  rules: [exactlyOne('Endpoints, task', 'list_id', 'search_id')],
  calledBy: 'name',
  identifiedBy: ['name', 'channel', 'message_id', 'list_id', 'search_id', 'scheduledtime'],
  inDoubt: 'note-first',
  undo: { create: 'cancel' },
  newestBy: 'scheduledtime',
  status: {
    from: ['cancelled', 'completed'],
    of: (record, now): TaskStatus => taskStatus(record as TaskRecord, now),
    common: COMMON,
  },
  columns: ['id', 'name', 'status', 'scheduledtime', 'size', 'channel', 'message_id', 'list_id', 'search_id'],
});

export type TaskRecord = RecordOf<typeof task>;
export type TaskBody = BodyOf<typeof task>;

/** Phase of a task, from its record and the present time. `sending`: the scheduled time is reached, and the task has not ended. */
type Phase = 'scheduled' | 'sending' | 'completed' | 'cancelled';

/** Status of a task. `stopped`: the task has ended, and can't have reached all of its recipients. */
export type TaskStatus = Phase | 'stopped';

/** Returns the name of a task without the mark of its campaign, or its id if the name is empty. */
export const formatTaskName = ({ name, id }: TaskRecord): string =>
  typeof name === 'string' && name.trim() !== '' ? removeMarks(name) : `Task ${String(id)}`;

/** Returns the phase of a task at `now`, in Unix seconds by the service's clock. */
export function taskPhase(record: TaskRecord, now: number): Phase {
  if (record.cancelled) return 'cancelled';
  if (record.completed) return 'completed';
  return now < record.scheduledtime ? 'scheduled' : 'sending';
}

/**
 * Returns the status of a task at `now`, in Unix seconds by the service's clock. A completed task is `stopped` if the credits ran out, which
 * svc can detect only by its rate: the service could not have sent all messages before the task ended.
 */
export function taskStatus(record: TaskRecord, now: number): TaskStatus {
  const phase = taskPhase(record, now);
  return phase === 'completed' && maxMessagesByRate(record) < record.size ? 'stopped' : phase;
}

/**
 * Returns the messages that the rate allowed until the task ended. Counts the last hour whole, and adds another, because a service may count
 * hours by the clock and send all messages of an hour at once.
 */
function maxMessagesByRate({ rate, scheduledtime, endtime }: TaskRecord): number {
  if (rate == null || endtime == null) return Number.POSITIVE_INFINITY;
  return rate * (Math.floor(Math.max(0, endtime - scheduledtime) / 3600) + 2);
}

export type Channel = 'email' | 'sms';

export const CHANNELS: readonly Channel[] = ['email', 'sms'];

/** Resource that stores the messages of each channel. */
export const MESSAGE_RESOURCES = { email: emailMessage, sms: smsMessage } as const;

export type MessageResource = (typeof MESSAGE_RESOURCES)[Channel];
/** An e-mail or SMS message, with the attributes that both have. */
export type MessageRecord = RecordOf<MessageResource>;

/** Seconds after the end of a task during which neither its list nor the list's folder can be deleted. */
export const LIST_DELETION_BLOCK_SECONDS = 72 * 3600;

/** Name of a statistic, as scripts read it. */
export type StatisticName = 'bounces' | 'opens' | 'clicks' | 'unsubscriptions' | 'complaints';

type StatisticAttribute = Extract<keyof TaskRecord, `${Channel}unique${StatisticName}`>;

/** Attributes of a task that hold each statistic, in the order in which the events happen. An SMS task has only bounces. */
export const STATISTIC_ATTRIBUTES: Readonly<Record<StatisticName, readonly StatisticAttribute[]>> = {
  bounces: ['emailuniquebounces', 'smsuniquebounces'],
  opens: ['emailuniqueopens'],
  clicks: ['emailuniqueclicks'],
  unsubscriptions: ['emailuniqueunsubscriptions'],
  complaints: ['emailuniquecomplaints'],
};
