/** What recipients would do, and the clock that they do it by. */

import type { Group } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { controlVerb, type Param } from './control-verb.ts';

const subscriber: Param = {
  name: 'subscriber',
  kind: 'id',
  describe: 'Subscriber who does it',
  required: true,
};
const task: Param = { name: 'task', kind: 'id', describe: 'Task that sent the message', required: true };
const outcome: readonly Column[] = [
  { name: 'event' },
  { name: 'subscriber' },
  { name: 'time', kind: 'timestamp' },
];

export const event: Group = {
  name: 'event',
  summary: 'Do what a recipient would do',
  commands: [
    controlVerb({
      operation: 'event open',
      summary: 'Open a message',
      example: 'event open --message 1 --subscriber 12',
      params: [
        { name: 'message', kind: 'id', describe: 'E-mail message', required: true },
        subscriber,
        { name: 'task', kind: 'id', describe: 'Task that sent it' },
      ],
      columns: outcome,
    }),
    controlVerb({
      operation: 'event click',
      summary: 'Click a link',
      example: 'event click --link 1 --subscriber 12',
      params: [{ name: 'link', kind: 'id', describe: 'Link of a message', required: true }, subscriber],
      columns: outcome,
    }),
    controlVerb({
      operation: 'event subscribe',
      summary: 'Join a list',
      example: 'event subscribe --list 1 --subscriber 12',
      params: [{ name: 'list', kind: 'id', describe: 'List to join', required: true }, subscriber],
      columns: outcome,
    }),
    ...(['unsubscribe', 'complaint', 'bounce'] as const).map((kind) =>
      controlVerb({
        operation: `event ${kind}`,
        summary: { unsubscribe: 'Unsubscribe', complaint: 'Report as unwanted', bounce: 'Bounce' }[kind],
        example: `event ${kind} --task 1 --subscriber 12`,
        params: [task, subscriber],
        columns: outcome,
      }),
    ),
    controlVerb({
      operation: 'event date',
      summary: 'Give a date rule its date for a subscriber',
      example: 'event date --rule 1 --subscriber 12 --at "2026-12-24 09:00"',
      params: [
        { name: 'rule', kind: 'id', describe: 'Date rule', required: true },
        subscriber,
        { name: 'at', kind: 'time', describe: 'The date', required: true },
      ],
      columns: outcome,
    }),
    controlVerb({
      operation: 'event sms-in',
      summary: 'Send an SMS to a destination',
      example: 'event sms-in --to 447700900990 --from 447700900001 --text "HARBOUR COFFEE"',
      params: [
        { name: 'to', kind: 'text', value: 'number', describe: 'Destination', required: true },
        { name: 'from', kind: 'text', value: 'msisdn', describe: 'Number of the sender', required: true },
        { name: 'text', kind: 'text', describe: 'What is sent', required: true },
      ],
      columns: [{ name: 'event' }, { name: 'company' }, { name: 'rules' }],
    }),
    controlVerb({
      operation: 'event failed-login',
      summary: 'Log in with a wrong password; the third time in a row locks the user',
      example: 'event failed-login --username tom',
      params: [
        { name: 'username', kind: 'text', value: 'name', describe: 'Who tries to log in', required: true },
      ],
      columns: [{ name: 'username' }, { name: 'failed', kind: 'number' }, { name: 'locked', kind: 'bool' }],
    }),
  ],
};

const clockColumns: readonly Column[] = [
  { name: 'clock' },
  { name: 'time', kind: 'timestamp' },
  { name: 'zone' },
  { name: 'done', kind: 'number' },
];

export const clock: Group = {
  name: 'clock',
  summary: "See and move the sandbox's clock",
  commands: [
    controlVerb({
      operation: 'clock show',
      summary: 'Show what time it is in the sandbox',
      example: 'clock show',
      columns: clockColumns,
    }),
    controlVerb({
      operation: 'clock set',
      summary: 'Move the clock to a time, and do what falls due until then',
      example: 'clock set "2026-12-24 09:00"',
      positional: { name: 'time', kind: 'time', describe: 'Time to move to' },
      columns: clockColumns,
    }),
    controlVerb({
      operation: 'clock advance',
      summary: 'Move the clock on, and do what falls due meanwhile',
      example: 'clock advance 2d',
      positional: { name: 'duration', as: 'seconds', kind: 'seconds', describe: 'How far: 90m, 2d, 1w' },
      columns: clockColumns,
    }),
    controlVerb({
      operation: 'clock run',
      summary: 'Move on from one due time to the next until nothing is left',
      example: 'clock run',
      columns: clockColumns,
    }),
  ],
};
