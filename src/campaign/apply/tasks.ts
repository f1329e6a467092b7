/** Schedules, changes and takes back tasks, each guarded as the single command is (contract, "Safety"). */
import { LEAST_LEFT } from '../../client/recovery/settle.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { SUBINFO_OCTETS, smsMessage } from '../../resources/sms-message.ts';
import { task } from '../../resources/task.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import { measureSms } from '../../text/gsm.ts';
import { foundTaskContent, type Identity, wantedTaskContent } from '../content.ts';
import { CampaignError } from '../errors.ts';
import { readMark, withMark } from '../marks.ts';
import type { Channel, Step, WantedTask } from '../model.ts';
import { bareName } from '../plan/adoption.ts';
import { resolveMessage } from '../plan/situation.ts';
import { LEAST_AHEAD } from '../plan/tasks.ts';
import {
  type ApplyContext,
  type Done,
  idFrom,
  idIn,
  markOf,
  setAsideName,
  writtenContent,
} from './context.ts';
import { makeOnce } from './once.ts';

interface Target {
  readonly channel: Channel;
  readonly id: Json;
  readonly identity: Identity;
}

export async function applyTask(context: ApplyContext, wanted: WantedTask, step: Step): Promise<Done> {
  const target = await targetOf(context, wanted);
  const time = step.time ?? 0;
  await leaveTime(context, wanted, time);
  if (step.action === 'change') return change(context, wanted, step, target);
  if (step.action !== 'replace') return make(context, wanted, target, time);
  await takeOut(context, wanted, step);
  // One that is cancelled and not made again would go to nobody.
  return make({ ...context, client: context.sure }, wanted, target, time);
}

async function make(context: ApplyContext, wanted: WantedTask, target: Target, time: number): Promise<Done> {
  const content = wantedTaskContent(wanted, target.identity, time);
  const body = {
    channel: target.channel,
    message_id: target.id as number,
    name: withMark(wanted.name, markOf(context, wanted, content)),
    scheduledtime: time,
    list_id: idOrNull(wanted.list),
    search_id: idOrNull(wanted.search),
    ...(wanted.rate === null ? {} : { rate: wanted.rate }),
  };
  const { record, isMade } = await makeOnce(context, {
    resource: task,
    body,
    counts: (found) => found['cancelled'] !== true || !context.overwrite,
    beforeAttempt: () => leaveTime(context, wanted, time, LEAST_LEFT),
    giveWay: async (own, first) => {
      await cancelForGood(context, own, `another run made task ${String(first['id'])}`, wanted);
      await context.note(
        `task ${wanted.key}: another run made task ${String(first['id'])} before; task ${String(own['id'])} is cancelled`,
      );
    },
  });
  if (record['cancelled'] === true)
    throw new CampaignError(
      'drift',
      `task ${wanted.key}: task ${String(record['id'])} was cancelled by hand`,
      {
        hint: 'It is never made again by itself; --overwrite makes it again.',
      },
    );
  if (!isMade && record['completed'] === true) return { id: String(record['id']) };
  await keepWithinLimits(context, wanted, record, target);
  return { id: String(record['id']), size: sizeOf(record) };
}

/** By PUT. Where it goes to somebody else its size is known anew, and held against the same limits. */
async function change(context: ApplyContext, wanted: WantedTask, step: Step, target: Target): Promise<Done> {
  const { client, overwrite } = context;
  const found = await freshly(context, wanted, step);
  if (!overwrite && !isAsWritten(context, wanted, found))
    throw new CampaignError(
      'drift',
      `task ${wanted.key}: task ${step.id} was changed by hand since the plan was made`,
      {
        hint: 'Plan again to see it; --overwrite writes over it.',
      },
    );
  await cancelOthers(context, wanted, found);
  const time = step.time ?? Number(found['scheduledtime']);
  const content = wantedTaskContent(wanted, target.identity, time);
  const name = withMark(wanted.name, markOf(context, wanted, content));
  const all = {
    name,
    scheduledtime: time,
    list_id: idOrNull(wanted.list),
    search_id: idOrNull(wanted.search),
  };
  const isElsewhere =
    String(found['list_id'] ?? '') !== (wanted.list ?? '') ||
    String(found['search_id'] ?? '') !== (wanted.search ?? '');
  const { list_id: _, search_id: __, ...rest } = all;
  const record = await client.update(task, idIn(found), isElsewhere ? all : rest, {
    beforeAttempt: () => leaveTime(context, wanted, time, LEAST_LEFT),
  });
  await keepWithinLimits(context, wanted, record, target);
  return { id: String(record['id']), size: sizeOf(record) };
}

/** The task that is to be replaced, cancelled: at no moment are two of them live. */
async function takeOut(context: ApplyContext, wanted: WantedTask, step: Step): Promise<void> {
  const found = await freshly(context, wanted, step);
  await cancelOthers(context, wanted, found);
  await cancelForGood(context, found, 'it is made again', wanted);
}

