import {
  isActiveTask,
  isSameMessage,
  isSameSend,
  recipientsOf,
  type Send,
} from '../../../client/sends/same-send.ts';
import { visibleContentHash } from '../../../client/sends/visible-content.ts';
import { compareNumbers } from '../../../kit/schema/integer.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { isMessageOfFile, type MessageIdentity } from '../content.ts';
import type { Step, TaskRecord, WantedItem, WantedMessage, WantedTask } from '../model.ts';
import { parseOccurrenceKey } from '../series.ts';
import { createDoubleSayer } from './allowed-doubles.ts';
import { formatIdWithRuleKind } from './messages.ts';
import { mayBeTaskOfOccurrence } from './series.ts';
import {
  findIdentityOfResolvedMessage,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  type ResolvedMessageOrFault,
  resolveMessage,
} from './situation.ts';
import { MIN_SECONDS_BEFORE_SEND, resolveSendTime } from './task-time.ts';

export interface PlannedCampaignSend extends Send {
  readonly campaign: string;
  readonly key: string;
  readonly isWritten: boolean;
}

export function readCampaignSendOfTaskRecord(
  { identityOf, observed }: Pick<PlanningSituation, 'identityOf' | 'observed'>,
  record: TaskRecord,
): Send {
  const { channel, message_id, scheduledtime } = record;
  return {
    message: inChannel(channel, identityOf(channel, message_id)),
    // A getter, because few sends are compared by their texts.
    get content() {
      const shown = observed.messages[channel]?.find(({ id }) => id === message_id);
      return shown && visibleContentHash(channel, shown);
    },
    to: recipientsOf(record),
    time: scheduledtime,
  };
}

/** Returns `to 447 subscriptions of list 1 at Tue 2026-12-01 …`. */
export function describeRecipientsAndTime(
  { options }: Pick<PlanningSituation, 'options'>,
  record: TaskRecord,
): string {
  const size =
    typeof record.size === 'number' ? `${formatCountWithNoun(record.size, 'subscription')} of ` : '';
  return `to ${size}${recipientsOf(record)} at ${formatTime(record.scheduledtime, options.zone, 'weekday')}`;
}

const inChannel = (channel: Channel | undefined, identity: MessageIdentity): string =>
  `${channel} ${identity}`;

export function findCampaignSendOfWantedTask(
  situation: PlanningSituation,
  wanted: WantedTask,
  time: number,
): Send | undefined {
  const found = resolveMessage(situation, wanted.message, wanted.channel ?? undefined);
  if ('fault' in found) return undefined;
  return {
    message: inChannel(found.channel, findIdentityOfResolvedMessage(situation, found)),
    content: hashMessageContent(situation, found),
    to: wanted.list === null ? `search ${wanted.search}` : `list ${wanted.list}`,
    time,
  };
}

/** Returns undefined if the service does not show it. */
export function hashMessageContent(
  { campaign, observed }: PlanningSituation,
  message: Exclude<ResolvedMessageOrFault, { readonly fault: string }>,
): string | undefined {
  if ('key' in message) {
    const item = campaign.items.find(
      (each): each is WantedMessage => each.kind === 'message' && each.key === message.key,
    );
    return item && visibleContentHash(item.channel, item.values);
  }
  const { id, channel } = message;
  if (channel === undefined) return undefined;
  const record = observed.messages[channel].find((row) => String(row.id) === id);
  return record && visibleContentHash(channel, record);
}

/** @param planned sends of earlier items of the file, and of earlier campaign files of the same command */
export function blockDuplicateSend(
  situation: PlanningSituation,
  wanted: WantedTask,
  step: Step,
  planned: readonly PlannedCampaignSend[],
): Step {
  const { options } = situation;
  if (options.both || step.time === undefined || !isWritten(step)) return step;
  const send = findCampaignSendOfWantedTask(situation, wanted, step.time);
  if (!send || isSentAlready(situation, step, send)) return step;
  const reason =
    sameSendReason(situation, wanted, send, planned) ??
    (step.action === 'create' ? reasonAfterCampaignRename(situation, send) : undefined);
  if (reason === undefined) return step;
  return { ...itemAndTime(step), action: 'blocked', blockedBy: 'state', reason };
}

