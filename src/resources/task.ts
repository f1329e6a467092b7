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
} from '../schema/field.ts';
import { assertNever, type BodyOf, defineResource, type RecordOf } from '../schema/resource.ts';
import { exactlyOne } from '../schema/rules.ts';
import { emailMessage } from './email-message.ts';
import { smsMessage } from './sms-message.ts';

const statistic = (what: string) => orNull(int(`${what}; null if the channel does not have this statistic`));

/**
 * For each status, the attribute values that all tasks with this status have. A GET can filter tasks by these values. Some statuses have
 * the same values. svc then compares the time of the task to distinguish `scheduled` from `sending`, and its rate to distinguish
 * `completed` from `stopped`.
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
      flag: 'message',
    }),
    name: string('Name of the task', filterableAndSortable),
    rate: orNull(int('Maximum number of messages an hour', { min: 1 })),
    scheduledtime: timestamp('Start time, such as "tomorrow 09:00"', { ...sortable, flag: 'at' }),
    search_id: orNull(
      int('Saved search to send to', {
        default: null,
        refersTo: 'search',
        flag: 'search',
      }),
    ),
    size: int('Number of subscriptions when the task was created; the actual recipients can differ'),
    splittest_id: orNull(int('Its split test')),
    cdate: creationTime(),
  },
  methods: {
    get: {},
    head: {
      attributes: ['id', 'cancelled', 'channel', 'completed', 'list_id', 'message_id', 'name'],
    },
    post: {
      required: ['channel', 'message_id', 'name', 'scheduledtime', 'list_id', 'search_id'],
      optional: ['rate'],
    },
    put: {
      optional: ['cancelled', 'list_id', 'name', 'scheduledtime', 'search_id'],
    },
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

/** Returns the name of a task, or its id if the name is empty. */
export const formatTaskName = ({ name, id }: TaskRecord): string =>
  typeof name === 'string' && name.trim() !== '' ? name : `Task ${String(id)}`;

/**
 * Returns the phase of a task from its record.
 * @param now Unix seconds by the service's clock
 */
export function taskPhase(record: TaskRecord, now: number): Phase {
  if (record.cancelled) return 'cancelled';
  if (record.completed) return 'completed';
  return now < record.scheduledtime ? 'scheduled' : 'sending';
}

/**
 * Returns the status of a task. A completed task is `stopped` if the credits ran out before the service had sent all messages. svc can
 * detect this only for a task with a rate, a maximum number of messages per hour. Such a task is `stopped` if the service could not have
 * sent all messages at that rate before the task ended. Any other completed task is `completed`.
 * @param now Unix seconds by the service's clock
 */
export function taskStatus(record: TaskRecord, now: number): TaskStatus {
  const phase = taskPhase(record, now);
  return phase === 'completed' && maxMessagesByRate(record) < record.size ? 'stopped' : phase;
}

/**
 * Returns the maximum number of messages that the rate allowed until the task ended. A service may count hours from the start of the task
 * or by the clock, and may send all messages of an hour at once. So an hour that has begun counts as a whole hour, and one more hour is
 * added.
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

/**
 * Returns the time until which a task prevents the deletion of its list, in Unix seconds. Returns undefined if the list can be deleted now.
 * For a task that has not ended, svc assumes the earliest possible end: the service sends as fast as the task's `rate` allows, or sends all
 * messages at once if the task has no rate.
 * @param now Unix seconds by the service's clock
 */
export function computeEndOfListDeletionBlock(record: TaskRecord, now: number): number | undefined {
  const start = Math.ceil(record.scheduledtime);
  const end = endOf(record, start, now);
  // A task that was cancelled before it began was never sent.
  if (record.cancelled && end < start) return undefined;
  const until = end + LIST_DELETION_BLOCK_SECONDS;
  return until > now ? until : undefined;
}

function endOf(record: TaskRecord, start: number, now: number): number {
  if ((record.completed || record.cancelled) && record.endtime != null) return record.endtime;
  return Math.max(now, start + duration(record));
}

/** Returns the seconds from the first message of a task to its last message. */
function duration({ rate, size }: TaskRecord): number {
  if (rate == null || rate <= 0 || size == null || size <= 1) return 0;
  return 60 * Math.floor(((size - 1) * 60) / rate);
}

/** Two tasks clash if fewer than this number of seconds are between their times. */
export const TASK_CLASH_WINDOW_SECONDS = 3600;

