/** Every write that may cause a send uses the code in `sends/`, as `svc task create` does. */

import { cancelTaskWithRetries } from '../../../client/sends/cancel.ts';
import { createLimitsCheck } from '../../../client/sends/cost.ts';
import type { TaskCheck } from '../../../client/sends/errors.ts';
import {
  type CompetingTask,
  changeTask,
  makeTask,
  requireSendableTask,
} from '../../../client/sends/make-task.ts';
import { isActiveTask } from '../../../client/sends/same-send.ts';
import { SEND_TIME_MARGINS_IF_CANCELLABLE } from '../../../client/sends/send-time.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  isMarkedAsSetAside,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../service/resources/campaign-mark.ts';
import { type Channel, task } from '../../../service/resources/task.ts';
import { computeTaskRecordHash, computeWantedTaskHash, digits, type MessageIdentity } from '../content.ts';
import {
  CampaignError,
  changedByHandError,
  changedMeanwhileError,
  otherRunError,
  PLAN_AGAIN_OR_OVERWRITE,
} from '../errors.ts';
import type { Step, TaskRecord, WantedMessage, WantedTask } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import { isNameFixed } from '../plan/renames.ts';
import { findRivalOfOwnTask, givesWay } from '../plan/rival-sends.ts';
import { findIdentityOfResolvedMessage, resolveMessage } from '../plan/situation.ts';
import { wasCancelledAfterStart } from '../plan/tasks.ts';
import {
  type ApplyContext,
  createCampaignMarkForItem,
  findLastWrittenHash,
  nameOfRetiredRecord,
  nameWithMark,
  type RetiredMarkLetter,
  type StepResult,
} from './context.ts';
import { isLockedMessageUnchanged } from './messages.ts';
import { findSameSendOfOthers } from './rivals.ts';

interface Target {
  readonly channel: Channel;
  readonly id: number | bigint;
  readonly identity: MessageIdentity;
  readonly isOwn: boolean;
}

export async function applyTask(context: ApplyContext, wanted: WantedTask, step: Step): Promise<StepResult> {
  if (step.action === 'rename') return renameTask(context, wanted, step);
  if (step.action === 'change' && step.changes === undefined) return cancelDuplicates(context, wanted, step);
  const target = await targetOf(context, wanted);
  const time = step.time ?? 0;
  await checkSendTime(context, wanted, time);
  if (step.action === 'change') return changeCampaignTask(context, wanted, step, target);
  if (step.action !== 'replace') return createCampaignTask(context, wanted, target, time);
  const { sends } = context;
  return sends.withSignalGuard(async () => {
    await cancelReplaced(context, wanted, step);
    // If the earlier task were cancelled and its replacement not created, nobody would get the message.
    const sure = await sends.clientWith(
      new AbortController().signal,
      'Ctrl-C cannot stop this step: svc has cancelled the earlier task and must create its replacement',
    );
    return createCampaignTask({ ...context, client: sure }, wanted, target, time, true);
  });
}

/** @param despiteInterrupt true if svc has cancelled the task that it replaces, so that Ctrl-C must not stop it */
async function createCampaignTask(
  context: ApplyContext,
  wanted: WantedTask,
  target: Target,
  time: number,
  despiteInterrupt = false,
): Promise<StepResult> {
  const content = computeWantedTaskHash(wanted, target.identity, time);
  const body = {
    channel: target.channel,
    message_id: target.id,
    name: nameWithMark(context, wanted, content),
    scheduledtime: time,
    list_id: idOrNull(wanted.list),
    search_id: idOrNull(wanted.search),
    ...(wanted.rate === null ? {} : { rate: wanted.rate }),
  };
  const guards = taskGuards(context, wanted, time);
  const there = await findTaskOfOtherRun(context, wanted, body);
  if (there) return doneWith(await requireSendableTask(context.sends, there, guards));
  return doneWith(
    await makeTask(context.sends, {
      ...guards,
      checks: [messageCheck(context, wanted, target), ...guards.checks],
      body,
      stateBefore: { above: context.newRecords.highestId(task) },
      hold: wanted.hold ?? undefined,
      findRival: (made, client) => findRivalTask({ ...context, client }, wanted, body, made),
      despiteInterrupt,
    }),
  );
}

