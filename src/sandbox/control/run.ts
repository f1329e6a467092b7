/** One operation as it was asked for, by whatever door: of the company that is named, else of the first, in one transaction. */
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
  /** Of the company; UTC where it is of the sandbox as a whole. */
  readonly zone: string;
}

/** @throws ServiceError where it is refused */
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

/** What only looks waits for nobody. */
export const scopeOf = (isReading: boolean, companyId: number): Scope =>
  isReading ? { kind: 'read' } : { kind: 'account', id: companyId };

/** @throws ServiceError 404 where there is no such company */
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
