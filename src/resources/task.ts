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
import { defineResource } from '../schema/resource.ts';
import { exactlyOne } from '../schema/rules.ts';
import { type TaskStatus, taskStatus } from './task-status.ts';

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
  status: { from: ['cancelled', 'completed'], of: taskStatus, common: COMMON },
  columns: ['id', 'name', 'status', 'scheduledtime', 'size', 'channel', 'message_id', 'list_id', 'search_id'],
});
