/** Plans a task, with a row for each of its states (interface, "States and transitions"). */
import type { Json } from '../../protocol/envelope.ts';
import { smsParts } from '../../sends/cost.ts';
import { exceeded } from '../../sends/limits.ts';
import { wantedTaskContent } from '../content.ts';
import type { Change, Step, WantedTask } from '../model.ts';
import { idOf, type PlannedMessage } from './messages.ts';
import {
  foundSend,
  isLive,
  isSameMessage,
  type PlannedSend,
  taskWithoutMark,
  wantedSend,
  withoutSameSend,
} from './same-sends.ts';
import { identityOfResolved, messageExists, type Own, resolveMessage, type Situation } from './situation.ts';
import { hasSameWords, LEAST_AHEAD, refusedTime, relativeTimeText, type Timed, timeOf } from './task-time.ts';

export { LEAST_AHEAD } from './task-time.ts';

/** Attributes that a PUT of a task takes (interface, task). A change of any other attribute needs a new task. */
const CHANGEABLE: readonly string[] = ['name', 'scheduledtime', 'list_id', 'search_id'];

/**
 * Plans the task.
 * @param messages planned step of each message of the file
 * @param sends planned sends of the items that come before this item
 */
export function planTask(
  situation: Situation,
  wanted: WantedTask,
  messages: ReadonlyMap<string, PlannedMessage>,
  sends: readonly PlannedSend[],
): Step {
  const step = planAlone(situation, wanted, messages);
  return namesNothing(situation, wanted) ? step : withoutSameSend(situation, wanted, step, sends);
}

/** Returns whether the file gives the id of a task that does not exist. Such an id blocks the item. */
const namesNothing = (situation: Situation, { key, adopted }: WantedTask): boolean =>
  adopted !== undefined && situation.own('task', key).length === 0;

function planAlone(
  situation: Situation,
  wanted: WantedTask,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const found = situation.own('task', key).filter(({ hasGivenWay }) => !hasGivenWay);
  const live = found.filter(({ record }) => isLive(record));
  const sent = found.find(({ record }) => record['completed'] === true);
  if (sent)
    return live.length > 0
      ? takeBack(situation, step, sent, live)
      : planSent(situation, wanted, sent, messages);
  const [first, ...others] = live;
  if (!first) return planUnscheduled(situation, wanted, found, messages);
  const planned = planScheduled(situation, wanted, first, messages);
  if (others.length === 0) return planned;
  const back = takeBack(situation, step, first, others);
  const isDone = planned.action === 'change' || planned.action === 'replace';
  if (back.action === 'blocked' || !isDone) return back;
  return { ...planned, reason: [back.reason, planned.reason].filter(Boolean).join('; ') };
}

/**
 * Plans a task that was sent. The task stays as it is. Later changes in the file can't be applied, so the step must not report them as
 * done.
 */
function planSent(
  situation: Situation,
  wanted: WantedTask,
  sent: Own,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const id = idOf(sent);
  const step = { kind: 'task', key, name, id } as const;
  const timed = timeOf(situation, wanted, sent);
  if ('fault' in timed) return { ...step, action: 'blocked', blockedBy: 'time', reason: timed.fault };
  const changes = changesOf(wanted, sent, timed.time);
  const differs = [
    ...changes.map(({ attribute }) => attribute),
    ...(sentMessageIs(situation, wanted, sent) ? [] : ['message']),
  ];
  if (differs.length > 0)
    return {
      ...step,
      action: 'blocked',
      blockedBy: 'state',
      changes,
      reason: `task ${id} has been sent with values that differ from the file: ${differs.join(', ')}; to send it again, use a new key in the file`,
    };
  const { channel, message_id } = sent.record;
  const planned = 'key' in wanted.message ? messages.get(wanted.message.key) : undefined;
  const isAnotherVersion =
    planned !== undefined && String(planned.current?.record['id'] ?? '') !== String(message_id);
  const version = isAnotherVersion
    ? ` with ${String(channel)} message ${String(message_id)}, an earlier version`
    : '';
  const reason = `it has been sent${version}; to send it again, use a new key in the file`;
  return { ...step, ...sizes(situation, sent), action: 'keep', reason };
}

/** Returns whether the sent message is the message that the file names, in any version. A deleted message can't be compared. */
function sentMessageIs(situation: Situation, wanted: WantedTask, { record }: Own): boolean {
  const { channel, message_id } = record;
  if (!messageExists(situation.observed, channel === 'sms' ? 'sms' : 'email', message_id)) return true;
  const send = wantedSend(situation, wanted, 0);
  return send !== undefined && isSameMessage(send, foundSend(situation, record));
}

