/** Reads and takes credits of an account, by channel. */
import type { Channel } from '../../resources/task.ts';
import { sql } from './driver/sql.ts';

import type { Db } from './open.ts';
import { selectRequiredRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Returns the balance. For e-mail, returns Infinity if the account's feature enableemailcredits is off. */
export async function loadCreditBalance(db: Db, accountId: number, channel: Channel): Promise<number> {
  const account = await selectRequiredRow(
    db,
    sql<
      Pick<Row<'account'>, 'emailcreditbalance' | 'smscreditbalance' | 'enableemailcredits'>
    >`select emailcreditbalance, smscreditbalance, enableemailcredits from account where id = ${accountId}`,
  );
  if (channel === 'sms') return account.smscreditbalance;
  return account.enableemailcredits === 1 ? account.emailcreditbalance : Number.POSITIVE_INFINITY;
}

/** Takes this number of credits and returns true. If the balance is too low, takes no credits and returns false. */
export async function takeCredits(
  db: Db,
  accountId: number,
  channel: Channel,
  credits: number,
): Promise<boolean> {
  const balance = await loadCreditBalance(db, accountId, channel);
  if (credits > balance) return false;
  if (balance === Number.POSITIVE_INFINITY) return true;
  const column = sql.ref(channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance');
  await db.run(sql`update account set ${column} = ${column} - ${credits} where id = ${accountId}`);
  return true;
}