export const itemAndTime = ({ kind, key, name, id, time }: Step): Omit<Step, 'action'> => ({
  kind,
  name,
  ...(key === undefined ? {} : { key }),
  ...(id === undefined ? {} : { id }),
  ...(time === undefined ? {} : { time }),
});

const WRITES: readonly Step['action'][] = ['create', 'change', 'replace'];

export const isWritten = ({ action }: Step): boolean => WRITES.includes(action);

interface ExistingRival {
  readonly record: TaskRecord;
  readonly of: 'other-campaign' | 'unnamed' | 'no-campaign';
}

/** Returns undefined if the user allows both (`--both`). */
export function findRivalOfOwnTask(situation: PlanningSituation, own: TaskRecord): ExistingRival | undefined {
  const { options, unnamed, unowned } = situation;
  if (options.both || !isActiveTask(own)) return undefined;
  const orphans = options.prune ? [] : unnamed.filter((each) => each.kind === 'task');
  const candidates: readonly ExistingRival[] = [
    ...orphans.map(({ record }) => ({ record, of: 'unnamed' as const })),
    ...unowned.tasks.map(
      ({ record, isMarked }) => ({ record, of: isMarked ? 'other-campaign' : 'no-campaign' }) as const,
    ),
  ];
  const send = readCampaignSendOfTaskRecord(situation, own);
  return candidates
    .filter(({ record }) => isActiveTask(record))
    .filter(({ record }) => isSameSend(readCampaignSendOfTaskRecord(situation, record), send))
    .sort((a, b) => compareNumbers(a.record.id, b.record.id))[0];
}

export const givesWay = <T extends { readonly id: number | bigint }>(
  own: T,
  { record }: { readonly record: T },
): boolean => record.id < own.id;

/** The step then cancels the item's task if that has to give way, and is blocked otherwise. */
export function blockExistingDuplicate(situation: PlanningSituation, wanted: WantedTask, step: Step): Step {
  if (step.action !== 'keep' && !isWritten(step)) return step;
  const own = situation
    .own('task', wanted.key)
    .find((each) => formatIdWithRuleKind(each) === step.id && isActiveTask(each.record));
  const rival = own && findRivalOfOwnTask(situation, own.record);
  if (!own || !rival) return step;
  // A change of the time or of the recipients may end the double.
  const send =
    step.action === 'keep' || step.time === undefined
      ? undefined
      : findCampaignSendOfWantedTask(situation, wanted, step.time);
  if (send && !isSameSend(readCampaignSendOfTaskRecord(situation, rival.record), send)) return step;
  const [id, other] = [step.id, String(rival.record.id)];
  const same = `task ${other}${WHOSE[rival.of]} and task ${id} send the same message to the same recipients at the same time`;
  const { size, credits } = step;
  const shown = {
    ...itemAndTime(step),
    ...(size === undefined ? {} : { size }),
    ...(credits === undefined ? {} : { credits }),
  };
  const left = own.record.scheduledtime - situation.observed.now;
  const people = describeRecipientsAndTime(situation, rival.record);
  const say = (ways: string): string => createDoubleSayer(situation)(same, ways, people);
  if (givesWay(own.record, rival) && left >= MIN_SECONDS_BEFORE_SEND)
    return { ...shown, action: 'change', reason: say(`svc cancels task ${id}, and task ${other} stays`) };
  const ways = `cancel one of them (svc task cancel ${other}), or use --both to send both`;
  // Duplicates of the item's own task go first, whatever else the file changes, and apply then reports the rival.
  const twins = situation
    .own('task', wanted.key)
    .filter((each) => isActiveTask(each.record) && !each.isWithdrawn && each !== own);
  if (twins.length > 0 && !situation.saysDoublesAlone)
    return { ...shown, action: 'change', reason: `${createdMoreThanOnce(twins)}; ${say(ways)}` };
  return { ...shown, action: 'blocked', blockedBy: 'state', reason: say(ways) };
}

