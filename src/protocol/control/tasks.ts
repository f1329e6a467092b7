/**
 * Reads facts about a task that the interface does not show: the number of recipients that it was really sent to, and the recipients that
 * it skipped.
 */
import { type ControlOperation, PAGE_LIMIT } from './operation.ts';

const WHICH = { kind: 'id', given: 'place', describe: 'Task id', required: true } as const;

/** Reasons why a task skips a recipient, the most permanent one first. */
export const LEFT_OUT = {
  'no-address': 'has no address for the channel',
  suspended: 'is suspended for the channel',
  'do-not-contact': 'is on Do Not Contact',
  'sent-before': 'received it as another subscriber, since deleted',
  stopped: 'the task ended before their turn',
  later: 'could not receive it at their turn, but could now',
} as const;

export type LeftOut = keyof typeof LEFT_OUT;

export const TASK_OPERATIONS = {
  'task show': {
    summary: 'Show how many recipients a task reached',
    about:
      'Shows how many recipients were sent to and left out so far, the credits used, and why the task ended early. svc task get shows what the service reports',
    example: 'task show 2',
    of: 'company',
    parameters: { id: WHICH },
    columns: [
      { name: 'id', kind: 'number' },
      { name: 'name' },
      { name: 'channel' },
      { name: 'size', kind: 'number' },
      { name: 'started', kind: 'bool' },
      { name: 'sent', kind: 'number' },
      { name: 'skipped', kind: 'number' },
      { name: 'credits', kind: 'number' },
      { name: 'stopped' },
    ],
    reads: true,
  },
  'task skipped': {
    summary: 'List the subscribers that a task leaves out, and why',
    about: `Shows the current state, in the order of ids. ${Object.entries(LEFT_OUT)
      .map(([reason, words]) => `${reason}: ${words}`)
      .join('; ')}`,
    example: 'task skipped 2',
    of: 'company',
    parameters: {
      id: WHICH,
      after: {
        kind: 'count',
        min: 0,
        max: 1e15,
        default: 0,
        given: 'computed',
        describe: 'Only higher ids',
      },
      limit: PAGE_LIMIT,
    },
    columns: [
      { name: 'subscriber', kind: 'number' },
      { name: 'email' },
      { name: 'msisdn' },
      { name: 'reason' },
      { name: 'entry' },
    ],
    empty: 'The task leaves out no subscribers.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
