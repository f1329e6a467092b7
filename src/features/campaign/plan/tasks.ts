/** Plans each task, depending on the state of its record (interface, "States and transitions"). */
import { countSmsParts, findExceededLimit } from '../../../client/sends/cost.ts';
import { isActiveTask, isSameMessage } from '../../../client/sends/same-send.ts';
import { computeWantedTaskHash, digits } from '../content.ts';
import type { AttributeChange, Step, TaskRecord, WantedTask } from '../model.ts';
import { parseOccurrenceKey } from '../series.ts';
import { blockedStep, formatIdWithRuleKind, isVersionInUse, type PlannedMessage } from './messages.ts';
import { blockTasksOfTwoKeys } from './renames.ts';
import {
  blockDuplicateSend,
  blockExistingDuplicate,
  createdMoreThanOnce,
  describeRepeatedSend,
  findCampaignSendOfWantedTask,
  findDuplicateTaskOutsideCampaigns,
  type PlannedCampaignSend,
  readCampaignSendOfTaskRecord,
} from './rival-sends.ts';
import { blockBesideEarlierDays } from './series.ts';
import {
  findIdentityOfResolvedMessage,
  messageExists,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';
import {
  hasUnchangedRelativeTime,
  MIN_SECONDS_BEFORE_SEND,
  relativeTimeText,
  resolveSendTime,
  sendTimeRefusal,
} from './task-time.ts';
import { blockVanishedTask } from './vanished-keys.ts';

export { MIN_SECONDS_BEFORE_SEND } from './task-time.ts';

type OwnTask = RecordOwnedByCampaign<'task'>;

/** A change of any other attribute needs a new task. */
const CHANGEABLE: readonly string[] = ['name', 'scheduledtime', 'list_id', 'search_id'];

/**
 * @param messages plans for the file's messages, by the key of the message
 * @param sends sends that svc has already planned, for earlier items of this file and for earlier files
 */
export function planTask(
  situation: PlanningSituation,
  wanted: WantedTask,
  messages: ReadonlyMap<string, PlannedMessage>,
  sends: readonly PlannedCampaignSend[],
): Step {
  const step = planAlone(situation, wanted, messages);
  if (namesMissingTask(situation, wanted)) return step;
  const single = blockDuplicateSend(situation, wanted, blockVanishedTask(situation, wanted, step), sends);
  return blockExistingDuplicate(situation, wanted, blockBesideEarlierDays(situation, wanted, single));
}

/** An occurrence that was sent or cancelled stays as it is, whatever the file says now: a change of a series is for its later times. */
const isOccurrence = ({ key }: WantedTask): boolean => parseOccurrenceKey(key) !== undefined;

const namesMissingTask = (situation: PlanningSituation, { key, adopted }: WantedTask): boolean =>
  adopted !== undefined && situation.own('task', key).length === 0;

function planAlone(
  situation: PlanningSituation,
  wanted: WantedTask,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const found = situation.own('task', key).filter(({ isWithdrawn }) => !isWithdrawn);
  const live = found.filter(({ record }) => isActiveTask(record));
  const sent = found.find(({ record }) => record.completed === true);
  const apart = blockTasksOfTwoKeys(situation, step, [...(sent ? [sent] : []), ...live]);
  if (apart) return apart;
  if (sent)
    return live.length > 0
      ? planDuplicateRemoval(situation, step, sent, live)
      : planSent(situation, wanted, sent, messages);
  const [first, ...others] = live;
  if (!first) return planUnscheduled(situation, wanted, found, messages);
  const planned = planScheduled(situation, wanted, first, messages);
  if (others.length === 0) return planned;
  const back = planDuplicateRemoval(situation, step, first, others);
  if (back.action === 'blocked' || planned.action === 'keep') return back;
  const reason = [back.reason, planned.reason].filter(Boolean).join('; ');
  // The duplicates must go even if the remaining task differs from the file and stays as it is.
  return { ...(planned.action === 'blocked' ? back : planned), reason };
}

function planSent(
  situation: PlanningSituation,
  wanted: WantedTask,
  sent: OwnTask,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const id = formatIdWithRuleKind(sent);
  const step = { kind: 'task', key, name, id } as const;
  if (isOccurrence(wanted))
    return { ...step, ...sizeAndCredits(situation, sent), action: 'keep', reason: 'the task has been sent' };
  const timed = resolveSendTime(situation, wanted, sent);
  if ('fault' in timed) return blockedStep(step, 'time', timed.fault);
  const changes = changesOf(wanted, sent, timed.time);
  const differs = [
    ...changes.map(({ attribute }) => attribute),
    ...(sentSameMessage(situation, wanted, sent) ? [] : ['message']),
  ];
  if (differs.length > 0)
    return blockedStep(
      { ...step, changes, time: timed.time },
      'state',
      `task ${id} has been sent with values that differ from the file: ${differs.join(', ')}; to send the message again, use a new key in the file`,
    );
  const { channel, message_id } = sent.record;
  const planned = 'key' in wanted.message ? messages.get(wanted.message.key) : undefined;
  const isAnotherVersion = planned !== undefined && !isVersionInUse(planned, message_id);
  const version = isAnotherVersion ? ` with ${channel} message ${message_id}, an earlier version` : '';
  const reason = `the task has been sent${version}; to send the message again, use a new key in the file`;
  return { ...step, ...sizeAndCredits(situation, sent), action: 'keep', reason };
}

/** A deleted message can't be compared. */
function sentSameMessage(situation: PlanningSituation, wanted: WantedTask, { record }: OwnTask): boolean {
  const { channel, message_id } = record;
  if (!messageExists(situation.observed, channel, message_id)) return true;
  const send = findCampaignSendOfWantedTask(situation, wanted, 0);
  return send !== undefined && isSameMessage(send, readCampaignSendOfTaskRecord(situation, record));
}

function planScheduled(
  situation: PlanningSituation,
  wanted: WantedTask,
  live: OwnTask,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const message = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in message) return blockedStep(step, 'reference', message.fault);
  const timed = resolveSendTime(situation, wanted, live);
  if ('fault' in timed) return blockedStep(step, 'time', timed.fault);
  const planned = 'key' in message ? messages.get(message.key) : undefined;
  const identity = findIdentityOfResolvedMessage(situation, message);
  const content = computeWantedTaskHash(wanted, identity, timed.time);
  const hasSameTimeText = hasUnchangedRelativeTime(wanted, live);
  const { record } = live;
  // E-mail and SMS messages have separate ids.
  const usesCurrentVersion =
    record.channel === message.channel &&
    ('key' in message
      ? isVersionInUse(planned, record.message_id)
      : String(record.message_id) === String(message.id));
  const isCounted =
    record.channel === message.channel &&
    digits(record.list_id) === wanted.list &&
    digits(record.search_id) === wanted.search;
  // The service counts the recipients of another list or channel only after the task is changed or made again.
  const counted = isCounted ? sizeAndCredits(situation, live) : { size: null, credits: null };
  const shown = { ...step, id: formatIdWithRuleKind(live), ...counted, time: timed.time };
  const { now } = situation.observed;
  const due = record.scheduledtime;
  const isKept =
    live.isAsWritten && live.mark.contentHashOrReason === content && usesCurrentVersion && hasSameTimeText;
  // A run may have been killed before it compared the task's size with the limits.
  const excess = isKept ? findExceededLimit(wanted, sizeAndCredits(situation, live)) : undefined;
  const called = `task ${formatIdWithRuleKind(live)}`;
  const limitProblem = excess && `${called} ${excess.words}`;
  if (isKept && due > now && planned?.step.action === 'blocked') return waitingFor(shown, planned);
  if (isKept && limitProblem === undefined) return { ...shown, action: 'keep' };
  if (due <= now) {
    const reason =
      limitProblem === undefined
        ? `${called} is being sent`
        : `${limitProblem}, but svc cannot change the task while it is being sent`;
    if (limitProblem === undefined && isOccurrence(wanted)) return { ...shown, action: 'keep', reason };
    return blockedStep(shown, 'state', reason);
  }
  if (!live.isAsWritten && !situation.options.overwrite)
    return blockedStep(shown, 'drift', driftIn(situation, live));
  if (due - now < MIN_SECONDS_BEFORE_SEND)
    return blockedStep(
      shown,
      'time',
      `${called} starts in less than ${MIN_SECONDS_BEFORE_SEND / 60} minutes`,
    );
  const late = sendTimeRefusal(wanted, timed.time, now);
  if (late !== undefined) return blockedStep(shown, 'time', late);
  const changes = changesOf(wanted, live, timed.time);
  const isFixed = changes.some(({ attribute }) => !CHANGEABLE.includes(attribute));
  if (limitProblem !== undefined)
    return { ...shown, action: 'change', changes, reason: `${limitProblem}, so svc cancels the task` };
  const like = findDuplicateTaskOutsideCampaigns(situation, wanted, timed.time, record);
  if (like !== undefined) return { ...shown, action: 'blocked', blockedBy: 'drift', ...like };
  const said = hasSameTimeText ? {} : { reason: `the time "${relativeTimeText(wanted)}" is relative to now` };
  if (usesCurrentVersion && !isFixed) return { ...shown, action: 'change', changes, ...said };
  if (!usesCurrentVersion && planned?.step.action === 'blocked') return waitingFor(shown, planned);
  const reason = usesCurrentVersion
    ? 'the rate of a task cannot be changed, so svc cancels the task and creates it again'
    : 'the message of the task has a new version, so svc cancels the task and creates it again';
  return { ...shown, action: 'replace', reason, changes };
}

