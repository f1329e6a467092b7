/**
 * Declares each operation of the sandbox's control plane once. The command line derives its verbs from these operations. The sandbox
 * derives its routes (`POST /control/<noun>/<verb>`, never under /v1) and its checks of arguments.
 */
import { SIMULATED_EVENT_OPERATIONS } from './control/events.ts';
import { FAULT_OPERATIONS } from './control/faults.ts';
import {
  OUTBOX_OPERATIONS,
  QUEUE_OPERATIONS,
  RECEIVED_REQUEST_OPERATIONS,
  SANDBOX_LOG_OPERATIONS,
  SNAPSHOT_OPERATIONS,
  STATUS_OPEN_AND_STOP_OPERATIONS,
} from './control/observe.ts';
import type {
  CheckedArgumentsOf,
  ControlOperation,
  OperationResultOf,
  RequestArgumentsOf,
} from './control/operation.ts';
import { COMPANY_OPERATIONS, RECORD_OPERATIONS } from './control/records.ts';
import { TASK_OPERATIONS } from './control/tasks.ts';
import { SANDBOX_TOKEN_OPERATIONS } from './control/tokens.ts';

/** Operations by name. A name is a noun and a verb, such as `list create`. */
export const CONTROL_OPERATIONS = {
  ...STATUS_OPEN_AND_STOP_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...COMPANY_OPERATIONS,
  ...SIMULATED_EVENT_OPERATIONS,
  ...QUEUE_OPERATIONS,
  ...OUTBOX_OPERATIONS,
  ...RECEIVED_REQUEST_OPERATIONS,
  ...TASK_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...SANDBOX_LOG_OPERATIONS,
  ...SNAPSHOT_OPERATIONS,
  ...SANDBOX_TOKEN_OPERATIONS,
} as const satisfies Readonly<Record<string, ControlOperation>>;

type All = typeof CONTROL_OPERATIONS;

export type ControlOperationName = keyof All;

/** Nouns of operations, such as `list` and `event`. `status` is not a noun, because it has no verb. */
export type ControlNoun = ControlOperationName extends infer Name
  ? Name extends `${infer Noun} ${string}`
    ? Noun
    : never
  : never;

/** Names of the operations of a noun: `list create` for `list`. For `status`, which has no verb, the name itself. */
export type OperationNameOfNoun<Noun extends string> = Extract<
  ControlOperationName,
  Noun | `${Noun} ${string}`
>;

/** Scope of an operation: one company, or the whole sandbox. */
export type ControlOperationScope<Name extends ControlOperationName> = All[Name]['scope'];

/** Arguments of an operation after they were checked. */
export type ControlArguments<Name extends ControlOperationName> = CheckedArgumentsOf<All[Name]>;

/** Arguments in a request for an operation, without `company`. Only the required arguments must be present. */
export type ControlRequest<Name extends ControlOperationName> = RequestArgumentsOf<All[Name]>;

export type ControlResult<Name extends ControlOperationName> = OperationResultOf<All[Name]>;

export const controlOperationNames = Object.keys(CONTROL_OPERATIONS) as readonly ControlOperationName[];

/**
 * Returns the declaration of the operation with this name. The type of the result also has the optional properties that only some
 * operations set.
 */
export const controlOperationNamed = (name: ControlOperationName): ControlOperation =>
  CONTROL_OPERATIONS[name];
