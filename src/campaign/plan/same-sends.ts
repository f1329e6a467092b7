/** Finds sends of the same message to the same recipients, whatever record, key or campaign they belong to. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { type MessageIdentity, shownContent } from '../content.ts';
import type { Channel, Step, WantedItem, WantedMessage, WantedTask } from '../model.ts';
import { idOf } from './messages.ts';
import {
  identityOfResolved,
  type Own,
  type ResolvedMessage,
  resolveMessage,
  type Situation,
} from './situation.ts';

/** Planned or existing send, with the attributes that matter to recipients. */
export interface Send {
  readonly message: MessageIdentity;
  /** Content that recipients see. Undefined if the service does not show the message. */
  readonly content: string | undefined;
  /** Recipients of the send: `list 3`, `search 4`. */
  readonly to: string;
  /** Unix seconds. */
  readonly time: number;
}

/** Send that is planned for an item. */
export interface PlannedSend extends Send {
  readonly campaign: string;
  /** Key of the item. */
  readonly key: string;
  /** True if apply writes the task, and so replaces the item's current task. */
  readonly isWritten: boolean;
}

/** Returns whether recipients would get the same message. */
export const isSameMessage = (a: Pick<Send, 'message' | 'content'>, b: Pick<Send, 'message' | 'content'>) =>
  a.message === b.message || (a.content !== undefined && a.content === b.content);

/** Returns whether two sends have the same message, list and time, to the minute (contract, "Sends and campaigns, once more"). */
export const isSameSend = (a: Send, b: Send): boolean =>
  a.to === b.to &&
  minuteOf(a.time) === minuteOf(b.time) &&
  (isSameMessage(a, b) || !isKnown(a) || !isKnown(b));

/**
 * Returns whether the content is known. A deleted message is hidden but still sent (interface, "States"), so its content may equal any
 * other content.
 */
const isKnown = ({ content }: Send): boolean => content !== undefined;

/** Returns the minute of a send time. @param time Unix seconds */
export const minuteOf = (time: number): number => Math.floor(time / 60);

/** Returns the send of a task as the service has it. */
export function foundSend(
  { identityOf, observed }: Pick<Situation, 'identityOf' | 'observed'>,
  record: JsonObject,
): Send {
  const channel = record['channel'] as Channel;
  const { message_id, list_id, search_id, scheduledtime } = record;
  return {
    message: identityOf(channel, message_id),
    // A getter, because few sends are compared by their texts.
    get content() {
      const shown = observed.messages[channel]?.find(({ id }) => String(id) === String(message_id));
      return shown && shownContent(channel, shown);
    },
    to: list_id == null ? `search ${String(search_id)}` : `list ${String(list_id)}`,
    time: Number(scheduledtime),
  };
}

/** Returns the send of a task as the file describes it, or undefined if the task's message can't be resolved. */
export function wantedSend(situation: Situation, wanted: WantedTask, time: number): Send | undefined {
  const found = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in found) return undefined;
  return {
    message: identityOfResolved(situation, found),
    content: contentOf(situation, found),
    to: wanted.list === null ? `search ${wanted.search}` : `list ${wanted.list}`,
    time,
  };
}

/** Returns what recipients see of the message that a reference names. */
export function contentOf(
  { campaign, observed }: Situation,
  found: Exclude<ResolvedMessage, { readonly fault: string }>,
): string | undefined {
  if ('key' in found) {
    const item = campaign.items.find(
      (each): each is WantedMessage => each.kind === 'message' && each.key === found.key,
    );
    return item && shownContent(item.channel, item.values);
  }
  const { id, channel } = found;
  if (channel === undefined) return undefined;
  const record = observed.messages[channel].find((row) => String(row['id']) === id);
  return record && shownContent(channel, record);
}

/**
 * Blocks a step that would send what another task already sends.
 * @param planned sends of the items that come before this item, and of other files that are planned together with this file
 */
export function withoutSameSend(
  situation: Situation,
  wanted: WantedTask,
  step: Step,
  planned: readonly PlannedSend[],
): Step {
  const { options } = situation;
  if (options.both || step.time === undefined || !WRITES.includes(step.action)) return step;
  const send = wantedSend(situation, wanted, step.time);
  if (!send || sendsItAlready(situation, step, send)) return step;
  const reason = sameSendReason(situation, wanted, send, planned);
  if (reason === undefined) return step;
  const { kind, key, name, id, time } = step;
  return {
    kind,
    name,
    ...(key === undefined ? {} : { key }),
    ...(id === undefined ? {} : { id }),
    ...(time === undefined ? {} : { time }),
    action: 'blocked',
    blockedBy: 'state',
    reason,
  };
}

