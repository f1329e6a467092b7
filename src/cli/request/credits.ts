/**
 * The service charges credits when it sends (interface, smsMessage and task). A quota or an overage (an
 * overdraft), which svc cannot read, may pay for sends beyond the balance, so svc only warns about too few credits.
 */

import { ClientError } from '../../client/requests/errors.ts';
import { creditsInWords, readCreditBalance, type SmsText } from '../../client/sends/cost.ts';
import { formatCountWithNoun, groupThousands } from '../../kit/text/words.ts';
import { accountFeatures } from '../../service/resources/account-features.ts';
import type { Channel } from '../../service/resources/task.ts';
import type { Input } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Notes, ServiceAccess, Tell } from '../session/ports.ts';

/** Without it, svc only warns if the balance is too low. */
export const checkCreditsFlag = switchFlag('check-credits', {
  describe: 'Do not send if the account has too few credits',
});

/** Prints alphabet, parts, credits, and possible savings on stderr, unless `--quiet` (contract, "Insight"). */
export async function printSmsCostLine(
  session: Notes,
  sms: SmsText | undefined,
  recipients?: number,
): Promise<void> {
  if (!sms || sms.text === '') return;
  const { formatSmsCostLine } = await import('./sms-words.ts');
  await session.info(formatSmsCostLine(sms.text, sms.extraOctets, recipients));
}

/** Credits. The balance is lower than the need. */
export interface CreditShortage {
  readonly need: number;
  readonly balance: number;
}

/** Undefined if the balance covers `need`. Requests the balance only once per run. */
export async function findCreditShortage(
  session: ServiceAccess,
  channel: Channel,
  need: number,
): Promise<CreditShortage | undefined> {
  const balance = await balanceOf(session, channel);
  if (balance >= need) return undefined;
  return channel === 'email' && (await areEmailsFreeOfCharge(session)) ? undefined : { need, balance };
}

/** Requests the balance only once per run. @throws CliError if the account has no balance for the channel */
export async function balanceOf(session: ServiceAccess, channel: Channel): Promise<number> {
  const balance = readCreditBalance(await session.account(), channel);
  if (balance !== undefined) return balance;
  throw new CliError('unknown', 'the account shows no balance', { exit: EXIT.failed });
}

/** False if svc cannot find out (interface, accountFeatures: enableemailcredits). */
export async function areEmailsFreeOfCharge(session: ServiceAccess): Promise<boolean> {
  return (await readWhetherEmailsAreFreeOfCharge(session).catch(() => undefined)) ?? false;
}

/** Undefined if the caller may not read the features. @throws any other error */
export async function readWhetherEmailsAreFreeOfCharge(session: ServiceAccess): Promise<boolean | undefined> {
  try {
    return (await (await session.client()).single(accountFeatures)).enableemailcredits === false;
  } catch (error) {
    if (error instanceof ClientError && error.status === 403) return undefined;
    throw error;
  }
}

/** Returns `3 of 1,500 SMS credits`, or only `3 credits` if the balance is unknown or too low. */
export async function formatCreditPrice(session: ServiceAccess, need: number): Promise<string> {
  const balance = await balanceOf(session, 'sms').catch(() => undefined);
  return balance === undefined || balance < need
    ? formatCountWithNoun(need, 'credit', groupThousands(need))
    : `${groupThousands(need)} of ${creditsInWords(balance, 'sms')}`;
}

/** Returns `, with 1,500 SMS credits left`. Empty if the balance is unknown or does not matter. */
export async function formatCreditBalance(session: ServiceAccess, channel: Channel): Promise<string> {
  const balance = await balanceOf(session, channel).catch(() => undefined);
  if (balance === undefined || balance < 0) return '';
  if (
    channel === 'email' &&
    (await readWhetherEmailsAreFreeOfCharge(session).catch(() => undefined)) !== false
  )
    return '';
  return `, with ${creditsInWords(balance, channel)} left`;
}

/** Returns `needs 447 e-mail credits, and the balance is 1`. */
export function formatCreditShortage({ need, balance }: CreditShortage, channel: Channel): string {
  return `needs ${creditsInWords(need, channel)}, and the balance is ${groupThousands(balance)}`;
}

/** `words` name the send and its shortage: `task 5 needs 447 e-mail credits …`. */
export const tooFewCreditsError = (words: string): CliError =>
  new CliError('too-few-credits', `${words}; nothing was sent`, {
    exit: EXIT.usage,
    hint: 'Buy credits, or leave out --check-credits. Run svc account get to see the balances.',
  });

/** The warning names `sendName`, such as `the SMS`. @throws CliError for too low a balance with `--check-credits` */
export async function checkSmsCredits(
  session: Tell & ServiceAccess,
  input: Input,
  sendName: string,
  credits: number,
): Promise<void> {
  const isChecked = input.get(checkCreditsFlag);
  try {
    const shortage = await findCreditShortage(session, 'sms', credits);
    if (!shortage) return;
    const words = `${sendName} ${formatCreditShortage(shortage, 'sms')}`;
    if (isChecked) throw tooFewCreditsError(words);
    await session.warn([
      `Too few credits: ${words}.`,
      'Unless a quota or an overdraft (overage) pays for the missing credits, some SMS will fail.',
    ]);
  } catch (error) {
    if (isChecked) throw error;
    await session.warn(
      `cannot check whether the balance covers ${sendName}: ${session.explain(error).message}`,
    );
  }
}
