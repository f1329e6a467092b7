/**
 * What a send costs, beside what there is to pay it with: one credit an e-mail, one a part and recipient for an SMS, taken
 * when it is sent (interface, smsMessage and task). A quota or overage, which the interface names and doesn't show, may pay
 * for more: too few credits are a warning, and a refusal only with `--check-credits`.
 */
import { ClientError } from '../../client/errors.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { accountFeatures } from '../../resources/account-features.ts';
import type { Channel, SmsText } from '../../sends/cost.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { grouped } from '../output/bar.ts';
import type { Session } from '../session/session.ts';

export const creditsFlag = switchFlag('check-credits', {
  describe: 'Refuse, not warn, when credits run short',
});

/** What the account's record says is left; undefined where it says nothing. */
export function balanceIn(account: JsonObject, channel: Channel): number | undefined {
  const balance = account[channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance'];
  return typeof balance === 'number' ? balance : undefined;
}

/**
 * One line on stderr, unless `--quiet`: alphabet, parts, credits, and what other characters would save. Contract, "Insight".
 * @param recipients undefined where it isn't known how many
 */
export async function tellSms(
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
 * What is missing of that many credits, or undefined where the balance pays for them. The balance is the one that this
 * run has read first: before anything of its own was sent.
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

/** As this run has read it first. @throws CliError where the account shows none */
export async function balanceOf(session: Session, channel: Channel): Promise<number> {
  const balance = balanceIn(await session.account(), channel);
  if (balance !== undefined) return balance;
  throw new CliError('unknown', 'the account shows no balance', { exit: EXIT.failed });
}

/** Interface, accountFeatures: enableemailcredits. Only an admin or a partner can read it. */
export async function isEmailFree(session: Session): Promise<boolean> {
  return (await knownEmailFree(session).catch(() => undefined)) ?? false;
}

/** The same; undefined where who asks may not read it. @throws whatever else goes wrong */
export async function knownEmailFree(session: Session): Promise<boolean | undefined> {
  try {
    return (await (await session.client()).single(accountFeatures))['enableemailcredits'] === false;
  } catch (error) {
    if (error instanceof ClientError && error.status === 403) return undefined;
    throw error;
  }
}

/** `447 e-mail credits` */
export function creditsInWords(count: number, channel: Channel): string {
  return `${grouped(count)} ${channel === 'email' ? 'e-mail' : 'SMS'} ${count === 1 ? 'credit' : 'credits'}`;
}

/** `needs 447 e-mail credits, and the balance is 1` */
export function shortageInWords({ need, balance }: Shortage, channel: Channel): string {
  return `needs ${creditsInWords(need, channel)}, and the balance is ${grouped(balance)}`;
}
