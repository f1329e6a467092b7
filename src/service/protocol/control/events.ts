/** Operations that simulate what recipients do, and operations that show and move the clock of the sandbox. */
import { MAX_SIMULATED_RECIPIENTS_SEED } from './audience.ts';
import type { ControlOperation } from './operation.ts';

const WHO = {
  kind: 'reference',
  placeholder: 'id|address|number',
  describe: 'Subscriber: id, e-mail or phone number',
} as const;
const ONE = { ...WHO, required: true } as const;
const TASK = { kind: 'reference', describe: 'Task that sent the message: id or name' } as const;
const SENT_BY = { ...TASK, required: true } as const;

/** Duration in whole seconds. People write it with a unit, such as `2h`. */
const DURATION = { kind: 'duration', unit: 'seconds', whole: true, needsUnit: true } as const;

/**
 * Arguments of an event, such as an open, that many recipients of a task cause, instead of a single subscriber. `share` is the percentage
 * of the recipients who cause the event.
 */
const AUDIENCE_PARAMETERS = {
  share: { kind: 'percent', describe: 'Share of the recipients of the task, such as 35%' },
  over: {
    ...DURATION,
    min: '1s',
    max: '366d',
    describe: 'Spread the events over this time, such as 2d (default: all now)',
  },
  seed: {
    kind: 'count',
    min: 0,
    max: MAX_SIMULATED_RECIPIENTS_SEED,
    describe: 'Seed for the choice of recipients (default: 1)',
  },
} as const;

/**
 * Columns of the result of an event: `why`, and `automations`. Each automation has `rule`, `name`, `matched`, `action`, `target`,
 * `queued` (Unix seconds or null), `done` and `why`.
 */
const EVENT_RESULT_COLUMNS = [{ name: 'why' }, { name: 'automations' }] as const;

const OUTCOME = [
  { name: 'event' },
  { name: 'subscriber' },
  { name: 'time', kind: 'timestamp' },
  ...EVENT_RESULT_COLUMNS,
] as const;

const CLOCK_COLUMNS = [{ name: 'clock' }, { name: 'time', kind: 'timestamp' }] as const;
const MOVED_COLUMNS = [...CLOCK_COLUMNS, { name: 'done', kind: 'number' }] as const;

