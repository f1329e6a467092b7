/**
 * Types of the operations of the control plane, and the code that runs them. An operation on a company runs in one transaction; the default
 * is the first company.
 */

import {
  checkParameter,
  defaultParameterValue,
  PARAMETER_KINDS,
  type ParameterKind,
  type Parsed,
} from '../../kit/schema/parameter.ts';
import type { Parameter } from '../../service/protocol/control/operation.ts';
import {
  CONTROL_OPERATIONS,
  type ControlArguments,
  type ControlOperationName,
  type ControlOperationScope,
  type ControlResult,
  controlOperationNamed,
  type OperationNameOfNoun,
} from '../../service/protocol/control.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import { createInvalidRequestError, createNotFoundError } from '../../service/protocol/service-errors.ts';
import { readRuleReference } from '../../service/resources/rule-kinds.ts';
import type { DataDir, SandboxEndpoint } from '../data/data-dir.ts';
import { readServiceTime } from '../engine/clock.ts';
import type { EngineOptions } from '../engine/tick.ts';
import type { FaultInjection } from '../fault-injection.ts';
import type { PageSessions } from '../http/page-sessions.ts';
import type { RequestLog } from '../http/request-log.ts';
import type { Account } from '../request/call.ts';
import type { Service } from '../service.ts';
import { accountById, firstCompanyId } from '../store/accounts.ts';
import type { Db, TransactionScope } from '../store/open.ts';

/** The parts of a sandbox that its operations use. An operation on the whole sandbox makes its own transactions. */
export interface ControlContext {
  readonly service: Service;
  readonly engine: EngineOptions;
  readonly naming: Naming;
  readonly faultInjection: FaultInjection;
  readonly requests: RequestLog;
  readonly dataDir: DataDir;
  readonly sessions: PageSessions;
  readonly behindProxy: boolean;
  readonly endpoint: () => SandboxEndpoint;
  /** Stops the sandbox after the response to this request is sent. */
  readonly askToStop: () => void;
}

/** The context of an operation on one company, in one transaction. */
export interface ControlCall {
  readonly db: Db;
  readonly account: Account;
  /** Current time of the service's clock, in Unix seconds. */
  readonly now: number;
  readonly trackingBaseUrl: string;
  readonly random: (octets: number) => Uint8Array;
  readonly naming: Naming;
}

/** The operations by name. The compiler checks them against the declarations. */
export type Operations<Name extends ControlOperationName = ControlOperationName> = {
  readonly [N in Name]: (
    context: ControlOperationScope<N> extends 'company' ? ControlCall : ControlContext,
    args: ControlArguments<N>,
  ) => Promise<ControlResult<N>>;
};

interface SentArguments {
  readonly company?: unknown;
  readonly [name: string]: unknown;
}

/** Runs an operation whose name is known only at run time. Its declaration is used to read the arguments. */
export function runOperationInContext(
  operations: Operations,
  name: ControlOperationName,
  context: ControlContext | ControlCall,
  requestArguments: SentArguments,
): Promise<unknown> {
  // The function under a name takes the context and the arguments that are declared under that name.
  const run = operations[name] as (context: ControlContext | ControlCall, args: unknown) => Promise<unknown>;
  return run(context, readArguments(name, requestArguments));
}

export type ControlOperationsForNoun<Noun extends string> = Operations<OperationNameOfNoun<Noun>>;

/** `zone` is the company's; UTC for an operation on the whole sandbox. Throws `ServiceError` if the operation is refused. */
export async function runOperationForRequest(
  sandbox: ControlContext,
  operations: Operations,
  name: ControlOperationName,
  requestArguments: SentArguments,
) {
  const { service } = sandbox;
  if (controlOperationNamed(name).scope === 'sandbox')
    return { data: await runOperationInContext(operations, name, sandbox, requestArguments), zone: 'UTC' };
  const { store } = service;
  const companyId = readCompanyId(requestArguments) ?? (await firstCompanyId(store.db)) ?? 0;
  return store.transaction(
    async (db) => {
      const call = await createControlCall(sandbox, db, companyId);
      return {
        data: await runOperationInContext(operations, name, call, requestArguments),
        zone: call.account.timezone,
      };
    },
    chooseTransactionScope(controlOperationNamed(name).reads === true, companyId),
  );
}

/** Returns the scope of the transaction in which an operation on a company runs. An operation that only reads takes no lock. */
export const chooseTransactionScope = (isReading: boolean, companyId: number): TransactionScope =>
  isReading ? { kind: 'read' } : { kind: 'account', id: companyId };

/** Throws `ServiceError` 404 if the company does not exist. */
export async function createControlCall(
  { service, naming }: ControlContext,
  db: ControlCall['db'],
  companyId: number,
): Promise<ControlCall> {
  const account = await accountById(db, companyId);
  if (!account) throw createNotFoundError(`Company ${companyId}`);
  const now = await readServiceTime(db, service.environment.machineNow());
  const { environment } = service;
  return {
    db,
    account,
    now,
    trackingBaseUrl: environment.trackingBaseUrl(),
    random: environment.random,
    naming,
  };
}

export const isOperationName = (name: string): name is ControlOperationName =>
  Object.hasOwn(CONTROL_OPERATIONS, name);

/** Returns the declared arguments in their canonical form. Ignores arguments that are not declared. */
export function readArguments<Name extends ControlOperationName>(
  name: Name,
  given: SentArguments,
): ControlArguments<Name> {
  const read = Object.entries(controlOperationNamed(name).parameters).flatMap(([argument, parameter]) => {
    const value = readArgument(argument, parameter, given[argument]);
    return value === undefined ? [] : [[argument, value] as const];
  });
  // The loop above visits the declaration from which the type is derived.
  return Object.fromEntries(read) as ControlArguments<Name>;
}

function readCompanyId({ company }: SentArguments): number | undefined {
  return company === undefined || company === null
    ? undefined
    : accepted('company', PARAMETER_KINDS.id.check(company, {}));
}

export const readMsisdnArgument = (argument: string, given: unknown): string =>
  accepted(argument, PARAMETER_KINDS.msisdn.check(given, {}));

export const readEmailAddressArgument = (argument: string, given: unknown): string =>
  accepted(argument, PARAMETER_KINDS.email.check(given, {}));

const refused = (attribute: string, reason: string) => createInvalidRequestError([{ attribute, reason }]);

function accepted<T>(argument: string, checked: Parsed<T>): T {
  if ('fault' in checked) throw refused(argument, checked.fault.reason);
  return checked.value;
}

function readArgument(
  name: string,
  parameter: Parameter,
  given: unknown,
): ReturnType<typeof defaultParameterValue> {
  if (given !== undefined && given !== null)
    return accepted(name, checkParameter(withRules(parameter), given));
  if (parameter.required) throw refused(name, 'is required');
  return defaultParameterValue(parameter);
}

/** Adds a check to a parameter that names a rule: the kind of the rule must exist. */
const withRules = (parameter: ParameterKind): ParameterKind =>
  parameter.kind === 'rule'
    ? { ...parameter, isRule: (text) => readRuleReference(text) !== undefined }
    : parameter;