const doneWith = ({ id, size }: TaskRecord): StepResult => ({
  id: String(id),
  size: typeof size === 'number' ? size : null,
});

/** If the task exceeds `expect-size` or `max-credits`, svc cancels it (contract). */
function taskGuards(context: ApplyContext, wanted: WantedTask, time: number) {
  const title = ({ id }: TaskRecord): string => `task ${wanted.key}: task ${String(id)}`;
  const hint = 'Check the list, or expect-size and max-credits in the file; then run the same command again.';
  return {
    title,
    checks: [createLimitsCheck(wanted, title, hint)],
    recheckTime: () =>
      checkSendTime(context, wanted, time, SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsLeftAtRequest),
    cancelledName: (record: TaskRecord, hasRival: boolean) =>
      nameSetAside(
        context,
        record,
        wanted,
        hasRival ? CANCELLED_DUPLICATE_MARK_LETTER : REPLACED_RECORD_MARK_LETTER,
      ),
  };
}

function messageCheck(context: ApplyContext, wanted: WantedTask, { channel, id, isOwn }: Target): TaskCheck {
  const { message } = wanted;
  const item = context.situation.campaign.items.find(
    (each): each is WantedMessage => each.kind === 'message' && 'key' in message && each.key === message.key,
  );
  return async ({ id: made }, client) => {
    if (!isOwn || !item || (await isLockedMessageUnchanged({ ...context, client }, item, id)))
      return undefined;
    const messageTitle = `${channel} message ${id}`;
    return {
      kind: 'drift',
      why: `task ${wanted.key}: someone changed ${messageTitle} by hand before task ${String(made)} was created`,
      hint: PLAN_AGAIN_OR_OVERWRITE,
      isConflict: true,
    };
  };
}

/** If a person has cancelled the task of another run, the new task must not replace it (contract, "Sends and campaigns, once more"). */
async function findRivalTask(
  context: ApplyContext,
  wanted: WantedTask,
  body: Values,
  made: TaskRecord,
): Promise<CompetingTask | undefined> {
  const earlier = (await findNewTasks(context, wanted, made)).filter(({ id }) => id < made.id);
  const record = earlier.find(({ cancelled }) => cancelled !== true) ?? earlier[0];
  if (record === undefined) return findDuplicateSend(context, wanted, body, made);
  if (record.cancelled === true) {
    const error = cancelledByHandError(wanted, record);
    return { record, why: error.message, error };
  }
  const rival = `task ${record.id}`;
  const own = `task ${made.id}`;
  return {
    record,
    why: `task ${wanted.key}: another run has created ${rival} first`,
    error:
      record.name === made.name
        ? undefined
        : otherRunError(`task ${wanted.key}`, `${rival} first, so svc cancelled ${own}`),
  };
}

async function findDuplicateSend(
  context: ApplyContext,
  wanted: WantedTask,
  body: Values,
  made: TaskRecord,
): Promise<CompetingTask | undefined> {
  const record = await findSameSendOfOthers(context, wanted, body, made);
  if (record === undefined) return undefined;
  const otherTask = `task ${record.id}`;
  return {
    record,
    why: `task ${wanted.key}: ${otherTask} sends the same message`,
    error: sameSendError(wanted, otherTask),
  };
}

/**
 * @throws CampaignError if that run used another version of the file, if a person has cancelled the task, or if a task outside the item
 * sends the same message
 */
