/** Confirmations that name the account, so that a user notices if an action is about to change the wrong account. */

import type { Invocation, Session } from '../session/session.ts';
import { canAskUser, confirm, confirmByTyping } from './guards.ts';

/**
 * Asks for confirmation like `confirm` and adds the account to the question: `Really delete folder 1 (News), of Harbour Coffee (…)?`
 * @param textBeforeAccount the text between the action and the account
 */
export async function confirmActionWithAccountShown(
  session: Session,
  action: string,
  textBeforeAccount = ', of',
): Promise<void> {
  await confirm(session, await withAccount(session, action, textBeforeAccount));
  if (!session.globals.dryRun) await session.accountLabel.announce();
}

/** Asks for a typed confirmation like `confirmByTyping` and adds the account to the question. */
export async function confirmByTypingWithAccountShown(
  session: Session,
  action: string,
  wordToType: string,
  requiredFlag?: Parameters<typeof confirmByTyping>[3],
  textBeforeAccount = ', of',
): Promise<void> {
  await confirmByTyping(
    session,
    await withAccount(session, action, textBeforeAccount),
    wordToType,
    requiredFlag,
  );
  if (!session.globals.dryRun) await session.accountLabel.announce();
}

/** Reports whether svc will ask a question, because a person can answer and `--yes` was not given. */
export const willAskUser = (session: Invocation): boolean =>
  !session.globals.yes && !session.globals.dryRun && canAskUser(session);

async function withAccount(session: Session, action: string, textBeforeAccount: string): Promise<string> {
  if (!willAskUser(session)) return action;
  return `${action}${textBeforeAccount} ${await session.accountLabel.words()}`;
}
