/** Finds a message by its id or name, and explains what locks it, for `svc why`. */

import { formatRecordId } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import type { LockExplanation } from '../../../why/answer.ts';
import {
  describeDeletedMessage,
  explainLockedMessage,
  explainUnlockedMessage,
  findMessageUsage,
  findTasksWithMessage,
  isEditable,
  type MessageResource,
} from '../../../why/message.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import {
  createReadOptionsToCapture404Error,
  parseRecordId,
  readRecordId,
  recordNotFoundError,
  requireNonEmptyName,
  resolveRecord,
} from '../../request/references.ts';
import type { Session } from '../../session/session.ts';

/** Explains what locks a message of this channel. @param idOrName the message's id or exact name */
export async function explainMessageLock(
  session: Session,
  resource: MessageResource,
  idOrName: string,
): Promise<LockExplanation> {
  const id = parseRecordId(resource, idOrName);
  if (id === undefined)
    return whyMessage(session, resource, await resolveRecord(session, resource, idOrName));
  const look = createReadOptionsToCapture404Error();
  const record = await (await session.client()).get(resource, id, look);
  if (record === undefined) {
    const [first] = await findTasksWithMessage(await session.client(), resource, id);
    if (first === undefined)
      throw recordNotFoundError(resource, formatRecordId(resource, id), look.notFoundError());
    const { message, hint } = describeDeletedMessage(resource, id, first, await session.serviceNow());
    throw new CliError('not-found', message, { exit: EXIT.notFound, hint, cause: look.notFoundError() });
  }
  return whyMessage(session, resource, record);
}

/**
 * Explains what locks the message with this id or name in any channel.
 * @throws an error if both channels have such a message (contract, "Insight")
 */
export async function explainMessageLockInAnyChannel(
  session: Session,
  idOrName: string,
): Promise<LockExplanation> {
  requireNonEmptyName('message', idOrName);
  const client = await session.client();
  const look = createReadOptionsToCapture404Error();
  const found: { readonly resource: MessageResource; readonly record: JsonObject }[] = [];
  for (const resource of [emailMessage, smsMessage]) {
    const id = parseRecordId(resource, idOrName);
    const records =
      id === undefined
        ? await client.find(resource, { name: idOrName }, look)
        : [(await client.get(resource, id, look)) ?? []].flat();
    found.push(...records.map((record) => ({ resource, record })));
  }
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError('not-found', `message ${idOrName} not found`, {
      exit: EXIT.notFound,
      hint: 'svc email list and svc sms-message list show the ids you can use',
      cause: look.notFoundError(),
    });
  if (others.length === 0) return whyMessage(session, first.resource, first.record);
  const commands = found.map(({ resource, record }) => `svc why ${resource.noun} ${String(record['id'])}`);
  throw new UsageError(`${JSON.stringify(idOrName)} matches more than one message`, {
    hint: `use the kind and id of one message: ${commands.join(', ')}`,
  });
}

async function whyMessage(
  session: Session,
  resource: MessageResource,
  record: JsonObject,
): Promise<LockExplanation> {
  if (isEditable(record)) return explainUnlockedMessage(resource, record);
  const usage = await findMessageUsage(await session.client(), resource, readRecordId(record), record);
  return explainLockedMessage(resource, record, usage, await session.serviceNow());
}
