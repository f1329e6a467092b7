/** Questions about what is done to an account: they name it, so that a yes to the wrong one is not given by habit. */

import type { Session } from '../session/session.ts';
import { canAsk, confirmed, typed } from './guards.ts';

/**
 * `confirmed`, and the account at the end of the question: `Really delete folder 1 (News), of Harbour Coffee (…)?`
 * @param link what stands between the deed and the account
 */
export async function confirmedOnAccount(session: Session, deed: string, link = ', of'): Promise<void> {
  await confirmed(session, await withAccount(session, deed, link));
  if (!session.globals.dryRun) await session.whose.announce();
}

/** `typed`, and the account in the question. */
export async function typedOnAccount(
  session: Session,
  deed: string,
  word: string,
  also?: Parameters<typeof typed>[3],
  link = ', of',
): Promise<void> {
  await typed(session, await withAccount(session, deed, link), word, also);
  if (!session.globals.dryRun) await session.whose.announce();
}

/** Whether a question is put to a person, who may be told more than a script that said `--yes`. */
export const isAsked = (session: Session): boolean =>
  !session.globals.yes && !session.globals.dryRun && canAsk(session);

async function withAccount(session: Session, deed: string, link: string): Promise<string> {
  if (!isAsked(session)) return deed;
  return `${deed}${link} ${await session.whose.words()}`;
}
