/** Runs POST /account, with which a partner creates a company (interface, "account"; wire, "Authentication, where open"). */
import { type JsonObject, okBody } from '../../protocol/envelope.ts';
import type { Naming } from '../../protocol/naming.ts';
import { invalid } from '../../protocol/service-errors.ts';
import { account } from '../../resources/account.ts';
import { checkPayload } from '../../schema/validator.ts';
import type { Body } from '../request/body.ts';
import { onTheWire, presentRow, tooLargeToKeep, toSqlRow } from '../request/present.ts';
import { partnerById } from '../store/identity.ts';
import type { Db } from '../store/open.ts';
import { insertRow, selectRows } from '../store/rows.ts';
import { sourceOf } from '../store/sources.ts';

export async function createAccount(
  service: {
    readonly db: Db;
    readonly now: number;
    readonly naming: Naming;
    readonly random: (octets: number) => Uint8Array;
  },
  partnerId: number,
  body: Body,
): Promise<string> {
  const { db, now, naming, random } = service;
  const { values, findings } = checkPayload(account, 'POST', 'partner', body, naming);
  const faults = [...findings, ...tooLargeToKeep(account, values)];
  if (faults.length > 0) throw invalid(faults);
  const partner = await partnerById(db, partnerId);
  const id = await insertRow(db, 'account', {
    timezone: partner?.timezone ?? 'UTC',
    country: UNKNOWN_COUNTRY,
    ...toSqlRow(values),
    partner_id: partnerId,
    api_key: Buffer.from(random(16)).toString('hex'),
    cdate: now,
    mdate: now,
  });
  return okBody(await shown(db, id, naming));
}

/** The country of a new account. It must be a string of two letters (Interface, account); ISO 3166-1 reserves these for private use. */
const UNKNOWN_COUNTRY = 'ZZ';

async function shown(db: Db, accountId: number, naming: Naming): Promise<JsonObject> {
  const viewer = { accountId, userId: null, isAdmin: true, restricted: false };
  const [row] = await selectRows(db, sourceOf('account', viewer));
  if (!row) throw new Error(`account ${accountId} was deleted within its own request`);
  return onTheWire(presentRow(account, row), naming);
}
