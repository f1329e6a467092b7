/** The sandbox that is compared with a model: signed requests, commands of the control plane, its clock, restarts. */

import { randomBytes } from 'node:crypto';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { operations } from '../../../src/sandbox/control/all.ts';
import { runOperationInContext } from '../../../src/sandbox/control/operation.ts';
import { readServiceTime } from '../../../src/sandbox/engine/clock.ts';
import { advanceClockTo, runDueWork } from '../../../src/sandbox/engine/tick.ts';
import { createService } from '../../../src/sandbox/service.ts';
import { accountById } from '../../../src/sandbox/store/accounts.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import type { Store } from '../../../src/sandbox/store/open.ts';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import { insertRow, updateRow } from '../../../src/sandbox/store/rows.ts';
import { type ControlOperationName, controlOperationNamed } from '../../../src/service/protocol/control.ts';
import type { JsonObject } from '../../../src/service/protocol/json.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { ServiceError } from '../../../src/service/protocol/service-errors.ts';
import { type Answer, createTestSandbox, IDS, NOW, readAnswer, signed } from '../../support/sandbox.ts';
import { fillStore } from './start.ts';

export interface Real {
  readonly send: (method: Method, target: string, body?: unknown) => Promise<Answer>;
  /** Runs a command of the control plane. Returns its HTTP status and the id of its record. */
  readonly control: (
    name: ControlOperationName,
    args: JsonObject,
  ) => Promise<{ readonly status: number; readonly id: number }>;
  /** Inserts a row that neither the interface nor the control plane can create. */
  readonly put: (table: 'do_not_contact' | 'profile_data', row: SqlRow) => Promise<number>;
  readonly suspend: (subscriber: number, set: SqlRow) => Promise<void>;
  /** Performs all work until that time. With `cutAfter` the process ends after that many steps, and another one continues. */
  readonly advance: (until: number, cutAfter?: number) => Promise<void>;
  readonly settle: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Returns one value of a select. */
  readonly read: (query: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** The number of recipients in a step of a task. It is small, so that a step ends in the middle of a list. */
const BATCH = 3;
const machineNow = () => NOW * 1000;
const outside = {
  machineNow,
  random: (octets: number) => randomBytes(octets),
  trackingBaseUrl: () => 'http://127.0.0.1:4010',
  report: (_: string, error: unknown) => {
    throw error;
  },
};

/** @param reopen opens the store after a restart; without it, a restart makes a new service over the same store */
export async function createReal(first: Store, reopen?: () => Promise<Store>): Promise<Real> {
  await createTestSandbox({ store: first });
  await fillStore(first);
  let store = first;
  let service = createService(store, outside);
  const engine = { machineNow, batch: BATCH };
  const restart = async (): Promise<void> => {
    if (reopen) {
      await store.close();
      store = await reopen();
    }
    service = createService(store, outside);
  };
  return {
    send: async (method, target, body) =>
      readAnswer(await service.handle(signed('admin', method, target, body)), method),
    control: (name, args) => control(store, name, args),
    put: (table, row) => insertRow(store.db, table, row),
    suspend: (subscriber, set) => updateRow(store.db, 'subscriber', subscriber, set),
    advance: async (until, cutAfter) => {
      if (cutAfter !== undefined) {
        await advanceClockTo(cutOff(store, cutAfter), until, engine).catch((error: unknown) => {
          if (!(error instanceof CutOff)) throw error;
        });
        await restart();
      }
      await advanceClockTo(store, until, engine);
    },
    settle: async () => {
      await runDueWork(store, engine);
    },
    restart,
    read: async (query) => {
      const text = store.isShared ? inPostgres(query) : query;
      const rows = await store.db.all(sql.raw<{ readonly value: string }>(text));
      return rows[0]?.value ?? '';
    },
    close: () => store.close(),
  };
}

async function control(store: Store, name: ControlOperationName, args: JsonObject) {
  if (controlOperationNamed(name).scope !== 'company') throw new Error(`no command ${name} of a company`);
  try {
    const data = await store.transaction(async (db) => {
      const account = await accountById(db, IDS.company);
      if (!account) throw new Error('the company is gone');
      const now = await readServiceTime(db, machineNow());
      const { trackingBaseUrl, random } = outside;
      const call = {
        db,
        account,
        now,
        trackingBaseUrl: trackingBaseUrl(),
        random,
        naming: DEFAULT_WIRE_NAMING,
      };
      return runOperationInContext(operations, name, call, args);
    });
    return { status: 200, id: Number(Object(data).id) };
  } catch (error) {
    if (error instanceof ServiceError) return { status: error.status, id: 0 };
    throw error;
  }
}

/** Replaces SQLite's functions for JSON by those of PostgreSQL. */
const inPostgres = (query: string): string =>
  `select cast(value as text) as value from (${query
    .replaceAll('json_object(', 'json_build_object(')
    .replaceAll('json_array(', 'json_build_array(')
    .replaceAll('json_group_array(', 'json_agg(')}) v`;

class CutOff extends Error {}

/** Wraps the store. After `allowed` transactions, the next one is rolled back at its end, as if the process ended. */
function cutOff(store: Store, allowed: number): Store {
  let left = allowed;
  return {
    ...store,
    transaction: (work) =>
      store.transaction(async (db) => {
        const result = await work(db);
        if (left === 0) throw new CutOff();
        left -= 1;
        return result;
      }),
  };
}
