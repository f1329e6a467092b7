/** What becomes of a task: a row for each of its states (interface, "States and transitions"). */
import type { Json } from '../../protocol/envelope.ts';
import { SUBINFO_OCTETS } from '../../resources/sms-message.ts';
import { measureSms } from '../../text/gsm.ts';
import { parseTimePhrase } from '../../text/time-phrase.ts';
import { type Identity, wantedTaskContent } from '../content.ts';
import type { Change, Step, WantedTask } from '../model.ts';
import { idOf, type PlannedMessage } from './messages.ts';
import {
  identityOfResolved,
  isThere,
  type Own,
  resolveMessage,
  type Situation,
  sendsTo,
} from './situation.ts';

/** Seconds ahead that a task must be for apply to make, change or take it back: as `--expect-size` needs them. */
export const LEAST_AHEAD = 5 * 60;

/** The attributes that a PUT of a task takes (interface, task); the others need a new one. */
const CHANGEABLE: readonly string[] = ['name', 'scheduledtime', 'list_id', 'search_id'];

interface Timed {
  readonly time: number;
  readonly note?: string | undefined;
}

/** @param messages what is planned for each message of the file */
export function planTask(
  situation: Situation,
  wanted: WantedTask,
  messages: ReadonlyMap<string, PlannedMessage>,
): Step {
  const { key, name } = wanted;
  const step = { kind: 'task', key, name } as const;
  const found = situation.own('task', key).filter(({ hasGivenWay }) => !hasGivenWay);
  const live = found.filter(({ record }) => isLive(record));
  const sent = found.find(({ record }) => record['completed'] === true);
  // Whatever the file says by now.
  if (sent) {
    if (live.length > 0) return takeBack(situation, step, sent, live);
    const reason = 'it has been sent; to send again, give it another key';
    return { ...step, action: 'keep', id: idOf(sent), reason, ...sizes(situation, sent) };
  }
  const [first, ...others] = live;
  if (!first) return planUnscheduled(situation, wanted, found, messages);
  const planned = planScheduled(situation, wanted, first, messages);
  if (others.length === 0) return planned;
  const back = takeBack(situation, step, first, others);
  const isDone = planned.action === 'change' || planned.action === 'replace';
  if (back.action === 'blocked' || !isDone) return back;
  return { ...planned, reason: [back.reason, planned.reason].filter(Boolean).join('; ') };
}

/** One that is there, and is neither sent nor cancelled. */
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
  // E-mail and SMS messages have ids of their own.
  const isPointed =
    version !== undefined &&
    live.record['channel'] === message.channel &&
    String(live.record['message_id']) === String(version);
  const isCounted =
    live.record['channel'] === message.channel &&
    digits(live.record['list_id']) === wanted.list &&
    digits(live.record['search_id']) === wanted.search;
  // The service counts other recipients, or another channel, only once the task is changed or made again.
  const counted = isCounted ? sizes(situation, live) : { size: null, credits: null };
  const shown = { ...step, id: idOf(live), ...counted, time: timed.time };
  return planLive(situation, { step: shown, wanted, live, content, timed, isPointed, planned });
}

/** One that was never made, or was cancelled. @param found those that were cancelled, by id */
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
    const reason = `task ${idOf(begun)} was cancelled when it may have been sent to some already; to send again, give it another key`;
    return { ...step, action: 'blocked', blockedBy: 'state', id: idOf(begun), reason };
  }
  const timed = timeOf(
    situation,
    wanted,
    found.findLast(({ isSetAside }) => isSetAside),
  );
  if ('fault' in timed) return { ...step, action: 'blocked', blockedBy: 'time', reason: timed.fault };
  const last = found.at(-1);
  if (last && !last.isSetAside && !situation.options.overwrite) {
    const reason = `task ${idOf(last)} was cancelled by hand`;
    return { ...step, action: 'blocked', blockedBy: 'drift', id: idOf(last), reason };
  }
  const like = withoutMark(situation, wanted, identityOfResolved(situation, message));
  if (like !== undefined) return { ...step, action: 'blocked', blockedBy: 'drift', ...like };
  const planned = 'key' in message ? messages.get(message.key) : undefined;
  return planNew({ ...step, time: timed.time }, wanted, timed, situation.observed.now, planned);
}

/**
 * A task without a mark that sends the same message to the same people: most likely this one, renamed by hand. It can't be known,
 * and what others made is never adopted, so that nothing but a person can say that both are meant.
 */
function withoutMark(
  { unmarked, options }: Situation,
  { list, search }: WantedTask,
  message: Identity,
): Pick<Step, 'id' | 'reason'> | undefined {
  const found = unmarked.get(sendsTo(message, list, search)) ?? [];
  const scheduled = found.find(isLive);
  const same = 'bears no mark of a campaign, and is to the same message and list';
  if (scheduled) {
    const id = String(scheduled['id']);
    return { id, reason: `task ${id} is scheduled, ${same}: cancel it, or take this one out of the file` };
  }
  const sent = options.overwrite ? undefined : found.find(({ completed }) => completed === true);
  if (!sent) return undefined;
  const id = String(sent['id']);
  return { id, reason: `task ${id} was sent, ${same}: --overwrite sends it all the same` };
}

const isLive = ({ cancelled, completed }: { readonly [name: string]: Json }): boolean =>
  cancelled !== true && completed !== true;

/** Whether a task was cancelled at a time when it was due already (interface, task: `endtime` is when it was cancelled). */
export const hadBegun = ({ cancelled, endtime, scheduledtime }: { readonly [name: string]: Json }): boolean =>
  cancelled === true && endtime !== null && Number(endtime) >= Number(scheduledtime);

