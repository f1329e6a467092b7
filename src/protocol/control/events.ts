/** What recipients would do, and the clock that they do it by. */
import type { ControlOperation } from './operation.ts';

const WHO = { kind: 'id', describe: 'Subscriber who does it', required: true } as const;
const SENT_BY = { kind: 'id', describe: 'Task that sent the message', required: true } as const;
/** The newest task that sent the message to the subscriber, unless given. */
const MAYBE_SENT_BY = { kind: 'id', describe: 'Task that sent it' } as const;

const OUTCOME = [{ name: 'event' }, { name: 'subscriber' }, { name: 'time', kind: 'timestamp' }] as const;

const CLOCK_COLUMNS = [{ name: 'clock' }, { name: 'time', kind: 'timestamp' }] as const;
const MOVED_COLUMNS = [...CLOCK_COLUMNS, { name: 'done', kind: 'number' }] as const;

export const EVENT_OPERATIONS = {
  'event open': {
    summary: 'Open a message',
    example: 'event open --message 1 --subscriber 12',
    of: 'company',
    parameters: {
      message: { kind: 'id', describe: 'E-mail message', required: true },
      subscriber: WHO,
      task: MAYBE_SENT_BY,
    },
    columns: OUTCOME,
  },
  'event click': {
    summary: 'Click a link',
    example: 'event click --link 1 --subscriber 12',
    of: 'company',
    parameters: {
      link: { kind: 'id', describe: 'Link of a message', required: true },
      subscriber: WHO,
      task: MAYBE_SENT_BY,
    },
    columns: OUTCOME,
  },
  'event subscribe': {
    summary: 'Join a list',
    example: 'event subscribe --list 1 --subscriber 12',
    of: 'company',
    parameters: { list: { kind: 'id', describe: 'List to join', required: true }, subscriber: WHO },
    columns: OUTCOME,
  },
  'event unsubscribe': {
    summary: 'Unsubscribe',
    example: 'event unsubscribe --task 1 --subscriber 12',
    of: 'company',
    parameters: { task: SENT_BY, subscriber: WHO },
    columns: OUTCOME,
  },
  'event complaint': {
    summary: 'Report as unwanted',
    example: 'event complaint --task 1 --subscriber 12',
    of: 'company',
    parameters: { task: SENT_BY, subscriber: WHO },
    columns: OUTCOME,
  },
  'event bounce': {
    summary: 'Bounce',
    example: 'event bounce --task 1 --subscriber 12',
    of: 'company',
    parameters: { task: SENT_BY, subscriber: WHO },
    columns: OUTCOME,
  },
  'event date': {
    summary: 'Give a date rule its date for a subscriber',
    example: 'event date --rule 1 --subscriber 12 --at "2026-12-24 09:00"',
    of: 'company',
    parameters: {
      rule: { kind: 'id', describe: 'Date rule', required: true },
      subscriber: WHO,
      at: { kind: 'time', describe: 'The date', required: true },
    },
    columns: [{ name: 'event' }, { name: 'subscriber' }, { name: 'rule' }, { name: 'at', kind: 'timestamp' }],
  },
  'event sms-in': {
    summary: 'Send an SMS to a destination',
    example: 'event sms-in --to 447700900990 --from 447700900001 --text "HARBOUR COFFEE"',
    of: 'sandbox',
    parameters: {
      to: { kind: 'text', placeholder: 'number', describe: 'Destination', required: true },
      from: { kind: 'msisdn', placeholder: 'msisdn', describe: 'Number of the sender', required: true },
      text: { kind: 'text', describe: 'What is sent', required: true },
      company: { kind: 'id', given: 'global', describe: 'Company whose destination it is' },
    },
    columns: [{ name: 'event' }, { name: 'company' }, { name: 'rules' }],
  },
  'event failed-login': {
    summary: 'Log in with a wrong password; the third time in a row locks the user',
    example: 'event failed-login --username tom',
    of: 'company',
    parameters: {
      username: { kind: 'text', placeholder: 'name', describe: 'Who tries to log in', required: true },
    },
    columns: [{ name: 'username' }, { name: 'failed', kind: 'number' }, { name: 'locked', kind: 'bool' }],
  },
  'clock show': {
    summary: 'Show what time it is in the sandbox',
    example: 'clock show',
    // It is the company's zone that times are read in.
    of: 'company',
    parameters: {},
    columns: [...CLOCK_COLUMNS, { name: 'zone' }],
    reads: true,
  },
  'clock set': {
    summary: 'Move the clock to a time, and do what falls due until then',
    example: 'clock set "2026-12-24 09:00"',
    of: 'sandbox',
    parameters: { time: { kind: 'time', given: 'place', describe: 'Time to move to', required: true } },
    columns: MOVED_COLUMNS,
    long: true,
  },
  'clock advance': {
    summary: 'Move the clock on, and do what falls due meanwhile',
    example: 'clock advance 2d',
    of: 'sandbox',
    parameters: {
      seconds: {
        kind: 'seconds',
        min: 0,
        // A hundred years ahead is a slip of the finger.
        max: 100 * 366 * 86_400,
        called: 'duration',
        given: 'place',
        describe: 'How far: 90m, 2d, 1w',
        required: true,
      },
    },
    columns: MOVED_COLUMNS,
    long: true,
  },
  'clock run': {
    summary: 'Move on from one due time to the next until nothing is left',
    example: 'clock run',
    of: 'sandbox',
    parameters: {},
    columns: MOVED_COLUMNS,
    long: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
