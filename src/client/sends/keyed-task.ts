/**
 * Keeps one task for each `--key`: the one with the lowest id. Cancels the others, which are svc's own by their mark, if there is time, and
 * otherwise reports both. Also finds the same send under another key, or of a campaign.
 */

import type { BodyOf } from '../../kit/schema/resource.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { type TaskRecord, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import { titleOf } from '../requests/record-title.ts';
import { cancelTaskWithRetries, commandToCancelNow } from './cancel.ts';
import { SendError } from './errors.ts';
import {
  findDifferences,
  findRecordsUnderKey,
  type KeyDifference,
  type KeyLook,
  nothingDone,
  otherContentError,
  refuseDifferences,
} from './keys.ts';
import type { CompetingTask } from './make-task.ts';
import type { SendDependencies } from './ports.ts';
import { createMessageContents, listTasksToSameRecipients, readSend } from './rivals.ts';
import { byId, isActiveTask, listEarlier, mayBeSameMessage, toMinute } from './same-send.ts';

/** Seconds until the send time that svc needs to cancel a task of which another one exists. */
const MIN_LEAD_SECONDS = 10 * 60;

export interface KeyedTask {
  /** Body of the POST. Its name has the mark of the key. */
  readonly body: BodyOf<typeof task>;
  /** Returns the send time that this command would have given to an earlier task, or undefined if the earlier task has that time. */
  readonly otherTimeOf: (record: TaskRecord) => number | undefined;
  /** True if the user allows the same send under another key (`--both`). */
  readonly both: boolean;
}

const nameIn = ({ body }: KeyedTask): string => String(body.name);

/**
 * Returns the task of an earlier run with the same key, or undefined. Cancels further tasks under the key.
 * @throws SendError exit 5 if the task was cancelled, has other content, or is the same send as one of another key. Also if two tasks are
 * live and there is too little time to cancel one. ClientError if svc could not look.
 */
export async function findTaskOfEarlierRun(
  ports: SendDependencies,
  look: KeyLook,
  wanted: KeyedTask,
): Promise<TaskRecord | undefined> {
  const records = await findRecordsUnderKey(look, task, nameIn(wanted));
  const [first] = records;
  if (first === undefined) return undefined;
  const live = records.filter(isActiveTask);
  const sent = records.find(({ completed }) => completed);
  const stays = sent ?? live[0];
  if (stays === undefined) throw cancelledError(first);
  const cancelled = sent ? undefined : listEarlier(records, stays).find((each) => each.cancelled);
  if (cancelled !== undefined) {
    // A person may have cancelled one of two. A task that was created after that must not replace the cancelled one.
    const isReplacement = (each: TaskRecord): boolean => each.cdate >= Number(cancelled.endtime);
    const why = `${titleOf(task, cancelled)} with the same --key was cancelled before`;
    // Its run may have been killed while another key made the same send. Both are named if neither can be cancelled.
    const alike = () => findSameSends(look.client, wanted, records);
    await withdraw(ports, live.filter(isReplacement), why, [], alike);
    const [kept, ...twins] = live.filter((each) => !isReplacement(each));
    if (kept !== undefined) {
      await withdraw(ports, twins, `${titleOf(task, kept)} exists under the same --key`, [kept]);
      await giveWayToOtherKey(ports, look, wanted, { stays: kept, records });
    }
    throw cancelledError(cancelled, live[0]);
  }
  const twins = live.filter((each) => each !== stays);
  const titles = twins.map((each) => titleOf(task, each));
  refuseDifferences(task, stays, differencesOf(wanted, stays), nothingDone(titles));
  await withdraw(ports, twins, `${titleOf(task, stays)} exists under the same --key`, [stays]);
  if (sent === undefined) await giveWayToOtherKey(ports, look, wanted, { stays, records });
  return stays;
}

