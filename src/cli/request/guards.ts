/** Confirms irreversible actions on a terminal, and requires `--yes` elsewhere (contract, "Safety"). */

import { isInCi } from '../../kit/text/terminal.ts';
import { UsageError } from '../errors/errors.ts';
import type { Invocation, ServiceAccess } from '../session/ports.ts';

/** Standard input and standard error must be terminals, and this must not be a CI job. */
export function canAskUser(session: Invocation): boolean {
  return explainWhyUserNotAsked(session) === undefined;
}

/** Returns a clause after "--company is missing, and", or undefined if svc can ask. */
export function explainWhyUserNotAsked({ context, globals }: Invocation): string | undefined {
  if (!globals.input) return '--no-input forbids prompts';
  if (!context.stdin.isTTY || !context.stderr.isTTY) return 'there is no terminal for a prompt';
  return isInCi(context.env) ? 'the environment variable CI is set, so svc asks no questions' : undefined;
}

/** Runs before the first request. @throws UsageError without a terminal and without `--yes`, except in a dry run */
export function requireYesFlagOrTerminal(session: Invocation, action: string): void {
  const { globals } = session;
  if (globals.yes || globals.dryRun || canAskUser(session)) return;
  throw new UsageError(`to ${action} needs --yes; nothing was sent`);
}

/** `action` is an infinitive: `delete folder 12 (News)`. */
export async function confirm(session: Invocation, action: string): Promise<void> {
  const { globals, context } = session;
  if (globals.yes || globals.dryRun) return;
  requireYesFlagOrTerminal(session, action);
  if (!(await context.prompter.confirm(`Really ${action}?`, false))) throw notConfirmed();
}

/** Without a terminal, requires `--yes` and the flag in `requiredFlag`, if there is one. */
export async function confirmByTyping(
  session: Invocation,
  action: string,
  wordToType: string,
  requiredFlag?: { readonly flag: string; readonly given: boolean },
): Promise<void> {
  const { globals, context } = session;
  if (globals.dryRun || (globals.yes && (requiredFlag?.given ?? true))) return;
  const flags = requiredFlag ? `--yes ${requiredFlag.flag}` : '--yes';
  if (!canAskUser(session) || globals.yes)
    throw new UsageError(`to ${action} needs ${flags}; nothing was sent`);
  const question = `To ${action}, type ${wordToType}:`;
  const answer = await context.prompter.input(question, { isConfirmation: true });
  if (normalizeTyped(answer) !== normalizeTyped(wordToType)) throw notConfirmed();
}

/** Without the normalization form NFC, a stored name and the same name from a keyboard may have different code points. */
const normalizeTyped = (text: string): string => text.normalize('NFC').trim().toLowerCase();

const notConfirmed = (): UsageError => new UsageError('not confirmed; nothing was sent');

/** Asks `Really delete folder 1 (News), of Harbour Coffee (…)?` */
export async function confirmActionWithAccountShown(
  session: Invocation & ServiceAccess,
  action: string,
  textBeforeAccount = ', of',
): Promise<void> {
  await confirm(session, await withAccount(session, action, textBeforeAccount));
  if (!session.globals.dryRun) await session.accountLabel.announce();
}

/** Adds the account to the question. */
export async function confirmByTypingWithAccountShown(
  session: Invocation & ServiceAccess,
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

/** A person can answer, and `--yes` was not given. */
export const willAskUser = (session: Invocation): boolean =>
  !session.globals.yes && !session.globals.dryRun && canAskUser(session);

async function withAccount(
  session: Invocation & ServiceAccess,
  action: string,
  textBeforeAccount: string,
): Promise<string> {
  if (!willAskUser(session)) return action;
  return `${action}${textBeforeAccount} ${await session.accountLabel.words()}`;
}