async function findTaskOfOtherRun(
  context: ApplyContext,
  wanted: WantedTask,
  body: Values & { readonly name: string },
): Promise<TaskRecord | undefined> {
  for (const record of await findNewTasks(context, wanted)) {
    if (record.cancelled === true) throw cancelledByHandError(wanted, record);
    if (record.name === body.name) return record;
    throw otherRunError(`task ${wanted.key}`, `task ${record.id}`);
  }
  const same = await findSameSendOfOthers(context, wanted, body);
  if (!same) return undefined;
  const { id } = same;
  const isMarked = parseCampaignMark(same.name) !== undefined;
  throw new CampaignError(
    'drift',
    `task ${wanted.key}: task ${id}${isMarked ? '' : ', which has no mark,'} sends the same message to the same list`,
    {
      hint: `Run svc plan again to see task ${id}. To use that task for this item, add --adopt ${wanted.key}=${id}. To send that task and also the task of your file, add --both.`,
    },
  );
}

const sameSendError = ({ key }: WantedTask, other: string): CampaignError =>
  new CampaignError(
    'beaten',
    `task ${key}: ${other} sends the same message to the same recipients at the same time, so svc has cancelled the task of this campaign`,
    { hint: `If ${other} is the send that you want, remove ${key} from the file. To send both, add --both.` },
  );

const cancelledByHandError = ({ key }: WantedTask, { id }: TaskRecord): CampaignError =>
  new CampaignError('drift', `task ${key}: someone cancelled task ${id}`, {
    hint: 'svc apply does not create a cancelled task again. To create the task again, add --overwrite.',
  });

/** Without `made` and those whose mark says that svc cancelled them. */
async function findNewTasks(
  { client, newRecords }: ApplyContext,
  { key }: WantedTask,
  made?: TaskRecord,
): Promise<readonly TaskRecord[]> {
  await newRecords.refresh(task, client);
  const now: TaskRecord[] = [];
  for (const { id } of newRecords.recordsOfItem(task, 'task', key)) {
    if (id === made?.id) continue;
    const record = await client.get(task, id);
    if (record && !isMarkedAsSetAside(record.name)) now.push(record);
  }
  return now;
}

async function cancelDuplicates(context: ApplyContext, wanted: WantedTask, step: Step): Promise<StepResult> {
  const kept = await context.client.get(task, parseIntegerDigits(step.id ?? ''));
  if (!kept || kept.cancelled === true)
    throw new CampaignError('drift', `task ${wanted.key}: task ${step.id} no longer exists`);
  await cancelOthers(context, wanted, kept);
  await giveWayToRival(context, wanted, kept);
  const own = context.situation.own('task', wanted.key).find(({ record }) => record.id === kept.id);
  if (own?.hasEarlierMark && !isNameFixed(context.situation, own)) await renameTask(context, wanted, step);
  return { id: step.id ?? null };
}

/** Gives the task the mark of the item's key. The PUT has only the name, so what the task sends stays the same. */
async function renameTask(context: ApplyContext, wanted: WantedTask, step: Step): Promise<StepResult> {
  const found = await rereadTask(context, wanted, step);
  refuseDrift(context, wanted, found);
  const written = findLastWrittenHash(context, wanted, found) ?? '';
  const name = nameWithMark(context, { ...wanted, name: readNameWithoutCampaignMark(found) }, written);
  const record = await context.client.update(task, found.id, { name });
  if (!isAsWritten(context, wanted, record))
    throw changedMeanwhileError(`task ${wanted.key}: task ${step.id}`, 'renaming the record');
  return doneWith(record);
}

/** @throws CampaignError if another one is, whatever its id */
async function giveWayToRival(context: ApplyContext, wanted: WantedTask, kept: TaskRecord): Promise<void> {
  const rival = findRivalOfOwnTask(context.situation, kept);
  if (rival === undefined) return;
  const now = await context.client.get(task, rival.record.id);
  if (!now || !isActiveTask(now)) return;
  const other = `task ${now.id}`;
  if (!givesWay(kept, rival))
    throw new CampaignError(
      'drift',
      `task ${wanted.key}: ${other} and task ${kept.id} send the same message to the same recipients at the same time`,
      { hint: `Cancel one of them (svc task cancel ${now.id}), or use --both to send both.` },
    );
  refuseDrift(context, wanted, kept);
  const why = `${other} sends the same message to the same recipients at the same time`;
  await cancelCampaignTask(context, kept, why, { item: wanted, as: CANCELLED_DUPLICATE_MARK_LETTER });
  throw sameSendError(wanted, other);
}

