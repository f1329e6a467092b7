/** What cannot be taken back is asked on a terminal, and needs `--yes` elsewhere (contract, "Safety"). */
import { UsageError } from '../errors/errors.ts';
import type { Session } from '../session/session.ts';

/** Whether a person can be asked: standard input and standard error are both terminals, and no CI job has them. */
export function canAsk(session: Session): boolean {
  return whyNotAsked(session) === undefined;
}

/** Why nobody can be asked, to read on after "it is missing, and"; undefined where somebody can. */
export function whyNotAsked({ context, globals }: Session): string | undefined {
  if (!globals.input) return '--no-input says not to ask';
  if (!context.stdin.isTTY || !context.stderr.isTTY) return 'there is no terminal to ask on';
  return isInCi(context.env) ? 'CI is set, where nobody answers' : undefined;
}

/** As the runners of CI jobs set it. */
function isInCi(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false'].includes((env['CI'] ?? '').trim().toLowerCase());
}

/** Refuses, before anything is asked of the service, what could not be confirmed later. */
export function mustBeConfirmable(session: Session, action: string): void {
  const { globals } = session;
  if (globals.yes || globals.dryRun || canAsk(session)) return;
  throw new UsageError(`to ${action} needs --yes; nothing was sent`);
}

/** @param action what would be done, as an infinitive: `delete folder 12 (News)` */
export async function confirm(session: Session, action: string): Promise<void> {
  const { globals, context } = session;
  if (globals.yes || globals.dryRun) return;
  mustBeConfirmable(session, action);
  if (!(await context.prompter.confirm(await safe(`Really ${action}?`), false))) throw notConfirmed();
}

/** Asks for `word` to be typed; elsewhere `--yes` and, where one is named, the flag that goes with it are needed. */
export async function confirmByTyping(
  session: Session,
  action: string,
  word: string,
  also?: { readonly flag: string; readonly given: boolean },
): Promise<void> {
  const { globals, context } = session;
  if (globals.dryRun || (globals.yes && (also?.given ?? true))) return;
  const flags = also ? `--yes ${also.flag}` : '--yes';
  if (!canAsk(session) || globals.yes) throw new UsageError(`to ${action} needs ${flags}; nothing was sent`);
  const answer = await context.prompter.input(await safe(`To ${action}, type ${word}:`));
  if (asTyped(answer) !== asTyped(word)) throw notConfirmed();
}

/** A name may be kept in other code points than a keyboard makes. */
const asTyped = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** Names come from the service: a question must not carry control sequences. Errors are escaped where they are printed. */
async function safe(question: string): Promise<string> {
  return (await import('../../text/terminal.ts')).escapeForTerminal(question);
}

const notConfirmed = (): UsageError => new UsageError('not confirmed; nothing was sent');