export const createdMoreThanOnce = (twins: readonly RecordOwnedByCampaign[]): string =>
  `the task was created more than once, so svc cancels task ${twins.map(formatIdWithRuleKind).join(', ')}`;

const WHOSE: Readonly<Record<ExistingRival['of'], string>> = {
  'other-campaign': ' of another campaign',
  unnamed: ', which the file no longer names,',
  'no-campaign': ', which belongs to no campaign,',
};

export const isSentAlready = (situation: PlanningSituation, { key = '', id }: Step, send: Send): boolean =>
  situation.own('task', key).some((own) => {
    const found = readCampaignSendOfTaskRecord(situation, own.record);
    return formatIdWithRuleKind(own) === id && isSameSend(found, send) && found.content === send.content;
  });

function sameSendReason(
  situation: PlanningSituation,
  { key }: WantedTask,
  send: Send,
  planned: readonly PlannedCampaignSend[],
): string | undefined {
  const same = 'sends the same message to the same recipients at the same time';
  const sayDouble = createDoubleSayer(situation);
  const isSame = (record: TaskRecord): boolean =>
    isActiveTask(record) && isSameSend(readCampaignSendOfTaskRecord(situation, record), send);
  const foreign = situation.unowned.tasks.find(({ record }) => isSame(record));
  if (foreign) {
    const { id } = foreign.record;
    const people = describeRecipientsAndTime(situation, foreign.record);
    return foreign.isMarked
      ? sayDouble(`task ${id} of another campaign ${same}`, 'cancel it, or use --both to send both', people)
      : sayDouble(
          `task ${id}, which belongs to no campaign, ${same}`,
          `--adopt ${key}=${id} adopts it, --both sends both`,
          people,
        );
  }
  const other = planned.find((each) => isSameSend(each, send));
  if (other)
    return sayDouble(
      `task ${other.key}${situation.saysDoublesAlone !== true || other.campaign === situation.campaign.campaign ? '' : ` of campaign ${other.campaign}`} ${same}`,
      'remove one of them, or use --both to send both',
      `to ${other.to} at ${formatTime(other.time, situation.options.zone, 'weekday')}`,
    );
  const later = recordsOfOtherItems(situation, key, planned).find(({ record }) => isSame(record));
  if (later === undefined) return undefined;
  const waiting = findItemThatWaits(situation, key, later);
  const ways = waiting
    ? 'exchange the two keys in the file, or use --both to send both'
    : 'apply the other item first, or use --both to send both';
  const waits = waiting ? `, and task ${waiting.key} waits for this item in turn` : '';
  return sayDouble(
    `task ${formatIdWithRuleKind(later)} of another item ${same}${situation.saysDoublesAlone ? '' : waits}`,
    ways,
    describeRecipientsAndTime(situation, later.record),
  );
}

/** Returns the item of the record if the file gives it the present send of the item with the key: none of the two can be first. */
function findItemThatWaits(
  situation: PlanningSituation,
  key: string,
  record: RecordOwnedByCampaign<'task'>,
): WantedTask | undefined {
  return situation.campaign.items.find((item): item is WantedTask => {
    if (item.kind !== 'task' || !situation.own('task', item.key).includes(record)) return false;
    const timed = resolveSendTime(situation, item, record);
    const send = 'fault' in timed ? undefined : findCampaignSendOfWantedTask(situation, item, timed.time);
    return (
      send !== undefined &&
      situation
        .own('task', key)
        .some(
          (own) =>
            isActiveTask(own.record) && isSameSend(readCampaignSendOfTaskRecord(situation, own.record), send),
        )
    );
  });
}

/**
 * An earlier file of a campaign that was renamed since finds the tasks with the mark of another campaign. They still send its messages,
 * whatever their time is now.
 */
function reasonAfterCampaignRename(situation: PlanningSituation, send: Send): string | undefined {
  const other = situation.unowned.tasks.find(({ record, isMarked }) => {
    if (!isMarked || record.cancelled) return false;
    const { observed, identityAfterRename: identityOf } = situation;
    const { message, to } = readCampaignSendOfTaskRecord({ observed, identityOf }, record);
    return isMessageOfFile(message) && message === send.message && to === send.to;
  });
  if (other === undefined) return undefined;
  const { record } = other;
  return createDoubleSayer(situation)(
    `task ${record.id} of another campaign ${record.completed ? 'has sent' : 'sends'} the message of this item ${describeRecipientsAndTime(situation, record)}`,
    'if the campaign has a new name, apply the newer file; to send the message again, use --both',
  );
}

