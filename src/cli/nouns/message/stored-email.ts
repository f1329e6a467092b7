/** Reads an e-mail message with the targets of its links. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessageLink } from '../../../resources/email-message-link.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { Session } from '../../session/session.ts';

export async function readLinksInEmail(
  session: ServiceAccess,
  record: JsonObject,
): Promise<readonly JsonObject[]> {
  const client = await session.client();
  const rows: JsonObject[] = [];
  const filters = { message_id: record['id'] as number | bigint };
  for await (const row of client.list(emailMessageLink, { filters })) rows.push(row);
  return rows;
}

/** Returns the id of the session's company as a string of digits. */
export async function readSessionCompanyId(session: Session): Promise<string> {
  const { credentials } = await session.resolved();
  return String(credentials.companyId ?? (await session.account())['id']);
}

/** Returns the error for a command that would overwrite someone's changes (exit 5). */
export const createOverwriteConflictError = (message: string, hint: string): CliError =>
  new CliError('drift', message, { exit: EXIT.conflict, hint });
