import type { Input } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { checkCreditsFlag, findCreditShortage, formatCreditShortage } from '../../request/credits.ts';
import type { Session } from '../../session/session.ts';

/**
 * Checks before a send that the balance of SMS credits is at least `credits`. If the balance is lower, prints a warning without
 * `--check-credits`, and throws an error with `--check-credits`.
 * @param sendName what svc sends, as the warning names it: `the SMS`, or the name of a file
 * @throws CliError if the balance is too low and the user gave `--check-credits`
 */
export async function checkSmsCredits(
  session: Session,
  input: Input,
  sendName: string,
  credits: number,
): Promise<void> {
  const isChecked = input.get(checkCreditsFlag);
  try {
    const shortage = await findCreditShortage(session, 'sms', credits);
    if (!shortage) return;
    const words = `${sendName} ${formatCreditShortage(shortage, 'sms')}`;
    if (!isChecked) {
      await session.warn(
        `Too few credits: ${words}.\nUnless a quota or an overdraft (overage) pays for the missing credits, some SMS will fail.`,
      );
      return;
    }
    throw new CliError('too-few-credits', `${words}; nothing was sent`, {
      exit: EXIT.usage,
      hint: 'Buy credits, or leave out --check-credits. Run svc account get to see the balances.',
    });
  } catch (error) {
    if (isChecked) throw error;
    await session.warn(`cannot check whether the balance covers ${sendName}: ${explainError(error).message}`);
  }
}
