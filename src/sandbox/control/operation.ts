/** The operations of the control plane (protocol/control.ts), each as one function over what the sandbox holds. */
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
import type { RequestLog } from '../http/request-log.ts';
import type { PageSessions } from '../pages/sessions.ts';
import type { Account } from '../request/call.ts';
import type { Service } from '../service.ts';
import type { Db } from '../store/open.ts';
import { readArguments } from './arguments.ts';

/** The sandbox as its own doors see it; an operation of it makes its own transactions. */
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
  /** It ends once this request is answered. */
  readonly askToStop: () => void;
}

/** One operation within one company, in one transaction. */
export interface ControlCall {
  readonly db: Db;
  readonly account: Account;
  /** The service's clock, Unix seconds. */
  readonly now: number;
  readonly trackingBase: string;
  readonly random: (octets: number) => Uint8Array;
  readonly naming: Naming;
}

/** What each takes and answers is as it is declared: one too few or too many doesn't compile. */
export type Operations<Name extends OperationName = OperationName> = {
  readonly [N in Name]: (
    context: ScopeOf<N> extends 'company' ? ControlCall : ControlContext,
    args: ControlArguments<N>,
  ) => Promise<ControlResult<N>>;
};

/** One whose name is known at run time alone; its arguments are read by its declaration. */
export function runOperation(
  operations: Operations,
  name: OperationName,
  context: ControlContext | ControlCall,
  given: JsonObject,
): Promise<Json> {
  // What stands under a name takes the context and the arguments that are declared under it.
  const run = operations[name] as (context: ControlContext | ControlCall, args: unknown) => Promise<Json>;
  return run(context, readArguments(name, given));
}

/** Those of some nouns. */
export type OperationsOf<Noun extends string> = Operations<OperationOf<Noun>>;
