/**
 * Declares sandbox operations that show how many recipients received the message of a task, and which recipients the task left out. The
 * interface does not report these facts.
 */
import { AFTER_ID_PARAMETER, type ControlOperation, PAGE_LIMIT_PARAMETER } from './operation.ts';

const WHICH = { kind: 'id', given: 'place', describe: 'Task id', required: true } as const;

/** Reasons why a task leaves out a recipient, by name, with the most permanent reason first. */
export const LEFT_OUT_RECIPIENT_REASONS = {
  'no-address': 'the subscriber has no address for the channel',
  suspended: 'the subscriber is suspended for the channel',
  'do-not-contact': 'the address is on Do Not Contact',
  'sent-before': 'the address already received the message, when it belonged to a deleted subscriber',
  stopped: 'the task ended before it reached the subscriber',
  later: 'the subscriber could receive the message now, but could not when the task reached them',
} as const;

export type LeftOutRecipientReason = keyof typeof LEFT_OUT_RECIPIENT_REASONS;

export const TASK_OPERATIONS = {
  'task show': {
    summary: 'Show how many recipients a task reached',
    about:
      'Shows how many recipients have received the message so far, and how many the task left out. Also shows the credits used and, if the task ended early, the reason. svc task get does not show these numbers, because the service does not report them',
    example: 'task show 2',
    scope: 'company',
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
    about: `Lists the subscribers in the order of their ids. Each reason follows from the present data of the subscriber. The reasons are ${Object.entries(
      LEFT_OUT_RECIPIENT_REASONS,
    )
      .map(([reason, words]) => `${reason} (${words})`)
      .join('; ')}`,
    example: 'task skipped 2',
    scope: 'company',
    parameters: {
      id: WHICH,
      after: AFTER_ID_PARAMETER,
      limit: PAGE_LIMIT_PARAMETER,
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