/** If the recipients of the task change, reads its size again and checks the limits of the item. */
async function changeCampaignTask(
  context: ApplyContext,
  wanted: WantedTask,
  step: Step,
  target: Target,
): Promise<StepResult> {
  const found = await rereadWithoutDuplicates(context, wanted, step);
  const time = step.time ?? found.scheduledtime;
  const content = computeWantedTaskHash(wanted, target.identity, time);
  const name = nameWithMark(context, wanted, content);
  const all = {
    name,
    scheduledtime: time,
    list_id: idOrNull(wanted.list),
    search_id: idOrNull(wanted.search),
  };
  const isElsewhere = digits(found.list_id) !== wanted.list || digits(found.search_id) !== wanted.search;
  const { list_id: _, search_id: __, ...rest } = all;
  const record = await changeTask(context.sends, {
    ...taskGuards(context, wanted, time),
    id: found.id,
    body: isElsewhere ? all : rest,
  });
  // The PUT did not set the list, so someone may have changed the list since the last check.
  if (!isAsWritten(context, wanted, record))
    throw changedMeanwhileError(`task ${wanted.key}: task ${step.id}`, 'updating the record');
  return doneWith(record);
}

async function cancelReplaced(context: ApplyContext, wanted: WantedTask, step: Step): Promise<void> {
  const found = await rereadWithoutDuplicates(context, wanted, step);
  const why = `svc is replacing task ${wanted.key}`;
  const cancelled = await cancelCampaignTask(context, found, why, { item: wanted });
  const called = `task ${wanted.key}: task ${step.id}`;
  if (!isMarkedAsSetAside(cancelled.name))
    throw new CampaignError('drift', `${called} was cancelled by hand before svc could replace it`);
  if (wasCancelledAfterStart(cancelled))
    throw new CampaignError(
      'drift',
      `${called} was due when it was cancelled, so some recipients may have received it`,
    );
  if (contentOf(context, '', cancelled) !== contentOf(context, '', found))
    throw changedMeanwhileError(
      called,
      'replacing the task; svc has cancelled the old task, but has not created the new one',
    );
}

/** @throws CampaignError if it was changed by hand, or can't be changed any more */
async function rereadWithoutDuplicates(
  context: ApplyContext,
  wanted: WantedTask,
  step: Step,
): Promise<TaskRecord> {
  const found = await rereadTask(context, wanted, step);
  refuseDrift(context, wanted, found);
  if (!(await cancelOthers(context, wanted, found))) return found;
  // The check took time, in which the task may have been changed by hand.
  const now = await rereadTask(context, wanted, step);
  refuseDrift(context, wanted, now);
  return now;
}

/** @throws CampaignError if it can't be changed any more */
async function rereadTask(context: ApplyContext, wanted: WantedTask, step: Step): Promise<TaskRecord> {
  const found = await context.client.get(task, parseIntegerDigits(step.id ?? ''));
  const called = `task ${wanted.key}: task ${step.id}`;
  if (!found) throw new CampaignError('drift', `${called} no longer exists`);
  if (found.cancelled === true) {
    if (isMarkedAsSetAside(found.name))
      throw new CampaignError('beaten', `another run of svc apply is replacing ${called}`);
    throw new CampaignError('drift', `${called} was cancelled by hand since the plan was made`);
  }
  const ahead = found.scheduledtime - (await context.sends.latestNow());
  if (found.completed === true || ahead < SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead)
    throw new CampaignError(
      'drift',
      `${called} now starts in less than ${SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead / 60} minutes`,
    );
  return found;
}