const WRITES: readonly Step['action'][] = ['create', 'change', 'replace'];

/**
 * Returns whether the item's task has a duplicate. A change of its text would increase the damage; a change of other attributes would not.
 */
const sendsItAlready = (situation: Situation, { key = '', id }: Step, send: Send): boolean =>
  situation.own('task', key).some((own) => {
    const found = foundSend(situation, own.record);
    return idOf(own) === id && isSameSend(found, send) && found.content === send.content;
  });

function sameSendReason(
  situation: Situation,
  { key }: WantedTask,
  send: Send,
  planned: readonly PlannedSend[],
): string | undefined {
  const same = 'sends the same message to the same recipients at the same time';
  const isSame = (record: JsonObject): boolean =>
    isLive(record) && isSameSend(foundSend(situation, record), send);
  const orphan = situation.unnamed.find(({ kind, record }) => kind === 'task' && isSame(record));
  if (orphan && !situation.options.prune)
    return `task ${idOf(orphan)}, which the file no longer names, ${same}: use --prune to cancel it first, or --both to send both`;
  const foreign = situation.foreign.find(({ rule, record }) => rule === undefined && isSame(record));
  if (foreign) {
    const id = String(foreign.record['id']);
    return foreign.isMarked
      ? `task ${id} of another campaign ${same}: cancel it, or use --both to send both`
      : `task ${id}, which belongs to no campaign, ${same}: --adopt ${key}=${id} adopts it, --both sends both`;
  }
  const other = planned.find((each) => isSameSend(each, send));
  if (other) return `task ${other.key} ${same}: remove one of them, or use --both to send both`;
  const later = otherItemsOf(situation, key, planned).find(({ record }) => isSame(record));
  return (
    later && `task ${idOf(later)} of another item ${same}: apply that item first, or use --both to send both`
  );
}

/** Returns the current records of other items, without those that apply replaces before the send. */
function otherItemsOf(situation: Situation, key: string, planned: readonly PlannedSend[]): readonly Own[] {
  const { campaign } = situation.campaign;
  const gone = new Set(
    planned.filter((each) => each.isWritten && each.campaign === campaign).map((each) => each.key),
  );
  return situation.named
    .filter((item: WantedItem) => item.kind === 'task' && item.key !== key && !gone.has(item.key))
    .flatMap((item) => situation.own('task', item.key));
}

export const isLive = ({ cancelled, completed }: JsonObject): boolean =>
  cancelled !== true && completed !== true;

/**
 * Finds a task without a mark that sends the same message to the same recipients. If the message belongs to the campaign, the task counts
 * at any time, because it is most likely the item's own task, renamed by hand. Only a person can know that both tasks are intended.
 * @param current the item's live task; tasks that already duplicate this task are omitted, because no change makes them worse
 */
export function taskWithoutMark(
  situation: Situation,
  wanted: WantedTask,
  time: number,
  current?: JsonObject,
): Pick<Step, 'id' | 'reason'> | undefined {
  const { options, foreign } = situation;
  const send = wantedSend(situation, wanted, time);
  if (!send || options.both) return undefined;
  const before = current && foundSend(situation, current);
  const found = foreign
    .filter(({ rule, isMarked }) => rule === undefined && !isMarked)
    .map(({ record }) => record)
    .filter((record) => {
      const unmarked = foundSend(situation, record);
      return isAlike(unmarked, send) && !(before && isAlike(unmarked, before));
    });
  const same = 'belongs to no campaign and sends the same message to the same recipients';
  const scheduled = found.find(isLive);
  if (scheduled) {
    const id = String(scheduled['id']);
    const ways = `--adopt ${wanted.key}=${id} adopts it, svc task cancel ${id} cancels it, --both sends both`;
    return { id, reason: `task ${id} is scheduled, ${same}: ${ways}` };
  }
  const sent = options.overwrite ? undefined : found.find(({ completed }) => completed === true);
  if (!sent) return undefined;
  const id = String(sent['id']);
  return {
    id,
    reason: `task ${id} was sent, ${same}: id: ${id} in the file marks it as this task, --overwrite sends it again`,
  };
}

/** Returns whether a task without a mark sends the same message. The key of its message may have been renamed since the task was made. */
const isAlike = (unmarked: Send, send: Send): boolean =>
  (unmarked.message.startsWith('key:') && unmarked.to === send.to && isSameMessage(unmarked, send)) ||
  isSameSend(unmarked, send);
