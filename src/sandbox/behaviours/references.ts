/**
 * Checks references from one record to another. Returns a finding if the record is missing. Throws a 403 if the caller may not use the
 * record.
 */
import { forbidden } from '../../protocol/service-errors.ts';
import type { Finding } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import { listById, mayUseList } from '../store/lists.ts';
import { linkById, messageById } from '../store/messages.ts';

type Lacking = Finding | undefined;

const lacking = (attribute: string, what: string, value: unknown): Finding => ({
  attribute,
  value,
  reason: `is not a valid ${what}: ${String(value)}`,
});

/** Finds a list of the account. For a user with folder restrictions, it must be in one of their folders. */
export async function findList(call: Call, attribute: string, id: unknown): Promise<Lacking> {
  const list = await listById(call.db, call.caller.accountId, asId(id));
  if (!list) return lacking(attribute, 'list', id);
  if (call.caller.restricted && !(await mayUseList(call.db, call.caller.userId ?? 0, list)))
    throw forbidden(`List ${list.id} is not accessible`);
  return undefined;
}

/**
 * Finds a message of that channel that was not deleted. Users with folder restrictions may use only their own messages (interface,
 * "Automation rules" 6).
 */
export async function findMessage(
  call: Call,
  channel: 'email' | 'sms',
  attribute: string,
  id: unknown,
): Promise<Lacking> {
  const message = await messageById(call.db, channel, call.caller.accountId, asId(id));
  if (!message || message.deleted === 1)
    return lacking(attribute, channel === 'email' ? 'emailMessage' : 'smsMessage', id);
  requireOwn(call, message.user_id, `Message ${message.id}`);
  return undefined;
}

/** Finds a link whose message the user can access (interface, "Automation rules" 6). */
export async function findLink(call: Call, attribute: string, id: unknown): Promise<Lacking> {
  const link = await linkById(call.db, call.caller.accountId, asId(id));
  if (!link) return lacking(attribute, 'emailMessageLink', id);
  return (
    (await findMessage(call, 'email', attribute, link.message_id)) &&
    lacking(attribute, 'emailMessageLink', id)
  );
}

function requireOwn(call: Call, userId: number, what: string): void {
  if (call.caller.restricted && userId !== call.caller.userId) throw forbidden(`${what} is not accessible`);
}

/** Parses an id. Ids in `actiontarget` are texts. Any text that is not an id becomes an id that no record has. */
function asId(value: unknown): number {
  const id = typeof value === 'number' ? value : /^[0-9]{1,15}$/.test(String(value)) ? Number(value) : -1;
  return Number.isSafeInteger(id) ? id : -1;
}
