/** A cancelled task stays cancelled, so this command creates the task again. */

import { SEND_TIME_MARGINS } from '../../../client/sends/send-time.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import type { TaskRecord } from '../../../service/resources/task.ts';
import { readNameWithoutMark } from '../../request/find-by-name.ts';

/** If the send time is past or too near, the command has `TIME`. `now` is in Unix seconds. */
export function commandToCreateTask(record: TaskRecord, now: number): string {
  const { channel, message_id, name, list_id = null, search_id = null, rate = null, scheduledtime } = record;
  const isAhead = scheduledtime - now >= SEND_TIME_MARGINS.minSecondsAhead;
  const at = isAhead ? new Date(scheduledtime * 1000).toISOString().replace('.000Z', 'Z') : 'TIME';
  const flags = {
    channel,
    message: message_id,
    // The new task is not of the campaign or the key of the cancelled one.
    name: readNameWithoutMark(name),
    list: list_id,
    search: search_id,
    rate,
    at,
  };
  const given = Object.entries(flags).filter(([, value]) => value !== null);
  return [
    'svc task create',
    ...given.map(([flag, value]) => `--${flag} ${quoteShellWord(String(value))}`),
  ].join(' ');
}
