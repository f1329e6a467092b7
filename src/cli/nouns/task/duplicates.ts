/** Warns about the same message to the same recipients within a day, which is usually a job that ran twice. */

import type { Client } from '../../../client/client.ts';
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Values } from '../../../schema/resource.ts';
import { SendError } from '../../../sends/errors.ts';
import { type CompetingTask, findEarlierTask } from '../../../sends/make-task.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Input } from '../../command/command.ts';
import { explainError } from '../../errors/explain-error.ts';
import { idempotencyKeyFlag } from '../../request/name-marks.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { StderrNotePrinter } from '../../session/notes.ts';
import type { Session } from '../../session/session.ts';

const DAY = 86_400;
/** Maximum number of tasks to compare, one page: those with the latest send times. */
const MAX_COMPARED = 50;
const NAMED = 3;

/**
 * Warns if other tasks send the same message to the same recipients within a day. Sends one GET, and continues if it fails. Does nothing
 * with
 * `--no-validate`.
 */
export async function warnAboutDuplicateTasks(session: Session, body: Values): Promise<void> {
  if (!session.globals.validate) return;
  const { channel, message_id, list_id, search_id } = body;
  const whom = list_id === null ? `search ${search_id}` : `list ${list_id}`;
  try {
    const alike = await duplicatesOf(session, body);
    if (alike.length === 0) return;
    const zone = await session.companyZone();
    const named = alike.slice(0, NAMED).map((record) => lineOf(record, zone));
    const more = alike.length > NAMED ? [`      and ${alike.length - NAMED} more`] : [];
    const what = `${channel} message ${message_id} already goes to ${whom} within a day of this task`;
    await session.warn([`Careful: ${what}:`, ...named, ...more].join('\n'));
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    const reason = explainError(error).message;
    await session.warn(
      `cannot check whether the same message goes to ${whom} within a day of this task: ${reason}`,
    );
  }
}

async function duplicatesOf(session: ServiceAccess, body: Values): Promise<readonly JsonObject[]> {
  const { channel = null, message_id = null, list_id = null, search_id = null } = body;
  const time = Number(body['scheduledtime']);
  // search_id is not a filter (interface, task).
  const filters = { channel, message_id, cancelled: false, ...(list_id === null ? {} : { list_id }) };
  const newest = {
    filters,
    sort: 'scheduledtime',
    reverse: true,
    limit: MAX_COMPARED,
    pageSize: MAX_COMPARED,
  };
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

/** Seconds until the send time that svc needs to cancel a task that a concurrent run also created. */
const MIN_LEAD_SECONDS = 10 * 60;

/**
 * Returns the task that another run created earlier with the same task name and `--key`, if there is one.
 * @param ownTask the task that this run created
 * @throws SendError `made-twice` if `ownTask` is sent too soon for svc to cancel one of the two tasks
 */
export async function findTaskWithSameKey(
  session: Session,
  input: Input,
  ownTask: JsonObject,
  client: Client,
): Promise<CompetingTask | undefined> {
  if (input.get(idempotencyKeyFlag) === undefined) return undefined;
  const record = await firstOf(session, ownTask, client);
  if (record === undefined) return undefined;
  const lead = Number(ownTask['scheduledtime']) - (await session.latestNow());
  const why = `a concurrent run created task ${String(record['id'])} with the same --key`;
  if (lead >= MIN_LEAD_SECONDS) return { record, why: `${why}, before this run` };
  const id = String(ownTask['id']);
  throw new SendError(
    'made-twice',
    `${why}, and task ${id} starts too soon for svc to cancel one of the two tasks: BOTH WILL BE SENT`,
    {
      outcome: 'conflict',
      hint: `Cancel one of the two tasks now: svc task cancel ${id} --yes. svc cancels a duplicate by itself only if its send time is at least 10 minutes ahead.`,
    },
  );
}

async function firstOf(
  session: StderrNotePrinter,
  own: JsonObject,
  client: Client,
): Promise<JsonObject | undefined> {
  try {
    return findEarlierTask(await client.find(task, { name: String(own['name']) }), own);
  } catch (error) {
    const reason = explainError(error).message;
    await session.warn(`cannot check whether a concurrent run with this --key created a task: ${reason}`);
    return undefined;
  }
}