/** Cancels the task that stays under its key, if the same send of another key or campaign has a lower id. Throws SendError exit 5 if there is one. */
async function giveWayToOtherKey(
  ports: SendDependencies,
  { client }: KeyLook,
  wanted: KeyedTask,
  { stays, records }: { readonly stays: TaskRecord; readonly records: readonly TaskRecord[] },
): Promise<void> {
  const [rival] = await findSameSends(client, wanted, records);
  if (rival === undefined) return;
  const isOlder = listEarlier([rival], stays).length > 0;
  const { why, error } = otherSendRival(rival, isOlder ? undefined : `${titleOf(task, stays)} is unchanged`);
  if (isOlder) await withdraw(ports, [stays], why, [rival]);
  throw error;
}

/**
 * Cancels tasks of svc that must not be sent.
 * @param why says which task is there instead, or was cancelled
 * @param kept the task that stays instead, if it is live
 * @param alike finds live tasks of other keys with the same send, if some cannot be cancelled
 * @throws SendError exit 5 if there is too little time for some of them, after the others are cancelled
 */
async function withdraw(
  ports: SendDependencies,
  records: readonly TaskRecord[],
  why: string,
  kept: readonly TaskRecord[] = [],
  alike: () => Promise<readonly TaskRecord[]> = async () => [],
): Promise<void> {
  const late: TaskRecord[] = [];
  for (const record of records)
    if (await isTooLate(ports, record)) late.push(record);
    else {
      await cancelTaskWithRetries(ports, record, { why });
      await ports.warn(`${why}; ${titleOf(task, record)} is cancelled`).catch(() => undefined);
    }
  if (late.length === 0) return;
  const others = await alike();
  const same = others.map((each) => `, ${titleOf(task, each)} ${SAME_SEND}`).join('');
  throw tooLateError(ports, `${why}${same}`, late, [...kept, ...others]);
}

const isTooLate = async ({ latestNow }: SendDependencies, record: TaskRecord): Promise<boolean> =>
  record.scheduledtime - (await latestNow()) < MIN_LEAD_SECONDS;

/**
 * Returns the task that stays instead of the one that this run has created, if there is one: a task under the same key with a lower id, or
 * the same send by another key or a campaign.
 * @throws SendError exit 5 if the send time is too near to cancel one of the two; ClientError if svc could not look
 */
export async function findRivalOfKeyedTask(
  ports: SendDependencies,
  look: KeyLook,
  wanted: KeyedTask,
  own: TaskRecord,
  client: Client,
): Promise<CompetingTask | undefined> {
  const alike = await findRecordsUnderKey({ ...look, client }, task, nameIn(wanted));
  const earlier = listEarlier(alike, own);
  const record = earlier.find(({ cancelled }) => !cancelled) ?? earlier[0];
  const [same] = record ? [] : listEarlier(await findSameSends(client, wanted, alike), own);
  const rival = record ? rivalUnderKey(wanted, record) : same && { record: same, ...otherSendRival(same) };
  // The run of a later task may be gone.
  if (rival === undefined) {
    const others = alike.filter((each) => isActiveTask(each) && each.id !== own.id);
    await withdraw(ports, others, `${titleOf(task, own)} exists under the same --key`, [own]);
  }
  if (rival === undefined || rival.record.cancelled) return rival;
  if (await isTooLate(ports, own)) throw tooLateError(ports, rival.why, [own], [rival.record]);
  return rival;
}

function rivalUnderKey(wanted: KeyedTask, record: TaskRecord): CompetingTask {
  const why = `a concurrent run created task ${record.id} with the same --key, before this run`;
  if (record.cancelled) return { record, why, error: cancelledError(record) };
  const differences = differencesOf(wanted, record);
  if (differences.length === 0) return { record, why };
  const error = otherContentError(task, record, differences, 'svc has cancelled the task of this run');
  return { record, why, error };
}

/** Refuses a task that would be the same send as an existing task of another key or of a campaign. Throws SendError exit 5. */
export async function refuseSameSend(client: Client, wanted: KeyedTask): Promise<void> {
  const [same] = await findSameSends(client, wanted, []);
  if (same !== undefined) throw otherSendRival(same, 'nothing was sent').error;
}

