/** A command of the control plane, as one function over what the sandbox holds. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { DataDir, Whereabouts } from '../data/data-dir.ts';
import type { EngineOptions } from '../engine/tick.ts';
import type { Misbehaviours } from '../fault-injection.ts';
import type { Account } from '../request/call.ts';
import type { Service } from '../service.ts';
import type { Db } from '../store/open.ts';
import type { Arguments } from './arguments.ts';

/** The sandbox as its own doors see it. */
export interface Controlled {
  readonly service: Service;
  readonly engine: EngineOptions;
  readonly naming: Naming;
  readonly misbehaviours: Misbehaviours;
  readonly dataDir: DataDir;
  readonly whereabouts: () => Whereabouts;
  /** It ends once this request is answered. */
  readonly askToStop: () => void;
}

/** One command within one company, in one transaction. */
export interface ControlCall {
  readonly db: Db;
  readonly account: Account;
  /** The service's clock, Unix seconds. */
  readonly now: number;
  readonly trackingBase: string;
  readonly naming: Naming;
}

export type Answer = JsonObject | readonly JsonObject[];

export type Operation =
  | { readonly of: 'company'; readonly run: (call: ControlCall, args: Arguments) => Promise<Answer> }
  /** Of the sandbox as a whole; makes its own transactions. */
  | { readonly of: 'sandbox'; readonly run: (sandbox: Controlled, args: Arguments) => Promise<Answer> };

/** By name: `list create`. */
export type Operations = Readonly<Record<string, Operation>>;

export const ofCompany = (run: (call: ControlCall, args: Arguments) => Promise<Answer>): Operation => ({
  of: 'company',
  run,
});

export const ofSandbox = (run: (sandbox: Controlled, args: Arguments) => Promise<Answer>): Operation => ({
  of: 'sandbox',
  run,
});
