/** Finds the record that an argument names: by id, by exact name, or a subscriber by address or number. */
import { createConflictError, createNotFoundError } from '../../protocol/service-errors.ts';
import { normaliseMsisdn } from '../../text/address.ts';
import { findRowById, findRowOfAccount, idsByName } from '../store/rows.ts';
import { findSubscriber } from '../store/subscribers.ts';
import type { TaskRow } from '../store/tasks.ts';
import type { ControlCall } from './operation.ts';

/** Reference to a record: its id, or a name that does not consist of digits. */
export type IdOrName = number | string;

/** Returns the task. @throws ServiceError 404 if none exists, 409 if several have the name */
export async function taskOf(call: ControlCall, reference: IdOrName): Promise<TaskRow> {
  const id = await idOf(call, 'task', 'Task', reference);
  const task = await findRowById(call.db, 'task', id);
  if (task?.account_id !== call.account.id) throw createNotFoundError(`Task ${reference}`);
  return task;
}

/**
 * Returns the id of the e-mail message to which `reference` refers. If `reference` is a name, looks up the message with this name. If
 * `reference` is an id, returns the id without checking that the message exists.
 * @throws ServiceError 404 if no message has the name, 409 if several messages have the name
 */
export const findEmailMessageId = (call: ControlCall, reference: IdOrName): Promise<number> =>
  idOf(call, 'email_message', 'emailMessage', reference);

export async function findListId(call: ControlCall, reference: IdOrName): Promise<number> {
  const id = await idOf(call, 'list', 'List', reference);
  if (!(await findRowOfAccount(call.db, 'list', call.account.id, id)))
    throw createNotFoundError(`List ${reference}`);
  return id;
}

/**
 * Returns the id of the subscriber whose id, e-mail address or phone number is `reference`. If no subscriber has the id, returns the id
 * unchanged, because a recipient whose subscriber was deleted can still complain.
 */
export async function findSubscriberId({ db, account }: ControlCall, reference: IdOrName): Promise<number> {
  const text = String(reference);
  const byId =
    typeof reference === 'number'
      ? await findRowOfAccount(db, 'subscriber', account.id, reference)
      : undefined;
  const msisdn = normaliseMsisdn(text);
  const contact = text.includes('@') ? { email: text } : msisdn === undefined ? {} : { msisdn };
  const found = byId ?? (await findSubscriber(db, account.id, contact));
  if (found) return found.id;
  if (typeof reference === 'number') return reference;
  throw createNotFoundError(`Subscriber ${text}`);
}

async function idOf(
  { db, account }: ControlCall,
  table: 'task' | 'email_message' | 'list',
  title: string,
  reference: IdOrName,
): Promise<number> {
  if (typeof reference === 'number') return reference;
  const [id, ...others] = await idsByName(db, table, account.id, reference);
  if (id === undefined) throw createNotFoundError(`${title} "${reference}"`);
  if (others.length === 0) return id;
  throw createConflictError(
    `"${reference}" is the name of several records: ${[id, ...others].join(', ')}; give the id`,
  );
}