const SAME_SEND = 'sends the same message to the same recipients at the same time';

function otherSendRival(
  record: TaskRecord,
  done = 'svc has cancelled the task of this run',
): Pick<Required<CompetingTask>, 'why' | 'error'> {
  const why = `${titleOf(task, record)} ${SAME_SEND}`;
  const error = new SendError('same-send', `${why}; ${done}`, {
    outcome: 'conflict',
    hint: `To send both, add --both. To keep task ${record.id} alone, change nothing.`,
  });
  return { why, error };
}

/** Returns tasks that are the same send, by ascending id. Tasks in `except` are compared by their key. */
async function findSameSends(
  client: KeyLook['client'],
  { body, both }: KeyedTask,
  except: readonly TaskRecord[],
): Promise<readonly TaskRecord[]> {
  if (both) return [];
  const known = new Set(except.map(({ id }) => id));
  const from = toMinute(Number(body.scheduledtime)) * 60;
  return findSendsAlike(client, body, { from, to: from + 59 }, (record) => !known.has(record.id));
}

/** Returns tasks that send the same message to the same recipients in a range of times, by ascending id. Throws ClientError. */
export async function findSendsAlike(
  client: KeyLook['client'],
  body: BodyOf<typeof task>,
  range: { readonly from: number; readonly to: number },
  isWanted: (record: TaskRecord) => boolean = () => true,
): Promise<readonly TaskRecord[]> {
  const contents = createMessageContents(client);
  const found: TaskRecord[] = [];
  for await (const record of listTasksToSameRecipients(client, body, range)) {
    if (!isWanted(record)) continue;
    const isSame =
      String(record.message_id) === String(body.message_id) ||
      mayBeSameMessage(await readSend(contents, body), await readSend(contents, record));
    if (isSame) found.push(record);
  }
  return byId(found);
}

function differencesOf(wanted: KeyedTask, record: TaskRecord): readonly KeyDifference[] {
  const time = wanted.otherTimeOf(record);
  const times = time === undefined ? [] : [timeDifference(record.scheduledtime, time)];
  return [...findDifferences(task, wanted.body, record), ...times];
}

const timeDifference = (found: number, wanted: number): KeyDifference => ({
  attribute: 'scheduledtime',
  found: `${formatTime(found, 'UTC', 'table')} UTC`,
  wanted: `${formatTime(wanted, 'UTC', 'table')} UTC`,
});

/** Returns the error for a key whose first task was cancelled. `live` is another task of the key that is still scheduled. */
function cancelledError(record: TaskRecord, live?: TaskRecord): SendError {
  const another =
    live === undefined ? '' : `, and svc has created ${titleOf(task, live)} with the same --key`;
  const stop = live === undefined ? '' : `svc task get ${live.id} shows whether it is scheduled. `;
  return new SendError(
    'cancelled-before',
    `an earlier run with this --key created ${titleOf(task, record)}, which is now cancelled${another}`,
    { outcome: 'conflict', hint: `${stop}To create a new record, use another --key.` },
  );
}

/** `late` must not be sent, and will be. `kept` is the task that stays, if it is live. */
function tooLateError(
  ports: SendDependencies,
  why: string,
  late: readonly TaskRecord[],
  kept: readonly TaskRecord[],
): SendError {
  const titles = late.map((each) => titleOf(task, each)).join(' and ');
  const [start, them] = late.length === 1 ? ['starts', 'it'] : ['start', 'them'];
  const sent = ['IT', 'BOTH'][late.length + kept.length - 1] ?? 'ALL';
  const commands = late.map((each) => commandToCancelNow(ports, each)).join(' and ');
  return new SendError(
    'made-twice',
    `${why}, and ${titles} ${start} too soon for svc to cancel ${them}: ${sent} WILL BE SENT`,
    {
      outcome: 'conflict',
      hint: `Cancel ${them} now: ${commands}. svc cancels a duplicate by itself only if its send time is at least 10 minutes ahead.`,
    },
  );
}
