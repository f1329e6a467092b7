/** Warns about the same message to the same recipients within a day, which is usually a job that ran twice. */

import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Values } from '../../../schema/resource.ts';
import { formatTime } from '../../../text/timezone.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Session } from '../../session/session.ts';

const DAY = 86_400;
/** Page size. If the message was sent to the list more often, only the latest times are checked. */
const LOOKED_AT = 50;
const NAMED = 3;

/** Sends one GET and warns about duplicates on stderr. Neither a duplicate nor a failed GET stops the run. */
export async function tellDuplicates(session: Session, body: Values): Promise<void> {
  if (!session.globals.validate) return;
  const { channel, message_id, list_id, search_id } = body;
  const whom = list_id === null ? `search ${search_id}` : `list ${list_id}`;
  try {
    const alike = await duplicatesOf(session, body);
    if (alike.length === 0) return;
    const zone = await session.companyZone();
    const named = alike.slice(0, NAMED).map((record) => lineOf(record, zone));
    const more = alike.length > NAMED ? [`      and ${alike.length - NAMED} more`] : [];
    const what = `${channel} message ${message_id} already goes to ${whom} within a day`;
    await session.warn([`Careful: ${what}:`, ...named, ...more].join('\n'));
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    const reason = explainError(error).message;
    await session.warn(`cannot check whether the same message goes to ${whom} within a day: ${reason}`);
  }
}

async function duplicatesOf(session: Session, body: Values): Promise<readonly JsonObject[]> {
  const { channel = null, message_id = null, list_id = null, search_id = null } = body;
  const time = Number(body['scheduledtime']);
  // search_id is not a filter (interface, task).
  const filters = { channel, message_id, cancelled: false, ...(list_id === null ? {} : { list_id }) };
  const newest = { filters, sort: 'scheduledtime', reverse: true, limit: LOOKED_AT, pageSize: LOOKED_AT };
  const found: JsonObject[] = [];
  for await (const record of (await session.client()).list(task, newest)) {
    const apart = Math.abs(Number(record['scheduledtime']) - time);
    if (apart < DAY && record['list_id'] === list_id && record['search_id'] === search_id) found.push(record);
  }
  return found;
}

function lineOf(record: JsonObject, zone: string): string {
  const state = record['completed'] === true ? 'sent' : 'scheduled';
  return `      ${titleOf(task, record)}, ${state} ${formatTime(Number(record['scheduledtime']), zone, 'long')}`;
}
