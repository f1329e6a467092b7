/** Dispatches single SMS that are due, or marks them failed (interface, sms; src/protocol/README.md, "Single SMS"). */
import { measureSms } from '../../../text/gsm.ts';
import { takeCredits } from '../../store/credits.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import { firstDue, smsById } from '../../store/due-work.ts';
import type { Db } from '../../store/open.ts';
import { insertRow, updateRow } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import type { DueWork } from '../due.ts';

export const singleSms: DueWork = {
  kind: 'sms',
  next: (db, accountId) => firstDue(db, 'sms', accountId),
  run: async (db, { id }, now) => {
    const sms = await smsById(db, id);
    if (!sms) return;
    if (sms.tried !== null) return fail(db, sms, now, 'no network took it within two weeks');
    const obstacle = await obstacleTo(db, sms);
    if (obstacle !== undefined) return fail(db, sms, now, obstacle);
    if (isUndeliverable(sms.msisdn))
      return updateRow(db, 'sms', id, { tried: now, due: now + UNDELIVERABLE_SECONDS });
    await updateRow(db, 'sms', id, { dispatched: 1, due: null, mdate: now });
    await deliver(db, sms, now);
  },
};

/** Interface, "States": undeliverable messages with valid destinations time out after two weeks. */
const UNDELIVERABLE_SECONDS = 14 * 86_400;

/** Reports whether no network of the sandbox knows the number. These are ten of the numbers that are reserved for fiction. */
const isUndeliverable = (msisdn: string): boolean => /^1202555019[0-9]$/.test(msisdn);

async function fail(db: Db, { id }: Row<'sms'>, now: number, why: string): Promise<void> {
  await updateRow(db, 'sms', id, { failed: 1, due: null, mdate: now });
  await insertRow(db, 'log', { time: now, kind: 'sms', text: `SMS ${id} failed: ${why}` });
}

/** Returns the reason why the SMS can't be sent. Takes the credits if it can. */
async function obstacleTo(db: Db, sms: Row<'sms'>): Promise<string | undefined> {
  if (await isBlocked(db, sms.account_id, { msisdn: sms.msisdn })) return 'on Do Not Contact';
  const { credits } = measureSms(sms.message);
  if (!(await takeCredits(db, sms.account_id, 'sms', credits))) return 'too few sms credits';
  return undefined;
}

async function deliver(db: Db, sms: Row<'sms'>, now: number): Promise<void> {
  await insertRow(db, 'delivery', {
    account_id: sms.account_id,
    channel: 'sms',
    recipient: sms.msisdn,
    sender: sms.fromaddress,
    body: sms.message,
    time: now,
    cause: 'sms',
    cause_id: sms.id,
  });
}
