/**
 * Compares the cost of a send with the balance: one credit per e-mail, one per part and recipient of an SMS, charged when it is sent
 * (interface, smsMessage and task). A quota or overage, which the interface mentions but does not show, may pay for more. So too few
 * credits are a warning, and an error only with `--check-credits`.
 */
import { ClientError } from '../../client/errors.ts';
import { accountFeatures } from '../../resources/account-features.ts';
import { balanceIn, type Channel, creditsInWords, type SmsText } from '../../sends/cost.ts';
import { grouped } from '../../text/words.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Session } from '../session/session.ts';

export const creditsFlag = switchFlag('check-credits', {
  describe: 'Refuse to send if credits run short',
});

/**
 * Prints one line on stderr, unless `--quiet`: alphabet, parts, credits, and possible savings (contract, "Insight").
 * @param recipients undefined if the number is unknown
 */
export async function printSmsMeasure(
  session: Session,
  sms: SmsText | undefined,
  recipients?: number,
): Promise<void> {
  if (!sms || sms.text === '') return;
  const { smsLine } = await import('./sms-words.ts');
  await session.info(smsLine(sms.text, sms.extraOctets, recipients));
}

export interface Shortage {
  readonly need: number;
  readonly balance: number;
}

/**
 * Returns the missing credits, or undefined if the balance is enough. It uses the balance that this run read first, before it sent
 * anything.
 */
export async function shortageOf(
  session: Session,
  channel: Channel,
  need: number,
): Promise<Shortage | undefined> {
  const balance = await balanceOf(session, channel);
  if (balance >= need) return undefined;
  return channel === 'email' && (await isEmailFree(session)) ? undefined : { need, balance };
}

/** Returns the balance that this run read first. @throws CliError when the account shows none */
export async function balanceOf(session: Session, channel: Channel): Promise<number> {
  const balance = balanceIn(await session.account(), channel);
  if (balance !== undefined) return balance;
  throw new CliError('unknown', 'the account shows no balance', { exit: EXIT.failed });
}

/** Reports whether e-mails are free (interface, accountFeatures: enableemailcredits). Only an admin or a partner can read it. */
export async function isEmailFree(session: Session): Promise<boolean> {
  return (await knownEmailFree(session).catch(() => undefined)) ?? false;
}

/** Reports the same, or returns undefined if the caller may not read it. @throws any other error */
export async function knownEmailFree(session: Session): Promise<boolean | undefined> {
  try {
    return (await (await session.client()).single(accountFeatures))['enableemailcredits'] === false;
  } catch (error) {
    if (error instanceof ClientError && error.status === 403) return undefined;
    throw error;
  }
}

/** Returns the shortage as text: `needs 447 e-mail credits, and the balance is 1`. */
export function shortageInWords({ need, balance }: Shortage, channel: Channel): string {
  return `needs ${creditsInWords(need, channel)}, and the balance is ${grouped(balance)}`;
}
