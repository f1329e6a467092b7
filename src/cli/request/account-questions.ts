/** Questions about what is done to an account: they name it, so that a yes to the wrong one is not given by habit. */

import type { Session } from '../session/session.ts';
import { canAsk, confirm, confirmByTyping } from './guards.ts';

/**
 * `confirm`, and the account at the end of the question: `Really delete folder 1 (News), of Harbour Coffee (…)?`
 * @param link what stands between the action and the account
 */
export async function confirmOnAccount(session: Session, action: string, link = ', of'): Promise<void> {
  await confirm(session, await withAccount(session, action, link));
  if (!session.globals.dryRun) await session.whose.announce();
}

/** `confirmByTyping`, and the account in the question. */
export async function confirmByTypingOnAccount(
  session: Session,
  action: string,
  word: string,
  also?: Parameters<typeof confirmByTyping>[3],
  link = ', of',
): Promise<void> {
  await confirmByTyping(session, await withAccount(session, action, link), word, also);
  if (!session.globals.dryRun) await session.whose.announce();
}

/** Whether a question is put to a person, who may be told more than a script that said `--yes`. */
export const isAsked = (session: Session): boolean =>
  !session.globals.yes && !session.globals.dryRun && canAsk(session);

async function withAccount(session: Session, action: string, link: string): Promise<string> {
  if (!isAsked(session)) return action;
  return `${action}${link} ${await session.whose.words()}`;
}