/** Plans a task that exists and is neither sent nor cancelled. */
function planScheduled(
  situation: Situation,
  wanted: WantedTask,
  live: Own,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const message = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in message)
    return { ...step, action: 'blocked', blockedBy: 'reference', reason: message.fault };
  const timed = timeOf(situation, wanted, live);
  if ('fault' in timed) return { ...step, action: 'blocked', blockedBy: 'time', reason: timed.fault };
  const planned = 'key' in message ? messages.get(message.key) : undefined;
  const version = 'key' in message ? planned?.current?.record['id'] : message.id;
  const identity = identityOfResolved(situation, message);
  const content = wantedTaskContent(wanted, identity, timed.time);
  const isSaid = hasSameWords(wanted, live);
  // E-mail and SMS messages have separate ids.
  const isPointed =
    version !== undefined &&
    live.record['channel'] === message.channel &&
    String(live.record['message_id']) === String(version);
  const isCounted =
    live.record['channel'] === message.channel &&
    digits(live.record['list_id']) === wanted.list &&
    digits(live.record['search_id']) === wanted.search;
  // The service counts the recipients of another list or channel only after the task is changed or made again.
  const counted = isCounted ? sizes(situation, live) : { size: null, credits: null };
  const shown = { ...step, id: idOf(live), ...counted, time: timed.time };
  return planLive(situation, { step: shown, wanted, live, content, isSaid, timed, isPointed, planned });
}

/**
 * Plans a task that was never made, or was cancelled.
 * @param found cancelled tasks of the item, in order of their ids
 */
function planUnscheduled(
  situation: Situation,
  wanted: WantedTask,
  found: readonly Own[],
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const message = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in message)
    return { ...step, action: 'blocked', blockedBy: 'reference', reason: message.fault };
  const begun = found.find(({ record }) => hadBegun(record));
  if (begun) {
    const reason = `task ${idOf(begun)} was cancelled, but some recipients may have received it; to send it again, use a new key in the file`;
    return { ...step, action: 'blocked', blockedBy: 'state', id: idOf(begun), reason };
  }
  const timed = timeOf(
    situation,
    wanted,
    found.findLast(({ isSetAside }) => isSetAside),
  );
  if ('fault' in timed) return { ...step, action: 'blocked', blockedBy: 'time', reason: timed.fault };
  const byHand = cancelledByHand(found);
  if (byHand && !situation.options.overwrite) {
    const reason = `task ${idOf(byHand)} was cancelled by hand`;
    return { ...step, action: 'blocked', blockedBy: 'drift', id: idOf(byHand), reason };
  }
  const like = namesNothing(situation, wanted) ? undefined : taskWithoutMark(situation, wanted, timed.time);
  if (like !== undefined) return { ...step, action: 'blocked', blockedBy: 'drift', ...like };
  const planned = 'key' in message ? messages.get(message.key) : undefined;
  return planNew({ ...step, time: timed.time }, wanted, timed, situation.observed.now, planned);
}

/**
 * Returns the last task that a person cancelled, unless a later task replaced it. A later task that was made before the cancellation is no
 * replacement, because two runs made both tasks at once and one of the runs retired its own task.
 * @param found cancelled tasks of the item, in order of their ids
 */
function cancelledByHand(found: readonly Own[]): Own | undefined {
  const last = found.findLast(({ isSetAside }) => !isSetAside);
  if (!last) return undefined;
  const later = found.slice(found.indexOf(last) + 1);
  const isEarlier = ({ record }: Own): boolean => Number(record['cdate']) < Number(last.record['endtime']);
  return later.every(isEarlier) ? last : undefined;
}

/** Returns whether a task was cancelled when it was already due (interface, task: `endtime` is when it was cancelled). */
export const hadBegun = ({ cancelled, endtime, scheduledtime }: { readonly [name: string]: Json }): boolean =>
  cancelled === true && endtime !== null && Number(endtime) >= Number(scheduledtime);

interface Live {
  readonly step: Pick<Step, 'kind' | 'key' | 'name' | 'id' | 'time'>;
  readonly wanted: WantedTask;
  readonly live: Own;
  readonly content: string;
  /** True if the file still has the words with which the task's time was given. */
  readonly isSaid: boolean;
  readonly timed: Timed;
  /** True if the task sends the version of its message that is in use. */
  readonly isPointed: boolean;
  readonly planned: PlannedMessage | undefined;
}

