/** Describes parts of a task in words: its channel, its target, and the question before it is cancelled. */
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { channelOfRecord } from '../../../sends/cost.ts';

/** Returns the channel of a task as a word in a sentence: `SMS` or `e-mail`. */
export const channelWord = (record: JsonObject): string =>
  channelOfRecord(record) === 'sms' ? 'SMS' : 'e-mail';

/** Returns `list 3` or `search 4`. The text has no name, because the interface gives no names of lists and searches. */
export function formatTaskTarget({ list_id: list = null, search_id: search = null }: JsonObject): string {
  return list !== null ? `list ${String(list)}` : `search ${String(search ?? '-')}`;
}

/** Returns the text of the question before a task is cancelled, such as `cancel task 5 permanently …`. A cancelled task stays cancelled. */
export function formatTaskCancelQuestion(record: JsonObject): string {
  return `cancel ${titleOf(task, record)} permanently (channel: ${String(record['channel'])}, recipients: ${String(record['size'])})`;
}