/** The task as it is now. @throws CampaignError where it can't be changed any more */
async function freshly(context: ApplyContext, wanted: WantedTask, step: Step): Promise<JsonObject> {
  const found = await context.client.get(task, idFrom(step.id ?? ''));
  const called = `task ${wanted.key}: task ${step.id}`;
  if (!found) throw new CampaignError('drift', `${called} is gone since the plan was made`);
  if (found['cancelled'] === true)
    throw new CampaignError('drift', `${called} was cancelled by hand since the plan was made`);
  const ahead = Number(found['scheduledtime']) - (await context.latestNow());
  if (found['completed'] === true || ahead < LEAST_AHEAD)
    throw new CampaignError('drift', `${called} starts in less than ${LEAST_AHEAD / 60} minutes by now`);
  return found;
}

/** Others that a run beside an earlier one made: the first stays. */
async function cancelOthers(context: ApplyContext, wanted: WantedTask, kept: JsonObject): Promise<void> {
  const live = context.situation
    .own('task', wanted.key)
    .filter(
      ({ record, isSetAside }) => !isSetAside && record['cancelled'] !== true && record['completed'] !== true,
    );
  for (const { record } of live)
    if (compareNumbers(idNumber(record), idNumber(kept)) !== 0)
      await cancelForGood(context, record, `task ${String(kept['id'])} was made for the same`, wanted);
}

function isAsWritten(context: ApplyContext, wanted: WantedTask, record: JsonObject): boolean {
  const identity = context.situation.identityOf(record['channel'] as Channel, record['message_id']);
  const found = foundTaskContent(bareName(record), record, identity);
  return found === writtenContent(context, wanted, record);
}

/**
 * Cancels a task and says in its name, in the same PUT, that this was not done by hand.
 * @param item whose it is; undefined where the file no longer names it
 * @throws CampaignError where it may still be sent
 */
export async function cancelForGood(
  context: ApplyContext,
  record: JsonObject,
  why: string,
  item?: WantedTask,
): Promise<void> {
  const { client } = context;
  const id = idIn(record);
  const marked = readMark(record['name']);
  // One that the item only names bears no mark of it yet.
  const mark = item ? markOf(context, item) : marked?.mark;
  const name = mark ? setAsideName(bareName(record), mark) : String(record['name']);
  try {
    await client.update(task, id, { cancelled: true, name });
  } catch (cause) {
    const found = await client.get(task, id).catch(() => undefined);
    if (found?.['cancelled'] === true) return;
    throw new CampaignError('not-cancelled', `task ${String(id)} IS NOT CANCELLED and may be sent (${why})`, {
      hint: `Cancel it now: svc task cancel ${String(id)} --yes. svc task get ${String(id)} shows whether it is.`,
      cause,
    });
  }
}

/** Contract: `expect-size` and `max-credits` that do not hold leave no live task. */
async function keepWithinLimits(
  context: ApplyContext,
  wanted: WantedTask,
  record: JsonObject,
  target: Target,
): Promise<void> {
  const fault = await beyondLimits(context, wanted, record, target);
  if (fault === undefined) return;
  await cancelForGood(context, record, fault, wanted);
  throw new CampaignError(
    'unexpected',
    `task ${wanted.key}: ${fault}; task ${String(record['id'])} is cancelled`,
    {
      hint: 'Check the list, or expect-size and max-credits in the file; the same command makes it anew then.',
    },
  );
}

async function beyondLimits(
  { client }: ApplyContext,
  { expectSize, maxCredits }: WantedTask,
  record: JsonObject,
  target: Target,
): Promise<string | undefined> {
  if (expectSize === null && maxCredits === null) return undefined;
  const size = sizeOf(record);
  if (size === null) return 'its size is not known';
  if (expectSize !== null && (size < expectSize.from || size > expectSize.to))
    return `it found ${size} subscriptions, and ${expectSize.from} to ${expectSize.to} were expected`;
  if (maxCredits === null) return undefined;
  let each = 1;
  if (target.channel === 'sms') {
    const message = await client.get(smsMessage, idIn({ id: target.id }));
    each = measureSms(
      String(message?.['message'] ?? ''),
      message?.['subinfo'] === true ? SUBINFO_OCTETS : 0,
    ).credits;
  }
  const credits = size * each;
  return credits > maxCredits
    ? `it would take ${credits} credits, and ${maxCredits} is the maximum`
    : undefined;
}

/** A past time would be sent at once (interface, task). */
async function leaveTime(
  { latestNow }: ApplyContext,
  { key, hold }: WantedTask,
  time: number,
  least = Math.max(LEAST_AHEAD, hold ?? 0),
): Promise<void> {
  if (time - (await latestNow()) >= least) return;
  throw new CampaignError(
    'blocked',
    `task ${key}: its time is less than ${Math.round(least / 60)} minutes ahead by now`,
    {
      hint: 'Give it a later time in the file.',
    },
  );
}

async function targetOf(context: ApplyContext, wanted: WantedTask): Promise<Target> {
  const found = resolveMessage(context.situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in found) throw new CampaignError('blocked', `task ${wanted.key}: ${found.fault}`);
  if (!('key' in found))
    return { channel: found.channel ?? 'email', id: idFrom(found.id), identity: `id:${found.id}` };
  const version = context.versions.get(found.key);
  if (!version) throw new CampaignError('blocked', `task ${wanted.key}: its message ${found.key} is blocked`);
  return { ...version, identity: `key:${found.key}` };
}

const idOrNull = (digits: string | null): number | bigint | null => (digits === null ? null : idFrom(digits));

const sizeOf = ({ size }: JsonObject): number | null => (typeof size === 'number' ? size : null);
