/** Finds the same send under `--key`, and warns about the same send without `--key`. */

import type { Client } from '../../../client/requests/client.ts';
import { titleOf } from '../../../client/requests/record-title.ts';
import {
  findRivalOfKeyedTask,
  findSendsAlike,
  findTaskOfEarlierRun,
  type KeyedTask,
  refuseSameSend,
} from '../../../client/sends/keyed-task.ts';
import { recipientsOf } from '../../../client/sends/same-send.ts';
import type { Id } from '../../../kit/schema/integer.ts';
import { isRelativeTime, parseTimePhrase } from '../../../kit/text/time-phrase.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { type TaskBody, type TaskRecord, task } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { explainError } from '../../errors/explain-error.ts';
import { readUnparsedAttributeFlagValue } from '../../request/attribute-flags.ts';
import { allowsBoth, idempotencyKeyFlag } from '../../request/key.ts';
import { sendNowFlag } from '../../request/send-time.ts';
import { createKeyLook } from '../../session/made-here.ts';
import type { Clocks, Invocation, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { createSendDependencies } from '../../session/send-ports.ts';
import { readHoldSeconds } from './schedule.ts';

const DAY = 86_400;
const NAMED = 3;

/**
 * The same message to the same recipients within a day is usually a job that ran twice. Continues if svc
 * can't check. Does nothing with `--no-validate`.
 * @param own the task itself, if it exists
 */
export async function warnAboutSameSends(
  session: Invocation & Tell & ServiceAccess & Clocks,
  body: TaskBody,
  own?: Id,
): Promise<void> {
  if (!session.globals.validate) return;
  const { channel, message_id } = body;
  const whom = recipientsOf(body);
  const time = Number(body.scheduledtime);
  try {
    const range = { from: time - DAY + 1, to: time + DAY - 1 };
    const isOther = ({ id }: TaskRecord): boolean => String(id) !== String(own);
    const alike = (await findSendsAlike(await session.client(), body, range, isOther)).toReversed();
    if (alike.length === 0) return;
    const zone = await session.displayZone();
    const named = alike.slice(0, NAMED).map((record) => lineOf(record, zone));
    const more = alike.length > NAMED ? [`      and ${alike.length - NAMED} more`] : [];
    const message = `${channel} message ${message_id}`;
    const isThis = alike.some((record) => String(record.message_id) === String(message_id));
    const shown = isThis ? message : `a message with the same content as ${message}`;
    const what = `${shown} already goes to ${whom} within a day of this task`;
    await session.warn([`Careful: ${what}:`, ...named, ...more]);
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    const reason = explainError(error).message;
    await session.warn(
      `cannot check whether the same message goes to ${whom} within a day of this task: ${reason}`,
    );
  }
}

function lineOf(record: TaskRecord, zone: string): string {
  const state = record.completed === true ? 'sent' : 'scheduled';
  return `      ${titleOf(task, record)}, ${state} ${formatTime(Number(record.scheduledtime), zone, 'long')}`;
}

/** Looks and checks that `--key` adds to the creation of a task. Undefined without the flag. */
export async function keyedCreation(
  session: Invocation & Tell & ServiceAccess & Profiles & Clocks,
  input: Input,
  body: TaskBody,
) {
  const wanted = await describeKeyedTask(session, input, body);
  if (wanted === undefined) return undefined;
  const look = await createKeyLook(session);
  const sends = createSendDependencies(session);
  return {
    findEarlier: () => findTaskOfEarlierRun(sends, look, wanted),
    refuseSameSend: async () => refuseSameSend(await session.client(), wanted),
    findRival: (made: TaskRecord, client: Client) => findRivalOfKeyedTask(sends, look, wanted, made, client),
  };
}

export type KeyedCreation = NonNullable<Awaited<ReturnType<typeof keyedCreation>>>;

async function describeKeyedTask(
  session: Clocks,
  input: Input,
  body: TaskBody,
): Promise<KeyedTask | undefined> {
  const both = allowsBoth(input);
  if (input.find(idempotencyKeyFlag) === undefined) return undefined;
  const time = Number(body.scheduledtime);
  const timeAt = await relativeTimeIn(session, input);
  const isSameTime = (record: TaskRecord): boolean => {
    const found = Number(record.scheduledtime);
    if (timeAt === undefined) return Math.floor(found) === Math.floor(time);
    const made = Number(record.cdate);
    const [earliest, latest] = [timeAt(made - MAX_SECONDS_BEFORE_POST), timeAt(made)];
    if (earliest === undefined || latest === undefined) return true;
    return found >= Math.min(earliest, latest) - MINUTE && found <= Math.max(earliest, latest) + MINUTE;
  };
  return { body, both, otherTimeOf: (record) => (isSameTime(record) ? undefined : time) };
}

const MINUTE = 60;
/** Time for look-ups, a question, and retries after `Retry-After`, before the POST of a time such as `+1h`. */
const MAX_SECONDS_BEFORE_POST = 15 * MINUTE;

/**
 * Computes the send time as if the command ran at a given time, in Unix seconds. The words `tomorrow 9am` are
 * thus compared with a task of an earlier run. Undefined if the command gives an absolute time.
 */
async function relativeTimeIn(
  session: Clocks,
  input: Input,
): Promise<((now: number) => number | undefined) | undefined> {
  if (input.get(sendNowFlag)) return (now) => now;
  const phrase = readUnparsedAttributeFlagValue(input, task, 'scheduledtime');
  const hold = readHoldSeconds(input);
  if (typeof phrase !== 'string') return hold === undefined ? undefined : (now) => now + hold;
  // --hold may have moved an absolute time.
  if (!isRelativeTime(phrase) && hold === undefined) return undefined;
  // Without a zone, svc has already refused a local time.
  const zone = (await session.inputZone()) ?? 'UTC';
  return (now) => {
    const read = parseTimePhrase(phrase, { now, zone });
    return read.ok ? Math.max(read.time, now + (hold ?? 0)) : undefined;
  };
}
