/**
 * Checks references between records. Returns a finding for a missing record, and throws a 403 if the caller may not use it. A rule is
 * checked when a request makes it refer to a record or unpauses it (interface, "Automation rules" 6, 7 and 9).
 */

import type { Scalar } from '../../kit/schema/field.ts';
import { assertNever, type Finding, type Values } from '../../kit/schema/resource.ts';
import {
  createCannotUnpauseRuleError,
  createForbiddenError,
  refuseFindings,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import type { Channel } from '../../service/resources/task.ts';
import type { Call } from '../request/call.ts';
import { mayUseList } from '../store/lists.ts';
import { messageById } from '../store/messages.ts';
import { findRowOfAccount, selectRows, updateRow } from '../store/rows.ts';
import { rowsQuery } from '../store/sources.ts';

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

/** Checks that the account has the subscriber. A user with folder restrictions must also see the subscriber. */
export async function checkSubscriberReference(
  { db, caller }: Call,
  attribute: string,
  value: unknown,
): Promise<ReferenceFinding> {
  const id = Number(value);
  const filters = { id };
  const [row] = await selectRows(db, rowsQuery('subscriber', caller), { filters, limit: 1 });
  if (row) return undefined;
  if (await findRowOfAccount(db, 'subscriber', caller.accountId, id))
    throw createForbiddenError(`Subscriber ${id} is not accessible`);
  return { attribute, value, reason: `is not a subscriber: ${String(value)}` };
}

/** Checks that the account has the message. Users with folder restrictions may use only their own (interface, "Automation rules" 6). */
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

/** Checks that the caller may use the e-mail message that contains the link (interface, "Automation rules" 6). */
async function checkLinkReference(call: Call, attribute: string, id: unknown): Promise<ReferenceFinding> {
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

export interface AutomationDependency {
  readonly attribute: string;
  readonly resource: 'list' | 'emailMessage' | 'smsMessage' | 'emailMessageLink';
  readonly id: Scalar;
}

/** Throws a 400 that names every attribute whose record is missing. Throws a 403 for the first record that the caller may not use. */
export async function checkDependencies(
  call: Call,
  dependencies: readonly AutomationDependency[],
): Promise<void> {
  const findings: ReferenceFinding[] = [];
  for (const dependency of dependencies) findings.push(await checkDependency(call, dependency));
  refuseFindings(findings);
}

/** Returns the records that a rule names after a PUT and did not name before. Only these records are checked. */
export function findAddedDependencies(
  oldRecords: readonly AutomationDependency[],
  newRecords: readonly AutomationDependency[],
): readonly AutomationDependency[] {
  return newRecords.filter((dependency) => !oldRecords.some((earlier) => isSame(earlier, dependency)));
}

/**
 * Throws 409 subcode 12 if a record that the rule refers to was deleted (interface, "Errors") or, with `mustBeAccessible`, if the caller may
 * not use it. smsAutomation needs that.
 */
export async function requireExistingDependencies(
  call: Call,
  ruleId: number,
  dependencies: readonly AutomationDependency[],
  mustBeAccessible: boolean,
): Promise<void> {
  const looking = mustBeAccessible ? call : { ...call, caller: { ...call.caller, restricted: false } };
  for (const dependency of dependencies) {
    if (await isUnavailable(looking, dependency))
      throw createCannotUnpauseRuleError(ruleId, dependency.resource, String(dependency.id));
  }
}

/** Locks the e-mail messages that a rule names, directly or through a link (interface, "Automation rules" 7). */
export async function lockEmailsUsedByRule(
  { db, caller }: Call,
  dependencies: readonly AutomationDependency[],
): Promise<void> {
  const lock = (messageId: number) => updateRow(db, 'email_message', messageId, { editable: 0 });
  for (const { resource, id } of dependencies) {
    if (resource === 'emailMessage') await lock(Number(id));
    if (resource !== 'emailMessageLink') continue;
    const link = await findRowOfAccount(db, 'email_message_link', caller.accountId, Number(id));
    if (link) await lock(link.message_id);
  }
}

/** Throws a 403 unless the caller created the rule or is the admin of the account. */
export function requireCallerIsRuleCreatorOrAdmin(
  call: Call,
  rule: { readonly id: number; readonly user_id: number },
): void {
  if (!call.caller.isAdmin && rule.user_id !== call.caller.userId)
    throw createForbiddenError(`Automation rule ${rule.id} was made by another user`);
}

const isSame = (one: AutomationDependency, other: AutomationDependency): boolean =>
  one.attribute === other.attribute && one.resource === other.resource && one.id === other.id;

async function isUnavailable(call: Call, dependency: AutomationDependency): Promise<boolean> {
  try {
    return (await checkDependency(call, dependency)) !== undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return true;
    throw error;
  }
}

function checkDependency(
  call: Call,
  { attribute, resource, id }: AutomationDependency,
): Promise<Finding | undefined> {
  switch (resource) {
    case 'list':
      return checkListReference(call, attribute, id);
    case 'emailMessage':
      return checkMessageReference(call, 'email', attribute, id);
    case 'smsMessage':
      return checkMessageReference(call, 'sms', attribute, id);
    case 'emailMessageLink':
      return checkLinkReference(call, attribute, id);
    default:
      return assertNever(resource);
  }
}

/** Returns the record whose id is this attribute of the rule, in an array. The array is empty without such an attribute. */
export function readDependenciesFromAttribute(
  values: Values,
  attribute: string,
  resource: AutomationDependency['resource'],
): readonly AutomationDependency[] {
  const id = values[attribute];
  return id === null || id === undefined ? [] : [{ attribute, resource, id }];
}