function planLive(situation: Situation, given: Live): Step {
  const { step, wanted, live, content, isSaid, isPointed, planned } = given;
  const { record } = live;
  const { now } = situation.observed;
  const due = Number(record['scheduledtime']);
  const isKept = live.isAsWritten && live.mark.content === content && isPointed && isSaid;
  // A run may have been killed before it compared the task's size with the limits.
  const excess = isKept ? exceeded(wanted, sizes(situation, live)) : undefined;
  const beyond = excess && `it ${excess.words}`;
  if (isKept && due > now && planned?.step.action === 'blocked') return waitingFor(step, planned);
  if (isKept && beyond === undefined) return { ...step, action: 'keep' };
  if (due <= now) {
    const reason = [beyond, `task ${idOf(live)} is being sent`]
      .filter((each) => each !== undefined)
      .join(', and ');
    return { ...step, action: 'blocked', blockedBy: 'state', reason };
  }
  if (!live.isAsWritten && !situation.options.overwrite)
    return { ...step, action: 'blocked', blockedBy: 'drift', reason: driftIn(situation, live) };
  if (due - now < LEAST_AHEAD)
    return {
      ...step,
      action: 'blocked',
      blockedBy: 'time',
      reason: `task ${idOf(live)} starts in less than ${LEAST_AHEAD / 60} minutes`,
    };
  const late = refusedTime(wanted, given.timed.time, now);
  if (late !== undefined) return { ...step, action: 'blocked', blockedBy: 'time', reason: late };
  const changes = changesOf(wanted, live, given.timed.time);
  const isFixed = changes.some(({ attribute }) => !CHANGEABLE.includes(attribute));
  if (beyond !== undefined)
    return { ...step, action: 'change', changes, reason: `${beyond}: it is cancelled` };
  const like = taskWithoutMark(situation, wanted, given.timed.time, record);
  if (like !== undefined) return { ...step, action: 'blocked', blockedBy: 'drift', ...like };
  const said = isSaid ? {} : { reason: `its time is "${relativeTimeText(wanted)}", counted from now` };
  if (isPointed && !isFixed) return { ...step, action: 'change', changes, ...said };
  if (!isPointed && planned?.step.action === 'blocked') return waitingFor(step, planned);
  const reason = isPointed
    ? 'the rate of a task cannot be changed, so it is cancelled and created again'
    : 'its message has a new version, so it is cancelled and created again';
  return { ...step, action: 'replace', reason, changes };
}

const waitingFor = (
  step: Pick<Step, 'kind' | 'key' | 'name' | 'id' | 'time'>,
  { step: { reason } }: PlannedMessage,
): Step => ({
  ...step,
  action: 'blocked',
  blockedBy: 'reference',
  reason: `its message is blocked: ${reason}`,
});

function driftIn({ observed }: Situation, { record, ...own }: Own): string {
  const called = `task ${idOf({ record, ...own })}`;
  // If someone deletes a message that a task uses, the message is hidden but still sent (interface, "States").
  return messageExists(observed, record['channel'] === 'sms' ? 'sms' : 'email', record['message_id'])
    ? `${called} was changed by hand`
    : `the message of ${called}, ${String(record['message_id'])}, was deleted by hand, but is still sent`;
}

function planNew(
  step: Pick<Step, 'kind' | 'key' | 'name' | 'time'>,
  wanted: WantedTask,
  timed: Timed,
  now: number,
  planned: PlannedMessage | undefined,
): Step {
  const late = refusedTime(wanted, timed.time, now);
  if (late !== undefined) return { ...step, action: 'blocked', blockedBy: 'time', reason: late };
  if (planned?.step.action === 'blocked') return waitingFor(step, planned);
  return {
    ...step,
    action: 'create',
    size: null,
    credits: null,
    ...(timed.note ? { reason: timed.note } : {}),
  };
}

/**
 * Cancels duplicate tasks. If two runs of apply overlap and one is killed, two tasks may be left; the task with the lower id stays. The
 * step has no `changes`.
 */
function takeBack(
  { observed, options }: Situation,
  step: Pick<Step, 'kind' | 'key' | 'name'>,
  kept: Own,
  others: readonly Own[],
): Step {
  const ids = others.map(idOf).join(', ');
  const due = Math.min(...others.map(({ record }) => Number(record['scheduledtime'])));
  const shown = { ...step, id: idOf(kept) };
  const byHand = others.filter(({ isAsWritten }) => !isAsWritten);
  if (byHand.length > 0 && !options.overwrite)
    return {
      ...shown,
      action: 'blocked',
      blockedBy: 'drift',
      reason: `it exists more than once, and task ${byHand.map(idOf).join(', ')} was changed by hand`,
    };
  if (due - observed.now < LEAST_AHEAD)
    return {
      ...shown,
      action: 'blocked',
      blockedBy: 'state',
      reason: `it was created more than once, and task ${ids} starts too soon to be cancelled`,
    };
  return { ...shown, action: 'change', reason: `it was created more than once: task ${ids} is cancelled` };
}

function changesOf(wanted: WantedTask, { record, name }: Own, time: number): readonly Change[] {
  const all: readonly Change[] = [
    { attribute: 'name', from: name, to: wanted.name },
    { attribute: 'scheduledtime', from: Number(record['scheduledtime']), to: time },
    { attribute: 'list_id', from: digits(record['list_id']), to: wanted.list },
    { attribute: 'search_id', from: digits(record['search_id']), to: wanted.search },
    { attribute: 'rate', from: (record['rate'] ?? null) as number | null, to: wanted.rate },
  ];
  return all.filter(({ from, to }) => from !== to);
}

const digits = (id: Json | undefined): string | null => (id == null ? null : String(id));

/** Returns the known number of recipients, and the credits that the send takes (wire, "credits"). */
function sizes({ observed }: Situation, { record }: Own): { size: number | null; credits: number | null } {
  const size = typeof record['size'] === 'number' ? record['size'] : null;
  if (size === null) return { size, credits: null };
  if (record['channel'] === 'email') return { size, credits: size };
  const message = observed.messages.sms.find(({ id }) => String(id) === String(record['message_id']));
  if (!message) return { size, credits: null };
  const parts = smsParts(message);
  return { size, credits: parts === undefined ? null : size * parts };
}
