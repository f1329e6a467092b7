/** Fills a new data folder. */
import type { Naming } from '../../service/protocol/naming.ts';
import { firstCompanyId } from '../store/accounts.ts';
import type { Store } from '../store/open.ts';
import { insertRow } from '../store/rows.ts';
import { seedDemo } from './demo.ts';
import type { SeedOptions } from './demo-company.ts';

export const SEEDS = ['demo', 'empty'] as const;

export type Seed = (typeof SEEDS)[number];

/** Fills an empty store in one transaction, and returns true. A store with a company stays unchanged. */
export async function seedStore(
  store: Store,
  seed: Seed,
  environment: {
    readonly now: number;
    readonly naming: Naming;
    readonly random: (octets: number) => Uint8Array;
  },
): Promise<boolean> {
  const key = (octets: number): string => Buffer.from(environment.random(octets)).toString('hex');
  if ((await firstCompanyId(store.db)) !== undefined) return false;
  return store.transaction(async (db) => {
    // Another process may have filled it meanwhile.
    if ((await firstCompanyId(db)) !== undefined) return false;
    const options = { db, now: environment.now, naming: environment.naming, key };
    await FILL[seed](options);
    return true;
  });
}

/** Creates one partner, and one company with an admin: the minimum for signed requests. */
async function seedEmpty({ db, now, key }: SeedOptions): Promise<void> {
  const timezone = 'UTC';
  const partner_id = await insertRow(db, 'partner', { name: 'Partner', api_key: key(20), timezone });
  const times = { cdate: now, mdate: now };
  const account_id = await insertRow(db, 'account', {
    partner_id,
    api_key: key(16),
    name: 'Company',
    contactemail: 'office@example.com',
    country: 'GB',
    goaltrackingdomain: 'links.example.com',
    timezone,
    user_limit: 10,
    ...times,
  });
  const name = { username: 'admin', firstname: 'Admin', lastname: 'User', email: 'admin@example.com' };
  await insertRow(db, 'user', { account_id, ...name, isadmin: 1, timezone, ...times });
}

const FILL: Readonly<Record<Seed, (options: SeedOptions) => Promise<void>>> = {
  demo: seedDemo,
  empty: seedEmpty,
};
