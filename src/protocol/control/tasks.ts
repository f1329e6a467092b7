/** Facts about a task that the interface lacks: how many recipients it was really sent to, and who was left out. */
import { type ControlOperation, PAGE_LIMIT } from './operation.ts';

const WHICH = { kind: 'id', given: 'place', describe: 'Task id', required: true } as const;

/** Reasons why a task skips a recipient, most lasting first. */
export const LEFT_OUT = {
  'no-address': 'has no address of the channel',
  suspended: 'is suspended for the channel',
  'do-not-contact': 'is on Do Not Contact',
  'sent-before': 'got it as another subscriber, who was deleted since',
  stopped: 'the task ended before their turn',
  later: 'could not be sent to at their turn, and can by now',
} as const;

export type LeftOut = keyof typeof LEFT_OUT;

export const TASK_OPERATIONS = {
  'task show': {
    summary: 'Show how many a task was sent to',
    about:
      'Sent to and left out so far, the credits that it took, and why it ended early; task get shows what the service does',
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
    summary: 'List who a task leaves out, and why',
    about: `As things stand now, in the order of their ids. ${Object.entries(LEFT_OUT)
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
        describe: 'Those whose ids are higher',
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
    empty: 'The task leaves nobody out.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