/** @param found cancelled tasks of the item, ordered by id */
function planUnscheduled(
  situation: PlanningSituation,
  wanted: WantedTask,
  found: readonly OwnTask[],
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const message = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in message) return blockedStep(step, 'reference', message.fault);
  const begun = found.find(({ record }) => wasCancelledAfterStart(record));
  if (begun) {
    if (isOccurrence(wanted)) return keptAsCancelled(step, begun, 'while it was being sent');
    const reason = `task ${formatIdWithRuleKind(begun)} was cancelled, but some recipients may have received it; to send the message again, use a new key in the file`;
    return blockedStep({ ...step, id: formatIdWithRuleKind(begun) }, 'state', reason);
  }
  const timed = resolveSendTime(
    situation,
    wanted,
    found.findLast(({ isSetAside }) => isSetAside),
  );
  if ('fault' in timed) return blockedStep(step, 'time', timed.fault);
  const byHand = cancelledByHand(found);
  if (byHand && !situation.options.overwrite) {
    if (isOccurrence(wanted)) return keptAsCancelled(step, byHand, 'by hand');
    const reason = `task ${formatIdWithRuleKind(byHand)} was cancelled by hand`;
    return blockedStep({ ...step, id: formatIdWithRuleKind(byHand) }, 'drift', reason);
  }
  const like = namesMissingTask(situation, wanted)
    ? undefined
    : findDuplicateTaskOutsideCampaigns(situation, wanted, timed.time);
  if (like !== undefined) return { ...step, action: 'blocked', blockedBy: 'drift', ...like };
  const planned = 'key' in message ? messages.get(message.key) : undefined;
  const shown = { ...step, time: timed.time };
  const late = sendTimeRefusal(wanted, timed.time, situation.observed.now);
  if (late !== undefined) return blockedStep(shown, 'time', late);
  if (planned?.step.action === 'blocked') return waitingFor(shown, planned);
  const again =
    byHand && `task ${formatIdWithRuleKind(byHand)} was cancelled by hand, and --overwrite creates it again`;
  const notes = [again, describeRepeatedSend(situation, wanted, timed.time), timed.note].filter(Boolean);
  const note = notes.length > 0 ? { reason: notes.join('; ') } : {};
  return { ...shown, action: 'create', size: null, credits: null, ...note };
}