/**
 * Returns, for each task that clashes, the other tasks with which it clashes (contract, "Insight": `task calendar`). Two tasks clash if
 * they use the same list or the same search and their times are less than an hour apart. The same people would then get both messages.
 * Tasks of different channels can clash, cancelled tasks never clash.
 * @param records tasks in the order of their times
 */
export function findTaskClashes<T extends TaskRecord>(records: readonly T[]): ReadonlyMap<T, readonly T[]> {
  const clashes = new Map<T, T[]>();
  const note = (record: T, other: T): void => {
    clashes.set(record, [...(clashes.get(record) ?? []), other]);
  };
  for (const [at, record] of records.entries()) {
    for (let next = at + 1; next < records.length; next += 1) {
      const other = records[next];
      if (other === undefined || other.scheduledtime - record.scheduledtime >= TASK_CLASH_WINDOW_SECONDS)
        break;
      if (!isSameTarget(record, other)) continue;
      note(record, other);
      note(other, record);
    }
  }
  return new Map([...clashes].map(([record, others]) => [record, inOrder(others)]));
}

const isSameTarget = (record: TaskRecord, other: TaskRecord): boolean =>
  !(record.cancelled || other.cancelled) &&
  ((record.list_id != null && record.list_id === other.list_id) ||
    (record.search_id != null && record.search_id === other.search_id));

const inOrder = <T extends TaskRecord>(records: readonly T[]): readonly T[] =>
  [...records].sort((a, b) => a.scheduledtime - b.scheduledtime);

/** Name of a statistic, as scripts read it. */
export type StatisticName = 'bounces' | 'opens' | 'clicks' | 'unsubscriptions' | 'complaints';

type StatisticAttribute = Extract<keyof TaskRecord, `${Channel}unique${StatisticName}`>;

/** A statistic, and the attribute of a task that holds it. */
export interface Statistic {
  readonly attribute: StatisticAttribute;
  readonly name: StatisticName;
}

/** Statistics, in the order in which their events happen: a bounce comes first. An SMS task has only bounces. */
export const STATISTICS: readonly Statistic[] = [
  { attribute: 'emailuniquebounces', name: 'bounces' },
  { attribute: 'smsuniquebounces', name: 'bounces' },
  { attribute: 'emailuniqueopens', name: 'opens' },
  { attribute: 'emailuniqueclicks', name: 'clicks' },
  { attribute: 'emailuniqueunsubscriptions', name: 'unsubscriptions' },
  { attribute: 'emailuniquecomplaints', name: 'complaints' },
];

/** Order in which reports show the results: positive ones first. */
const RESULTS: readonly StatisticName[] = ['opens', 'clicks', 'unsubscriptions', 'bounces', 'complaints'];

/**
 * Sorts rows of statistics for reports: the number of recipients (`size`) first, then positive results such as opens, then negative results
 * such as bounces.
 */
export const sortStatisticRows = <T extends { readonly statistic: string }>(
  rows: readonly T[],
): readonly T[] =>
  ['size', ...RESULTS].flatMap((wanted) => rows.find(({ statistic }) => statistic === wanted) ?? []);

/**
 * Returns the statistics of a new task: 0 for each statistic of its channel. The statistics of the other channel are null and not returned
 * (interface, task).
 */
export const zeroTaskStatistics = (channel: Channel): Readonly<Record<string, number>> =>
  Object.fromEntries(
    STATISTICS.filter(({ attribute }) => attribute.startsWith(channel)).map(({ attribute }) => [
      attribute,
      0,
    ]),
  );

/** Returns the attributes of a task that hold this statistic: one for each channel that has the statistic. */
export const taskAttributesOfStatistic = (statistic: StatisticName): readonly StatisticAttribute[] =>
  STATISTICS.filter(({ name }) => name === statistic).map(({ attribute }) => attribute);

/** Returns the verb that says what the counted recipients did: `bounced` in `3 of 400 recipients bounced`. */
export function pastTenseOfStatistic(name: StatisticName): string {
  switch (name) {
    case 'bounces':
      return 'bounced';
    case 'opens':
      return 'opened';
    case 'clicks':
      return 'clicked';
    case 'unsubscriptions':
      return 'unsubscribed';
    case 'complaints':
      return 'complained';
    default:
      return assertNever(name);
  }
}
