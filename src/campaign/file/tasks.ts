/** Reads tasks of a campaign's file. */
import { type Channel, task } from '../../resources/task.ts';
import { compileTimePhrase } from '../../text/time-phrase.ts';
import type { WantedTask } from '../model.ts';
import { readRecordTakenOverByItem } from './adopted.ts';
import {
  checkAndNormalizeItemBody,
  emptyItemRequestBody,
  readItemAttributeValue,
  readPlainValueAttributesIntoBody,
  rejectEmptyItemName,
} from './bodies.ts';
import type { YamlScalarNode } from './document.ts';
import {
  addMissingAttributeFault,
  formatItemFaultPrefix,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  readItemAttributes,
} from './given.ts';
import { TASK_CANCEL_COUNTDOWN_RANGE_SECONDS, taskAttributeSpecs } from './parts.ts';
import {
  readDurationValue,
  readIdValue,
  readMessageReference,
  readSizeRange,
  type ValueOrFault,
} from './values.ts';

/**
 * Time in Unix seconds with which svc checks a task in the file. The checks use this time as the send time, and as the present time for a
 * relative send time. svc computes the real send time later, when it plans the task.
 */
const PLACEHOLDER_TIME = 1_800_000_000;

export function readTaskItem(reading: ItemReadContext, item: ItemEntry): WantedTask | undefined {
  const givenAttributes = readItemAttributes(reading, item, taskAttributeSpecs, Object.keys(task.fields));
  const get = <T>(name: string, read: (node: YamlScalarNode) => ValueOrFault<T>): T | undefined =>
    readItemAttributeValue(reading, item, givenAttributes.get(name), read);
  const body = emptyItemRequestBody();
  readPlainValueAttributesIntoBody(reading, item, givenAttributes, body);
  const { channel, 'max-credits': maxCredits, ...values } = body.values;
  const meant = {
    ...values,
    channel: channel ?? 'email',
    message_id: 1,
    scheduledtime: PLACEHOLDER_TIME,
    list_id: 1,
    search_id: null,
  };
  const checked = checkAndNormalizeItemBody(
    reading,
    item,
    task,
    givenAttributes,
    { ...body, values: meant },
    taskAttributeSpecs,
  );
  rejectEmptyItemName(reading, item, givenAttributes.get('name'), checked['name']);
  checkCredits(reading, item, givenAttributes.get('max-credits'), maxCredits);
  const list = get('list_id', (node) => readIdValue(node, 'a list'));
  const search = get('search_id', (node) => readIdValue(node, 'a search'));
  checkRecipients(reading, item, givenAttributes);
  const message = get('message_id', (node) => readMessageReference(node, reading.messages, undefined));
  const at = get('scheduledtime', readSendTime);
  for (const spec of taskAttributeSpecs)
    if (
      spec.isRequired &&
      ['message', 'time'].includes(spec.takes) &&
      isMissing(givenAttributes.get(spec.name))
    )
      addMissingAttributeFault(reading, item, spec);
  checkChannel(reading, item, givenAttributes, message);
  const expectSize = get('expect-size', readSizeRange) ?? null;
  const hold = get('hold', holdOf) ?? null;
  const adopted = readRecordTakenOverByItem(reading, item, givenAttributes, null);
  if (!message || !at) return undefined;
  return {
    kind: 'task',
    key: item.key,
    name: String(checked['name'] ?? ''),
    channel: (channel as Channel | null | undefined) ?? null,
    message,
    list: list ?? null,
    search: search ?? null,
    at,
    rate: (checked['rate'] as number | null | undefined) ?? null,
    expectSize,
    maxCredits: (maxCredits as number | null | undefined) ?? null,
    hold,
    ...adopted,
  };
}

/** Returns whether a required value is missing or null. */
const isMissing = (attribute: ItemAttribute | undefined): boolean =>
  attribute === undefined || (attribute.node.kind === 'scalar' && attribute.node.value === null);

/**
 * Returns the text of a send time, or a fault if the text does not describe a time. svc converts the text to a time later, when it plans
 * the task.
 */
function readSendTime({ value, source }: YamlScalarNode): ValueOrFault<string | null> {
  if (value === null) return { value: null };
  const at = source.trim();
  if (/^now$/i.test(at))
    return {
      fault: 'cannot be now: a campaign never sends immediately; write a time, such as "tomorrow 09:00"',
    };
  const read = compileTimePhrase(at, { now: PLACEHOLDER_TIME, zone: 'UTC' });
  if (read.ok) return { value: at };
  const instead = read.instead === undefined ? '' : `; write ${read.instead}`;
  return { fault: `is refused: ${read.reason.replace(/ or now$/, '')}${instead}` };
}

function holdOf(node: YamlScalarNode): ValueOrFault<number | null> {
  const found = readDurationValue(node, 'seconds');
  if ('fault' in found || found.value === null) return found;
  return found.value >= TASK_CANCEL_COUNTDOWN_RANGE_SECONDS.least &&
    found.value <= TASK_CANCEL_COUNTDOWN_RANGE_SECONDS.most
    ? found
    : { fault: 'must be from 2m to 24h' };
}

/** Checks that the item gives exactly one of `list` and `search` (interface, task). */
function checkRecipients(
  { faults }: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
): void {
  const [first, second] = ['list_id', 'search_id']
    .map((name) => givenAttributes.get(name))
    .filter((each) => !isMissing(each));
  if (second)
    faults.add(
      second.node.place,
      `${formatItemFaultPrefix(item)}list and search are both given; remove one of the two`,
    );
  if (!first) faults.add(item.place, `${formatItemFaultPrefix(item)}list or search is required`);
}

/**
 * Checks the channel. If the message is in the file, the message gives the channel. For any other message, the task's channel says whether
 * the id belongs to an e-mail message or to an SMS message.
 */
function checkChannel(
  { faults }: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  message: WantedTask['message'] | null | undefined,
): void {
  const channel = givenAttributes.get('channel');
  if (!channel || !message || !('key' in message)) return;
  faults.add(
    channel.node.place,
    `${formatItemFaultPrefix(item)}channel is allowed only if the message is not in this file; the message ${message.key} has its own channel`,
  );
}

function checkCredits(
  { faults }: ItemReadContext,
  item: ItemEntry,
  givenAttribute: ItemAttribute | undefined,
  credits: unknown,
): void {
  if (credits === undefined || credits === null) return;
  if (typeof credits === 'number' && Number.isInteger(credits) && credits >= 0) return;
  faults.add(
    givenAttribute?.node.place ?? item.place,
    `${formatItemFaultPrefix(item)}max-credits must be a whole number, 0 or more`,
  );
}