const keptAsCancelled = (step: Omit<Step, 'action'>, cancelled: OwnTask, how: string): Step => {
  const id = formatIdWithRuleKind(cancelled);
  const reason = `task ${id} was cancelled ${how}, so this time of the series is not sent`;
  return { ...step, id, action: 'keep', reason };
};

/**
 * A later id does not prove that: two runs may have created both tasks at once. So only tasks count that were created after the
 * cancellation.
 * @param found cancelled tasks of the item, ordered by id
 */
function cancelledByHand(found: readonly OwnTask[]): OwnTask | undefined {
  const last = found.findLast(({ isSetAside }) => !isSetAside);
  if (!last) return undefined;
  const later = found.slice(found.indexOf(last) + 1);
  const isEarlier = ({ record }: OwnTask): boolean => record.cdate < (last.record.endtime ?? 0);
  return later.every(isEarlier) ? last : undefined;
}

/** The `endtime` of a cancelled task is the time of the cancellation (interface, task). */
export const wasCancelledAfterStart = ({ cancelled, endtime, scheduledtime }: TaskRecord): boolean =>
  cancelled && endtime !== null && endtime >= scheduledtime;

const waitingFor = (step: Omit<Step, 'action'>, { step: { reason } }: PlannedMessage): Step =>
  blockedStep(step, 'reference', `svc cannot create or change the message of the task: ${reason}`);

