/**
 * Checks references from one record to another. Each check returns a finding if the referenced record is missing. It throws a 403 if the
 * caller may not use that record.
 */
import { createForbiddenError } from '../../protocol/service-errors.ts';
import type { Channel } from '../../resources/task.ts';
import type { Finding } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import { mayUseList } from '../store/lists.ts';
import { messageById } from '../store/messages.ts';
import { findRowOfAccount } from '../store/rows.ts';

type ReferenceFinding = Finding | undefined;

const invalidReference = (attribute: string, what: string, value: unknown): Finding => ({
  attribute,
  value,
  reason: `is not a valid ${what}: ${String(value)}`,
});

/** Checks that the account has the list. A user with folder restrictions also needs access to the folder of the list. */
export async function checkListReference(
  call: Call,
  attribute: string,
  id: unknown,
): Promise<ReferenceFinding> {
  const list = await findRowOfAccount(call.db, 'list', call.caller.accountId, asId(id));
  if (!list) return invalidReference(attribute, 'list', id);
  if (call.caller.restricted && !(await mayUseList(call.db, call.caller.userId ?? 0, list)))
    throw createForbiddenError(`List ${list.id} is not accessible`);
  return undefined;
}

/**
 * Checks that the account has a message of this channel with this id, and that it was not deleted. Users with folder restrictions may use
 * only their own messages (interface, "Automation rules" 6).
 */
export async function checkMessageReference(
  call: Call,
  channel: Channel,
  attribute: string,
  id: unknown,
): Promise<ReferenceFinding> {
  const message = await messageById(call.db, channel, call.caller.accountId, asId(id));
  if (!message || message.deleted === 1)
    return invalidReference(attribute, channel === 'email' ? 'emailMessage' : 'smsMessage', id);
  requireOwn(call, message.user_id, `Message ${message.id}`);
  return undefined;
}

/**
 * Checks that the account has the link, and that the caller may use the e-mail message that contains the link (interface, "Automation
 * rules" 6).
 */
export async function checkLinkReference(
  call: Call,
  attribute: string,
  id: unknown,
): Promise<ReferenceFinding> {
  const link = await findRowOfAccount(call.db, 'email_message_link', call.caller.accountId, asId(id));
  if (!link) return invalidReference(attribute, 'emailMessageLink', id);
  return (
    (await checkMessageReference(call, 'email', attribute, link.message_id)) &&
    invalidReference(attribute, 'emailMessageLink', id)
  );
}

function requireOwn(call: Call, userId: number, what: string): void {
  if (call.caller.restricted && userId !== call.caller.userId)
    throw createForbiddenError(`${what} is not accessible`);
}

/** Parses an id. Ids in `actiontarget` are texts. Any text that is not an id becomes an id that no record has. */
function asId(value: unknown): number {
  const id = typeof value === 'number' ? value : /^[0-9]{1,15}$/.test(String(value)) ? Number(value) : -1;
  return Number.isSafeInteger(id) ? id : -1;
}
