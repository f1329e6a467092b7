/** Reads tasks of a campaign's file. */
import { type Channel, task } from '../../resources/task.ts';
import { compileTimePhrase } from '../../text/time-phrase.ts';
import type { WantedTask } from '../model.ts';
import {
  addItemFault,
  checkItemBody,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  readAttribute,
  readDurationValue,
  readIdValue,
  readMessageReference,
  readRecordTakenOverByItem,
  readSizeRange,
  rejectEmptyItemName,
  startReadingItem,
  type ValueOrFault,
} from './attributes.ts';
import type { YamlScalarNode } from './document.ts';
import { TASK_CANCEL_COUNTDOWN_RANGE_SECONDS, taskAttributeSpecs } from './parts.ts';

/** Placeholder for the send time and the present time in Unix seconds. svc computes the real send time when it plans the task. */
const PLACEHOLDER_TIME = 1_800_000_000;

export function readTaskItem(context: ItemReadContext, item: ItemEntry): WantedTask | undefined {
  const reading = startReadingItem(context, item, task, taskAttributeSpecs);
  const { given } = reading;
  const get = <T>(name: string, read: (node: YamlScalarNode) => ValueOrFault<T>): T | undefined =>
    readAttribute(reading, name, read);
  const { channel, 'max-credits': maxCredits, ...values } = reading.body;
  const checked = checkItemBody(reading, {
    ...values,
    channel: channel ?? 'email',
    message_id: 1,
    scheduledtime: PLACEHOLDER_TIME,
    list_id: 1,
    search_id: null,
  });
  rejectEmptyItemName(reading, checked['name']);
  checkCredits(reading, maxCredits);
  const list = get('list_id', (node) => readIdValue(node, 'a list'));
  const search = get('search_id', (node) => readIdValue(node, 'a search'));
  checkRecipients(reading);
  const message = get('message_id', (node) => readMessageReference(node, reading.messages, undefined));
  const at = get('scheduledtime', readSendTime);
  for (const { name, isRequired, takes, spellings } of taskAttributeSpecs)
    if (isRequired && ['message', 'time'].includes(takes) && isMissing(given.get(name)))
      addItemFault(context, item, item.place, `${spellings[0]} is required`);
  checkChannel(reading, message);
  const expectSize = get('expect-size', readSizeRange) ?? null;
  const hold = get('hold', holdOf) ?? null;
  const adopted = readRecordTakenOverByItem(reading, null);
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

const isMissing = (attribute: ItemAttribute | undefined): boolean =>
  attribute === undefined || (attribute.node.kind === 'scalar' && attribute.node.value === null);

/** Returns the text of a send time, which svc resolves only when it plans the task. */
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
function checkRecipients(reading: ItemReading): void {
  const { given, item } = reading;
  const [first, second] = ['list_id', 'search_id'].filter((name) => !isMissing(given.get(name)));
  if (second !== undefined) reading.fault(second, 'list and search are both given; remove one of the two');
  if (first === undefined) addItemFault(reading, item, item.place, 'list or search is required');
}

/** Checks that the task gives a channel only if its message is not in the file, where the id alone does not tell the channel. */
function checkChannel(
  { given, fault }: ItemReading,
  message: WantedTask['message'] | null | undefined,
): void {
  if (given.has('channel') && message && 'key' in message)
    fault(
      'channel',
      `channel is allowed only if the message is not in this file; the message ${message.key} has its own channel`,
    );
}

function checkCredits({ fault }: ItemReading, credits: unknown): void {
  if (credits === undefined || credits === null) return;
  if (typeof credits === 'number' && Number.isInteger(credits) && credits >= 0) return;
  fault('max-credits', 'max-credits must be a whole number, 0 or more');
}