/** Returns true if the service listed another active task of the item. */
async function cancelOthers(context: ApplyContext, wanted: WantedTask, kept: TaskRecord): Promise<boolean> {
  const live = context.situation
    .own('task', wanted.key)
    .filter(({ record }) => isActiveTask(record) && record.id !== kept.id);
  for (const { record } of live) {
    const found = await context.client.get(task, record.id);
    if (!found || !isActiveTask(found)) continue;
    refuseDrift(context, wanted, found);
    const why = `task ${kept.id} already sends the same message to the same recipients`;
    await cancelCampaignTask(context, found, why, { item: wanted, as: CANCELLED_DUPLICATE_MARK_LETTER });
  }
  return live.length > 0;
}

function refuseDrift(context: ApplyContext, wanted: WantedTask, found: TaskRecord): void {
  if (context.overwrite || isAsWritten(context, wanted, found)) return;
  throw changedByHandError(
    `task ${wanted.key}: task ${found.id} was changed by hand since the plan was made`,
  );
}

const isAsWritten = (context: ApplyContext, wanted: WantedTask, record: TaskRecord): boolean =>
  contentOf(context, readNameWithoutCampaignMark(record), record) ===
  findLastWrittenHash(context, wanted, record);

function contentOf({ situation }: ApplyContext, name: string, record: TaskRecord): string {
  const identity = situation.identityOf(record.channel, record.message_id);
  return computeTaskRecordHash(name, record, identity);
}

/**
 * Cancels a task with a PUT that also marks its name, so that the task does not look as if a person had cancelled it.
 * @param item undefined if the file no longer contains the item
 * @throws SendError if the task may still be sent
 */
export const cancelCampaignTask = (
  context: ApplyContext,
  record: TaskRecord,
  why: string,
  {
    item,
    as = REPLACED_RECORD_MARK_LETTER,
  }: { readonly item?: WantedTask; readonly as?: RetiredMarkLetter } = {},
): Promise<TaskRecord> =>
  cancelTaskWithRetries(context.sends, record, { why, name: nameSetAside(context, record, item, as) });

function nameSetAside(
  context: ApplyContext,
  record: TaskRecord,
  item: WantedTask | undefined,
  as: RetiredMarkLetter,
): string {
  // A task that is adopted by its id has no mark of the item yet.
  const found = parseCampaignMark(record.name)?.mark;
  // The hash of its time words stays as it was at creation.
  const mark = item
    ? {
        ...createCampaignMarkForItem(context, item, as),
        ...(found ? { relativeTimeHash: found.relativeTimeHash } : {}),
      }
    : found;
  return mark ? nameOfRetiredRecord(readNameWithoutCampaignMark(record), mark, as) : String(record.name);
}

/** For a past time, the service would send at once (interface, task). */
async function checkSendTime(
  { sends: { latestNow } }: ApplyContext,
  { key, hold }: WantedTask,
  time: number,
  minSecondsAhead = Math.max(SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead, hold ?? 0),
): Promise<void> {
  if (time - (await latestNow()) >= minSecondsAhead) return;
  throw new CampaignError(
    'blocked',
    `task ${key}: its send time is less than ${Math.round(minSecondsAhead / 60)} minutes ahead`,
    { hint: 'Set a later time in the file.' },
  );
}

async function targetOf(context: ApplyContext, wanted: WantedTask): Promise<Target> {
  const found = resolveMessage(context.situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in found) throw new CampaignError('blocked', `task ${wanted.key}: ${found.fault}`);
  if (!('key' in found))
    return {
      channel: found.channel ?? 'email',
      id: parseIntegerDigits(found.id),
      identity: findIdentityOfResolvedMessage(context.situation, found),
      isOwn: false,
    };
  const version = context.versions.get(found.key);
  if (!version)
    throw new CampaignError(
      'blocked',
      `task ${wanted.key}: the message ${found.key} is blocked, so the task cannot be created`,
    );
  return { ...version, identity: findIdentityOfResolvedMessage(context.situation, found), isOwn: true };
}

const idOrNull = (digits: string | null): number | bigint | null =>
  digits === null ? null : parseIntegerDigits(digits);
