/**
 * Declares each operation of the sandbox's control plane once. The command line derives its verbs from these operations. The sandbox
 * derives its routes (`POST /control/<noun>/<verb>`, never under /v1) and its checks of arguments.
 */
import { keysOf } from '../../kit/text/json-object.ts';
import { SIMULATED_EVENT_OPERATIONS } from './control/events.ts';
import { FAULT_OPERATIONS } from './control/faults.ts';
import {
  MESSAGE_OPERATIONS,
  OUTBOX_OPERATIONS,
  QUEUE_OPERATIONS,
  RECEIVED_REQUEST_OPERATIONS,
  SANDBOX_LOG_OPERATIONS,
  SNAPSHOT_OPERATIONS,
  STATUS_OPEN_AND_STOP_OPERATIONS,
} from './control/observe.ts';
import {
  type CheckedArgumentsOf,
  type ControlOperation,
  NAME_COLUMN,
  type OperationResultOf,
  type RequestArgumentsOf,
} from './control/operation.ts';
import { COMPANY_OPERATIONS, RECORD_OPERATIONS, TASK_OPERATIONS } from './control/records.ts';

export const SANDBOX_TOKEN_ROLES = ['control', 'outbox'] as const;
export type SandboxTokenRole = (typeof SANDBOX_TOKEN_ROLES)[number];

const TOKEN_COLUMNS = [NAME_COLUMN, { name: 'role' }, { name: 'cdate', kind: 'timestamp' }] as const;

const SANDBOX_TOKEN_OPERATIONS = {
  'token create': {
    summary: 'Create a token with which a program can control the sandbox',
    about:
      'Programs on other machines use a token to call POST /control/<noun>/<verb>, with the header Authorization: Bearer TOKEN. A token of the role control can do everything except manage tokens. A token of the role outbox can read the outbox, the queue and the clock. svc shows the token only once; the sandbox keeps only its hash',
    example: 'token create --name ci --role outbox',
    scope: 'sandbox',
    parameters: {
      name: { kind: 'text', describe: 'Name: lower-case letters, digits, - and _', required: true },
      role: {
        kind: 'choice',
        choices: SANDBOX_TOKEN_ROLES,
        placeholder: 'role',
        describe: 'Permissions of the token',
        required: true,
      },
    },
    columns: [...TOKEN_COLUMNS, { name: 'token' }],
  },
  'token list': {
    summary: 'List the tokens with which programs control the sandbox',
    example: 'token list',
    scope: 'sandbox',
    parameters: {},
    columns: TOKEN_COLUMNS,
    empty: 'There are no tokens yet.',
    reads: true,
  },
  'token revoke': {
    summary: 'Revoke a token with which programs control the sandbox',
    about: 'The sandbox rejects the token from the next request on',
    example: 'token revoke ci',
    scope: 'sandbox',
    parameters: { name: { kind: 'text', given: 'place', describe: 'Name of the token', required: true } },
    columns: [NAME_COLUMN],
    destroys: 'revoke the token {name}',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

/** Operations by name. A name is a noun and a verb, such as `list create`. */
export const CONTROL_OPERATIONS = {
  ...STATUS_OPEN_AND_STOP_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...COMPANY_OPERATIONS,
  ...SIMULATED_EVENT_OPERATIONS,
  ...QUEUE_OPERATIONS,
  ...OUTBOX_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...RECEIVED_REQUEST_OPERATIONS,
  ...TASK_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...SANDBOX_LOG_OPERATIONS,
  ...SNAPSHOT_OPERATIONS,
  ...SANDBOX_TOKEN_OPERATIONS,
} as const satisfies Readonly<Record<string, ControlOperation>>;

type All = typeof CONTROL_OPERATIONS;

export type ControlOperationName = keyof All;

/** `status` is not a noun, because it has no verb. */
export type ControlNoun = ControlOperationName extends infer Name
  ? Name extends `${infer Noun} ${string}`
    ? Noun
    : never
  : never;

/** For `status`, which has no verb, the name itself. */
export type OperationNameOfNoun<Noun extends string> = Extract<
  ControlOperationName,
  Noun | `${Noun} ${string}`
>;

export type ControlOperationScope<Name extends ControlOperationName> = All[Name]['scope'];

export type ControlArguments<Name extends ControlOperationName> = CheckedArgumentsOf<All[Name]>;

/** Only the required arguments must be present. */
export type ControlRequest<Name extends ControlOperationName> = RequestArgumentsOf<All[Name]>;

export type ControlResult<Name extends ControlOperationName> = OperationResultOf<All[Name]>;

export const controlOperationNames = keysOf(CONTROL_OPERATIONS);

/**
 * Returns the declaration of the operation with this name. The type of the result also has the optional properties that only some
 * operations set.
 */
export const controlOperationNamed = (name: ControlOperationName): ControlOperation =>
  CONTROL_OPERATIONS[name];