function driftIn({ observed }: PlanningSituation, { record, ...own }: OwnTask): string {
  const called = `task ${formatIdWithRuleKind({ record, ...own })}`;
  // If someone deletes a message that a task uses, the message is hidden but still sent (interface, "States").
  return messageExists(observed, record.channel, record.message_id)
    ? `${called} was changed by hand`
    : `the message of ${called}, ${record.message_id}, was deleted by hand, but the task still sends it`;
}

/** `kept` was sent, or has the lowest id. The step has no `changes`. */
function planDuplicateRemoval(
  { observed, options }: PlanningSituation,
  step: Omit<Step, 'action'>,
  kept: OwnTask,
  others: readonly OwnTask[],
): Step {
  const ids = others.map(formatIdWithRuleKind).join(', ');
  const due = Math.min(...others.map(({ record }) => record.scheduledtime));
  const shown = { ...step, id: formatIdWithRuleKind(kept) };
  const byHand = others.filter(({ isAsWritten }) => !isAsWritten);
  if (byHand.length > 0 && !options.overwrite)
    return blockedStep(
      shown,
      'drift',
      `the task exists more than once, and someone changed task ${byHand.map(formatIdWithRuleKind).join(', ')} by hand`,
    );
  if (due - observed.now < MIN_SECONDS_BEFORE_SEND)
    return blockedStep(
      shown,
      'state',
      `task ${formatIdWithRuleKind(kept)} and task ${ids} were created for this item, and task ${ids} starts too soon to be cancelled`,
    );
  return { ...shown, action: 'change', reason: createdMoreThanOnce(others) };
}

function changesOf(wanted: WantedTask, { record, name }: OwnTask, time: number): readonly AttributeChange[] {
  const all: readonly AttributeChange[] = [
    { attribute: 'name', from: name, to: wanted.name },
    { attribute: 'scheduledtime', from: record.scheduledtime, to: time },
    { attribute: 'list_id', from: digits(record.list_id), to: wanted.list },
    { attribute: 'search_id', from: digits(record.search_id), to: wanted.search },
    { attribute: 'rate', from: record.rate ?? null, to: wanted.rate },
  ];
  return all.filter(({ from, to }) => from !== to);
}

function sizeAndCredits(
  { observed }: PlanningSituation,
  { record }: OwnTask,
): { size: number | null; credits: number | null } {
  const size = typeof record.size === 'number' ? record.size : null;
  if (size === null) return { size, credits: null };
  if (record.channel === 'email') return { size, credits: size };
  const message = observed.messages.sms.find(({ id }) => id === record.message_id);
  if (!message) return { size, credits: null };
  const parts = countSmsParts(message);
  return { size, credits: parts === undefined ? null : size * parts };
}
