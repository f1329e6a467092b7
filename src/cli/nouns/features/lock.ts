/**
 * Asks for confirmation before svc locks a company. The user must type the company's name, because the lock keeps everybody out
 * (interface, accountFeatures, `locked`).
 */
import { escapeForTerminal } from '../../../text/terminal.ts';
import type { Input } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { confirmByTypingWithAccountShown, willAskUser } from '../../request/guards.ts';
import type { Session } from '../../session/session.ts';

export const allowCompanyLockFlag = switchFlag('lock-ok', {
  describe: 'Allow --yes to lock out all users of the company',
});

/**
 * Asks the user to type the company's name, or its id if the name can't be typed. Without a terminal, requires `--yes --lock-ok`.
 * @param action the action as an infinitive, without the company: `lock all users out`
 * @param separator the preposition between the action and the company
 */
export async function confirmCompanyLock(
  session: Session,
  input: Input,
  action = 'lock all users out',
  separator = ' of',
): Promise<void> {
  const also = { flag: '--lock-ok', given: input.get(allowCompanyLockFlag) };
  const word = willAskUser(session) ? await wordOf(session) : '';
  await confirmByTypingWithAccountShown(session, action, word, also, separator);
}

async function wordOf(session: Session): Promise<string> {
  const name = await session.accountLabel.name();
  if (name !== undefined && escapeForTerminal(name) === name) return name.trim();
  return String((await session.resolved()).credentials.companyId);
}
