/** Reads and changes records as the company's admin would through the interface, with the same checks, in this process. */

import type { Values } from '../../kit/schema/resource.ts';
import { readEnvelope } from '../../service/protocol/envelope.ts';
import { DEFAULT_WIRE_NAMING } from '../../service/protocol/naming.ts';
import { ServiceError } from '../../service/protocol/service-errors.ts';
import { catalogue } from '../../service/resources/catalogue.ts';
import { type SandboxResource, sandboxOnlyResources } from '../../service/resources/companions.ts';
import type { ResourceBehaviour } from '../behaviours/behaviour.ts';
import { behaviours } from '../behaviours/index.ts';
import type { ControlCall } from '../control/operation.ts';
import { readRecordsForRequest } from '../operations/read.ts';
import {
  createRecordFromRequest,
  deleteRecordFromRequest,
  updateRecordFromRequest,
} from '../operations/write.ts';
import type { Call } from '../request/call.ts';
import type { RecordNamed } from '../request/present.ts';
import { adminOf } from '../store/accounts.ts';

type Name = SandboxResource['name'];

/** The records of a company, as its admin sees them. Each function runs in its own transaction and may throw a `ServiceError`. */
export interface CompanyRecords {
  /** Returns the records for a query of `GET /v1/<resource>`, under the interface's names of attributes even if this sandbox has others. */
  readonly find: <N extends Name>(
    resource: N,
    query?: Readonly<Record<string, string | number>>,
  ) => Promise<readonly RecordNamed<N>[]>;
  readonly change: (resource: Name, id: number, values: Values) => Promise<void>;
  /** Returns the new record, as the only one of an array. */
  readonly create: <N extends Name>(resource: N, values: Values) => Promise<readonly RecordNamed<N>[]>;
  readonly remove: (resource: Name, id: number) => Promise<void>;
}

/** Runs work on a company in a transaction. */
export type InCompany = <T>(isReading: boolean, work: (call: ControlCall) => Promise<T>) => Promise<T>;

export function createCompanyRecords(inCompany: InCompany): CompanyRecords {
  const request = async <N extends Name>(
    name: N,
    isReading: boolean,
    work: (call: Call, behaviour: ResourceBehaviour) => Promise<string>,
  ): Promise<readonly RecordNamed<N>[]> => {
    const body = await inCompany(isReading, async (call) =>
      work(await adminCall(call, name), behaviours[name]),
    );
    const answer = readEnvelope(body);
    if (answer.kind !== 'ok') throw new Error('a response of the service holds no record');
    return [answer.data].flat() as readonly RecordNamed<N>[];
  };
  return {
    find: async (name, wanted = {}) => {
      const pairs = Object.entries(wanted).map(([key, value]): [string, string] => [key, String(value)]);
      const query = String(new URLSearchParams(pairs));
      try {
        return await request(name, true, (...of) => readRecordsForRequest(...of, undefined, query));
      } catch (error) {
        if (error instanceof ServiceError && error.status === 404) return [];
        throw error;
      }
    },
    create: (name, values) => request(name, false, (...of) => createRecordFromRequest(...of, '', values)),
    change: async (name, id, values) => {
      await request(name, false, (...of) => updateRecordFromRequest(...of, id, '', values));
    },
    remove: async (name, id) => {
      await request(name, false, (...of) => deleteRecordFromRequest(...of, id, '', {}));
    },
  };
}

async function adminCall(
  { db, account, now, trackingBaseUrl, random }: ControlCall,
  name: Name,
): Promise<Call> {
  const resource = [...catalogue, ...sandboxOnlyResources].find((each) => each.name === name);
  if (!resource) throw new Error(`${name} is not a resource`);
  const admin = await adminOf(db, account.id);
  return {
    ...{ db, resource, now, trackingBaseUrl, naming: DEFAULT_WIRE_NAMING, random, prepared: {} },
    caller: {
      ...{ as: 'company', partnerId: null, account, accountId: account.id },
      ...{ userId: admin?.id ?? null, isAdmin: true, restricted: false },
    },
  };
}
