/** Types and dispatch for the operations of the control plane (protocol/control.ts). Each operation is one function. */
import type {
  ControlArguments,
  ControlResult,
  OperationName,
  OperationOf,
  ScopeOf,
} from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { DataDir, SandboxEndpoint } from '../data/data-dir.ts';
import type { EngineOptions } from '../engine/tick.ts';
import type { FaultInjection } from '../fault-injection.ts';
import type { PageSessions } from '../http/page-sessions.ts';
import type { RequestLog } from '../http/request-log.ts';
import type { Account } from '../request/call.ts';
import type { Service } from '../service.ts';
import type { Db } from '../store/open.ts';
import { readArguments } from './arguments.ts';

/** The sandbox as its operations see it. An operation on the whole sandbox makes its own transactions. */
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
  /** The service's clock, Unix seconds. */
  readonly now: number;
  readonly trackingBase: string;
  readonly random: (octets: number) => Uint8Array;
  readonly naming: Naming;
}

/** The operations by name. Their declarations fix arguments and results: a missing or an extra operation doesn't compile. */
export type Operations<Name extends OperationName = OperationName> = {
  readonly [N in Name]: (
    context: ScopeOf<N> extends 'company' ? ControlCall : ControlContext,
    args: ControlArguments<N>,
  ) => Promise<ControlResult<N>>;
};

/** Runs an operation whose name is known only at run time. Its declaration is used to read the arguments. */
export function runOperation(
  operations: Operations,
  name: OperationName,
  context: ControlContext | ControlCall,
  given: JsonObject,
): Promise<Json> {
  // The function under a name takes the context and the arguments that are declared under that name.
  const run = operations[name] as (context: ControlContext | ControlCall, args: unknown) => Promise<Json>;
  return run(context, readArguments(name, given));
}

/** The operations of some nouns. */
export type OperationsOf<Noun extends string> = Operations<OperationOf<Noun>>;
