/** The sandbox's demo company in memory, as `sandbox start` makes it, and credentials for its requests. */

import { createHash } from 'node:crypto';
import { setClockMode } from '../../src/sandbox/engine/clock.ts';
import { seedStore } from '../../src/sandbox/seed/seed.ts';
import { createService } from '../../src/sandbox/service.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { Db } from '../../src/sandbox/store/open.ts';
import { selectRequiredRow } from '../../src/sandbox/store/rows.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { DEFAULT_WIRE_NAMING } from '../../src/service/protocol/naming.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { NOW } from './sandbox.ts';
import { openTestStore } from './store.ts';

export interface DemoService {
  readonly transport: Transport;
  readonly db: Db;
  /** The environment of the company's admin, and of the partner acting for it. */
  readonly admin: Readonly<Record<string, string | undefined>>;
  readonly partner: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes the same records, ids and times each time, because the random octets are counted.
 * @param now Unix seconds of its stopped clock
 */
export async function openDemoService(now = NOW): Promise<DemoService> {
  const store = await openTestStore(`demo-${now}`, async (empty) => {
    await seedStore(empty, 'demo', { now, naming: DEFAULT_WIRE_NAMING, random: countedRandom('demo') });
    await setClockMode(empty.db, 'manual', now * 1000);
  });
  const random = countedRandom('service');
  const service = createService(
    store,
    {
      machineNow: () => now * 1000,
      random,
      trackingBaseUrl: () => 'http://127.0.0.1:4010',
      report: (_, error) => {
        throw error;
      },
    },
    DEFAULT_WIRE_NAMING,
  );
  const account = await selectRequiredRow(
    store.db,
    sql<Pick<Row<'account'>, 'api_key'>>`select api_key from account where id = 1`,
  );
  const partner = await selectRequiredRow(
    store.db,
    sql<Pick<Row<'partner'>, 'api_key'>>`select api_key from partner where id = 1`,
  );
  const base = { SVC_BASE_URL: 'https://api.example.com', SVC_COMPANY_ID: '1' };
  return {
    transport: (request) => service.handle(request),
    db: store.db,
    admin: { ...base, SVC_USER_ID: '1', SVC_API_KEY: account.api_key },
    partner: {
      ...base,
      SVC_API_KEY: undefined,
      SVC_USER_ID: undefined,
      SVC_PARTNER_ID: '1',
      SVC_PARTNER_API_KEY: partner.api_key,
    },
  };
}

/** Returns octets that differ from call to call and are the same in every run. */
function countedRandom(what: string): (octets: number) => Uint8Array {
  let count = 0;
  return (octets) => {
    count += 1;
    return createHash('sha512').update(`${what} ${count}`).digest().subarray(0, octets);
  };
}
