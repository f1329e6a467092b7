/** Runs one operation in one transaction, for the named company or otherwise the first. All entry points use it. */
import { type OperationName, operationOf } from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { notFound } from '../../protocol/service-errors.ts';
import { serviceNow } from '../engine/clock.ts';
import { firstCompanyId } from '../store/control.ts';
import { accountById } from '../store/identity.ts';
import type { Scope } from '../store/open.ts';
import { readCompany } from './arguments.ts';
import { type ControlCall, type ControlContext, type Operations, runOperation } from './operation.ts';

export interface Ran {
  readonly data: Json;
  /** The company's time zone; UTC for an operation on the whole sandbox. */
  readonly zone: string;
}

/** Runs the operation and returns its result. @throws ServiceError if it is refused */
export async function runAsked(
  sandbox: ControlContext,
  operations: Operations,
  name: OperationName,
  given: JsonObject,
): Promise<Ran> {
  const { service } = sandbox;
  if (operationOf(name).of === 'sandbox')
    return { data: await runOperation(operations, name, sandbox, given), zone: 'UTC' };
  const { store } = service;
  const companyId = readCompany(given) ?? (await firstCompanyId(store.db)) ?? 0;
  return store.transaction(
    async (db) => {
      const call = await controlCallOf(sandbox, db, companyId);
      return { data: await runOperation(operations, name, call, given), zone: call.account.timezone };
    },
    scopeOf(operationOf(name).reads === true, companyId),
  );
}

/** Returns the scope of the transaction. Reads take no lock. */
export const scopeOf = (isReading: boolean, companyId: number): Scope =>
  isReading ? { kind: 'read' } : { kind: 'account', id: companyId };

/** Returns the context of an operation on one company. @throws ServiceError 404 if the company does not exist */
export async function controlCallOf(
  { service, naming }: ControlContext,
  db: ControlCall['db'],
  companyId: number,
): Promise<ControlCall> {
  const account = await accountById(db, companyId);
  if (!account) throw notFound(`Company ${companyId}`);
  const now = await serviceNow(db, service.outside.machineNow());
  const { outside } = service;
  return { db, account, now, trackingBase: outside.trackingBase(), random: outside.random, naming };
}