export const SIMULATED_EVENT_OPERATIONS = {
  'event open': {
    summary: 'Simulate opens of an e-mail message',
    example: 'event open --task "November news" --share 35%',
    scope: 'company',
    parameters: {
      task: TASK,
      message: { kind: 'reference', describe: "E-mail message: id or name (default: the task's message)" },
      subscriber: WHO,
      ...AUDIENCE_PARAMETERS,
    },
    columns: OUTCOME,
  },
  'event click': {
    summary: 'Simulate clicks on a link',
    example: 'event click --link 4 --subscriber 12',
    scope: 'company',
    parameters: {
      task: TASK,
      link: { kind: 'id', describe: "Link id, from svc link list (default: links in the task's message)" },
      subscriber: WHO,
      ...AUDIENCE_PARAMETERS,
    },
    columns: OUTCOME,
  },
  'event subscribe': {
    summary: 'Simulate a subscription to a list',
    example: 'event subscribe --list 1 --subscriber 12',
    scope: 'company',
    parameters: {
      list: { kind: 'reference', describe: 'List: id or name', required: true },
      subscriber: ONE,
    },
    columns: OUTCOME,
  },
  'event unsubscribe': {
    summary: 'Simulate unsubscriptions',
    about: 'Adds the address to Do Not Contact, and deletes the subscriber',
    example: 'event unsubscribe --task 2 --subscriber 12',
    scope: 'company',
    parameters: { task: SENT_BY, subscriber: WHO, ...AUDIENCE_PARAMETERS },
    columns: OUTCOME,
  },
  'event complaint': {
    summary: 'Simulate complaints about a message',
    example: 'event complaint --task 2 --subscriber 12',
    scope: 'company',
    parameters: { task: SENT_BY, subscriber: WHO, ...AUDIENCE_PARAMETERS },
    columns: OUTCOME,
  },
  'event bounce': {
    summary: 'Simulate bounces',
    example: 'event bounce --task 2 --subscriber 12',
    scope: 'company',
    parameters: { task: SENT_BY, subscriber: WHO, ...AUDIENCE_PARAMETERS },
    columns: OUTCOME,
  },
  'event date': {
    summary: "Set a subscriber's date, such as a birthday, for a date rule",
    about:
      'A date rule acts before, on or after a date of a subscriber, such as a birthday; ' +
      'this command sets that date',
    example: 'event date --rule 1 --subscriber 12 --at "tomorrow 09:00"',
    scope: 'company',
    parameters: {
      rule: { kind: 'id', describe: 'Id of the date rule', required: true },
      subscriber: ONE,
      at: {
        kind: 'time',
        describe: 'Date to set for the subscriber, such as "tomorrow 09:00"',
        required: true,
      },
    },
    columns: [
      { name: 'event' },
      { name: 'subscriber' },
      { name: 'rule' },
      { name: 'at', kind: 'timestamp' },
      ...EVENT_RESULT_COLUMNS,
    ],
  },
  'event sms-in': {
    summary: 'Simulate an inbound SMS',
    example: 'event sms-in --to 447700900990 --from 447700900001 --text "HARBOUR COFFEE"',
    scope: 'sandbox',
    parameters: {
      to: {
        kind: 'text',
        placeholder: 'number',
        describe: 'Destination: phone number or shortcode',
        required: true,
      },
      from: { kind: 'msisdn', placeholder: 'msisdn', describe: "Sender's phone number", required: true },
      text: { kind: 'text', describe: 'Text of the SMS', required: true },
      company: { kind: 'id', given: 'global', describe: 'Company whose destination it is' },
    },
    columns: [
      { name: 'event' },
      { name: 'company' },
      { name: 'rules' },
      { name: 'time', kind: 'timestamp' },
      ...EVENT_RESULT_COLUMNS,
    ],
  },
  'event failed-login': {
    summary: 'Simulate a failed login',
    about: 'The third failed login in a row locks the user',
    example: 'event failed-login --username tom',
    scope: 'company',
    parameters: { username: { kind: 'text', placeholder: 'name', describe: 'Username', required: true } },
    columns: [
      { name: 'username' },
      { name: 'failed', kind: 'number' },
      { name: 'locked', kind: 'bool' },
      ...EVENT_RESULT_COLUMNS,
    ],
  },
  'clock show': {
    summary: 'Show the time in the sandbox',
    example: 'clock show',
    // Times are read in the zone of the company.
    scope: 'company',
    parameters: {},
    columns: [...CLOCK_COLUMNS, { name: 'zone' }],
    reads: true,
  },
  'clock set': {
    summary: 'Set a manual clock to a later time and run everything due until then',
    example: 'clock set "tomorrow 09:00"',
    scope: 'sandbox',
    parameters: {
      time: {
        kind: 'time',
        given: 'place',
        describe: 'Time to set, such as "tomorrow 09:00"',
        required: true,
      },
    },
    columns: MOVED_COLUMNS,
    long: true,
  },
  'clock advance': {
    summary: 'Advance a manual clock by a duration and run everything due until then',
    example: 'clock advance 2d',
    scope: 'sandbox',
    parameters: {
      seconds: {
        ...DURATION,
        min: '0s',
        nameInCommand: 'duration',
        given: 'place',
        describe: 'Length of time, such as 90m, 2d or 1w',
        required: true,
      },
    },
    columns: MOVED_COLUMNS,
    long: true,
  },
  'clock run': {
    summary: 'Advance a manual clock until nothing more is due',
    example: 'clock run',
    scope: 'sandbox',
    parameters: {},
    columns: MOVED_COLUMNS,
    long: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