function recordsOfOtherItems(
  situation: PlanningSituation,
  key: string,
  planned: readonly PlannedCampaignSend[],
): readonly RecordOwnedByCampaign<'task'>[] {
  const { campaign } = situation.campaign;
  const gone = new Set(
    planned.filter((each) => each.isWritten && each.campaign === campaign).map((each) => each.key),
  );
  return situation.named
    .filter((item: WantedItem) => item.kind === 'task' && item.key !== key && !gone.has(item.key))
    .flatMap((item) => situation.own('task', item.key));
}

/**
 * For a message of this campaign, the send time does not matter: most likely, svc created the task, and a person removed the mark. In a
 * series, `mayBeTaskOfOccurrence` decides which time that task is of. For any other message, both tasks must have the same send time, to the
 * minute.
 * @param current existing active task of the wanted item; its own duplicates are ignored
 */
export function findDuplicateTaskOutsideCampaigns(
  situation: PlanningSituation,
  wanted: WantedTask,
  time: number,
  current?: TaskRecord,
): Pick<Step, 'id' | 'reason'> | undefined {
  const { options, unowned } = situation;
  const send = findCampaignSendOfWantedTask(situation, wanted, time);
  if (!send || options.both) return undefined;
  const before = current && readCampaignSendOfTaskRecord(situation, current);
  const found = unowned.tasks
    .filter(({ isMarked }) => !isMarked)
    .map(({ record }) => record)
    .filter((record) => {
      const unmarked = readCampaignSendOfTaskRecord(situation, record);
      if (!sendsSameMessage(unmarked, send) || (before && sendsSameMessage(unmarked, before))) return false;
      return isSameSend(unmarked, send) || mayBeTaskOfOccurrence(situation, wanted, record);
    });
  const sayDouble = createDoubleSayer(situation);
  const same = 'belongs to no campaign and sends the same message to the same recipients';
  const scheduled = found.find(isActiveTask);
  if (scheduled) {
    const id = String(scheduled.id);
    const ways = `--adopt ${wanted.key}=${id} adopts it, svc task cancel ${id} cancels it, --both sends both`;
    const people = describeRecipientsAndTime(situation, scheduled);
    return { id, reason: sayDouble(`task ${id} is scheduled, ${same}`, ways, people) };
  }
  const sent = options.overwrite ? undefined : found.find(({ completed }) => completed === true);
  if (!sent) return undefined;
  const id = String(sent.id);
  return {
    id,
    reason: sayDouble(
      `task ${id} was sent, ${same}`,
      `${inFile(wanted, id)} in the file marks it as this task, --overwrite sends it again`,
      describeRecipientsAndTime(situation, sent),
    ),
  };
}

/** Says which task without a mark has sent the message already, if only `--overwrite` lets svc send it again. */
export function describeRepeatedSend(
  situation: PlanningSituation,
  wanted: WantedTask,
  time: number,
): string | undefined {
  if (!situation.options.overwrite || wanted.adopted !== undefined) return undefined;
  const options = { ...situation.options, overwrite: false };
  const sent = findDuplicateTaskOutsideCampaigns({ ...situation, options }, wanted, time);
  return (
    sent && `task ${sent.id} has sent the same message to the same recipients, and --overwrite sends it again`
  );
}

const inFile = ({ key }: WantedTask, id: string): string => {
  const occurrence = parseOccurrenceKey(key);
  return occurrence ? `occurrences: [{day: ${occurrence.day}, id: ${id}}]` : `id: ${id}`;
};

/** Equal contents count as the same message, because a person may have changed its key in the file. */
const sendsSameMessage = (unmarked: Send, send: Send): boolean =>
  (isMessageOfFile(unmarked.message) && unmarked.to === send.to && isSameMessage(unmarked, send)) ||
  isSameSend(unmarked, send);
