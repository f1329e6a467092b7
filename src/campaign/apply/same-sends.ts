/** Finds sends of the same message that someone else created during this apply. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import { parseCampaignMark } from '../marks.ts';
import type { WantedTask } from '../model.ts';
import { convertSecondsToUnixMinutes, isActiveTask } from '../plan/same-sends.ts';
import { type ApplyContext, idOfRecord } from './context.ts';

/**
 * Returns a task that was created after svc read the service, and that sends the same message to the same recipients as the wanted task. A
 * task whose name has a mark (a tag that svc adds) counts only if both tasks are sent in the same minute. A task without a mark counts at
 * any send time. Returns undefined if there is no such task, or if the user allows duplicates (`--both`).
 * @param body request body of the wanted task
 * @param ownTask task that this run has created for the item, if any. The function ignores tasks with a higher id than `ownTask`.
 */
export async function findDuplicateTaskCreatedMeanwhile(
  { client, newRecords, situation }: ApplyContext,
  { key }: WantedTask,
  body: Readonly<Record<string, unknown>>,
  ownTask?: JsonObject,
): Promise<JsonObject | undefined> {
  if (situation.options.both) return undefined;
  for (const row of newRecords.recordsOfOtherItems(task, 'task', key)) {
    if (ownTask && compareNumbers(idNumber(row), idNumber(ownTask)) > 0) continue;
    const isSame = SAME.every((attribute) => String(row[attribute]) === String(body[attribute]));
    if (!isSame) continue;
    if (!parseCampaignMark(row['name'])) return row;
    if (
      convertSecondsToUnixMinutes(Number(row['scheduledtime'])) !==
      convertSecondsToUnixMinutes(Number(body['scheduledtime']))
    )
      continue;
    const now = await client.get(task, idOfRecord(row));
    if (now && isActiveTask(now)) return now;
  }
  return undefined;
}

const SAME = ['channel', 'message_id', 'list_id', 'search_id'];