interface Live {
  readonly step: Pick<Step, 'kind' | 'key' | 'name' | 'id' | 'time'>;
  readonly wanted: WantedTask;
  readonly live: Own;
  readonly content: string;
  readonly timed: Timed;
  /** Whether it is to the version of its message that is in use. */
  readonly isPointed: boolean;
  readonly planned: PlannedMessage | undefined;
}

function planLive(situation: Situation, given: Live): Step {
  const { step, wanted, live, content, isPointed, planned } = given;
  const { record } = live;
  const { now } = situation.observed;
  const due = Number(record['scheduledtime']);
  const isKept = live.isAsWritten && live.mark.content === content && isPointed;
  // A run that was killed between making it and holding its size against the limits leaves it.
  const beyond = isKept ? beyondLimits(wanted, sizes(situation, live)) : undefined;
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
  const late = tooLate(wanted, given.timed.time, now);
  if (late !== undefined) return { ...step, action: 'blocked', blockedBy: 'time', reason: late };
  const changes = changesOf(wanted, live, given.timed.time);
  const isFixed = changes.some(({ attribute }) => !CHANGEABLE.includes(attribute));
  if (beyond !== undefined)
    return { ...step, action: 'change', changes, reason: `${beyond}: it is cancelled` };
  if (isPointed && !isFixed) return { ...step, action: 'change', changes };
  if (!isPointed && planned?.step.action === 'blocked') return waitingFor(step, planned);
  const reason = isPointed
    ? 'a task takes no other rate, so it is cancelled and made again'
    : 'its message has a new version, so it is cancelled and made again';
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

/** Contract: `expect-size` and `max-credits` that do not hold leave no live task. In words, where one of them doesn't. */
export function beyondLimits(
  { expectSize, maxCredits }: WantedTask,
  { size, credits }: { readonly size: number | null; readonly credits: number | null },
): string | undefined {
  if (expectSize === null && maxCredits === null) return undefined;
  if (size === null) return 'its size is not known';
  if (expectSize !== null && (size < expectSize.from || size > expectSize.to))
    return `it found ${size} subscriptions, and ${expectSize.from} to ${expectSize.to} were expected`;
  if (maxCredits === null) return undefined;
  if (credits === null) return 'what it takes of the balance is not known';
  return credits > maxCredits
    ? `it would take ${credits} credits, and ${maxCredits} is the maximum`
    : undefined;
}

function driftIn({ observed }: Situation, { record, ...own }: Own): string {
  const called = `task ${idOf({ record, ...own })}`;
  // Interface, "States": a message that a task uses is hidden then, and sent all the same.
  return isThere(observed, record['channel'] === 'sms' ? 'sms' : 'email', record['message_id'])
    ? `${called} was changed by hand`
    : `the message of ${called}, ${String(record['message_id'])}, was deleted by hand, and is sent all the same`;
}

function planNew(
  step: Pick<Step, 'kind' | 'key' | 'name' | 'time'>,
  wanted: WantedTask,
  timed: Timed,
  now: number,
  planned: PlannedMessage | undefined,
): Step {
  const late = tooLate(wanted, timed.time, now);
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

/** Two applies at once, one of them killed, may have left two: the first stays. Such a step has no `changes`. */
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
      reason: `it is there more than once, and task ${byHand.map(idOf).join(', ')} was changed by hand`,
    };
  if (due - observed.now < LEAST_AHEAD)
    return {
      ...shown,
      action: 'blocked',
      blockedBy: 'state',
      reason: `it was made more than once, and task ${ids} starts too soon to be cancelled`,
    };
  return { ...shown, action: 'change', reason: `it was made more than once: task ${ids} is cancelled` };
}

function timeOf(
  { observed, options }: Situation,
  { at }: WantedTask,
  earlier: Own | undefined,
): Timed | { readonly fault: string } {
  // Counted from when it was made, and not from each plan anew; of one that was set aside as long as that can be.
  const made = earlier && Number(earlier.record['scheduledtime']);
  if (made !== undefined && isRelative(at) && (!earlier?.isSetAside || made - observed.now >= LEAST_AHEAD))
    return { time: made };
  const read = parseTimePhrase(at, { now: options.madeAt ?? observed.now, zone: options.zone });
  return read.ok ? { time: read.time, note: read.note } : { fault: `at: ${read.reason}` };
}

/** Whether the words mean another moment tomorrow. */
export const isRelative = (at: string): boolean => !/^\s*[0-9]/.test(at);

function tooLate({ hold }: WantedTask, time: number, now: number): string | undefined {
  const ahead = time - now;
  if (ahead < 0) return 'its time has passed, and the service would send at once';
  if (ahead < LEAST_AHEAD) return `its time is less than ${LEAST_AHEAD / 60} minutes ahead`;
  if (hold !== null && ahead < hold) return 'its time is nearer than its hold';
  return undefined;
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

/** What is known of whom it goes to, and of what that takes (wire, "credits"). */
function sizes({ observed }: Situation, { record }: Own): { size: number | null; credits: number | null } {
  const size = typeof record['size'] === 'number' ? record['size'] : null;
  if (size === null) return { size, credits: null };
  if (record['channel'] === 'email') return { size, credits: size };
  const message = observed.messages.sms.find(({ id }) => String(id) === String(record['message_id']));
  if (!message) return { size, credits: null };
  const { credits } = measureSms(
    String(message['message']),
    message['subinfo'] === true ? SUBINFO_OCTETS : 0,
  );
  return { size, credits: size * credits };
}
