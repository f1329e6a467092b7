import type { Scalar } from '../../../kit/schema/field.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { compileTimePhrase } from '../../../kit/text/time-phrase.ts';
import { folder } from '../../../service/resources/folder.ts';
import {
  messageAttributesOfRule,
  RULE_KINDS,
  type RuleKind,
  ruleResource,
} from '../../../service/resources/rule-kinds.ts';
import { CHANNELS, type Channel, MESSAGE_RESOURCES, task } from '../../../service/resources/task.ts';
import type { MessageReference, WantedFolder, WantedMessage, WantedRule, WantedTask } from '../model.ts';
import { MAX_FOLDER_NAME_OCTETS } from '../plan/messages.ts';
import { referenceAttributesOfRule } from '../plan/rule-references.ts';
import {
  addItemFault,
  castToJsonValues,
  checkItemBody,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  invalidValueMessageEnding,
  readAdopted,
  readAttribute,
  readAttributeValue,
  readDurationValue,
  readIdValue,
  readIntoBody,
  readMessageReference,
  readSizeRange,
  rejectEmptyItemName,
  startReadingItem,
  type ValueOrFault,
} from './attributes.ts';
import { decodeText, parseContentPath, smsTextOfFile } from './content-files.ts';
import type { YamlScalarNode } from './document.ts';
import {
  folderAttributeSpecs,
  messageAttributeSpecs,
  ruleAttributeSpecs,
  TASK_CANCEL_COUNTDOWN_RANGE_SECONDS,
  taskAttributeSpecs,
} from './parts.ts';
import { readRenamedFrom } from './renames.ts';
import { checkFirstTime, checkSeries, readRepeat } from './repeat.ts';
import { findVariableUse } from './variables.ts';

export function readFolderItem(context: ItemReadContext, item: ItemEntry): WantedFolder {
  const reading = startReadingItem(context, item, folder, folderAttributeSpecs);
  checkItemBody(reading);
  const { name } = reading.body;
  rejectEmptyItemName(reading, name);
  const octets = Buffer.byteLength(String(name ?? ''), 'utf8');
  // The checks of the body report a name that is too long for the interface.
  if (octets > MAX_FOLDER_NAME_OCTETS && octets <= 40)
    reading.fault(
      'name',
      `name has ${octets} bytes; the maximum is ${MAX_FOLDER_NAME_OCTETS}. The service allows 40 bytes, and svc adds a mark such as [svc-…] to the name of the folder`,
    );
  return { kind: 'folder', key: item.key, name: String(name ?? ''), ...readRenamedFrom(reading) };
}

/** The channel can't be a variable. */
export function readChannel({ mapping }: ItemEntry): Channel | undefined {
  const node = mapping.entries.find(({ key }) => key === 'channel')?.value;
  if (node?.kind !== 'scalar' || node.variables !== 'none') return undefined;
  return node.value === 'email' || node.value === 'sms' ? node.value : undefined;
}

export async function readMessageItem(
  context: ItemReadContext,
  item: ItemEntry,
): Promise<WantedMessage | undefined> {
  const channel = readChannel(item);
  if (!channel) {
    const entry = item.mapping.entries.find(({ key }) => key === 'channel');
    const reason = entry
      ? `must be email or sms${invalidValueMessageEnding(entry.value)}`
      : 'is required: email or sms';
    addItemFault(context, item, entry?.value.place ?? item.place, `channel ${reason}`);
    return undefined;
  }
  const specs = messageAttributeSpecs(channel);
  const reading = startReadingItem(context, item, MESSAGE_RESOURCES[channel], specs);
  delete reading.body.channel;
  const files: Record<string, string> = {};
  for (const [attribute, { spec }] of reading.given) {
    if (spec.takes !== 'file') continue;
    const content = await readContent(reading, attribute);
    if (!content) {
      reading.faulty.add(attribute);
      continue;
    }
    files[attribute] = content.path;
    reading.body[attribute] = channel === 'sms' ? smsTextOfFile(content.text) : content.text;
  }
  const { name, ...values } = checkItemBody(reading);
  rejectEmptyItemName(reading, name);
  return {
    kind: 'message',
    key: item.key,
    channel,
    name: String(name ?? ''),
    values: castToJsonValues(values),
    files,
    ...readAdopted(reading, channel),
    ...readRenamedFrom(reading),
  };
}

async function readContent(
  reading: ItemReading,
  attribute: string,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = readAttribute(reading, attribute, ({ value, source }): ValueOrFault<string> => {
    const found = value === null || typeof value === 'boolean' ? undefined : parseContentPath(source);
    if (!found)
      return { fault: 'must be the name of a file in the folder of this campaign file or below it' };
    return 'fault' in found ? found : { value: found.path };
  });
  if (path === undefined) return undefined;
  const found = await reading.readContent(path);
  const text = 'octets' in found ? decodeText(found.octets) : undefined;
  const variable = text === undefined ? undefined : findVariableUse(text, reading.valueNames);
  if (text !== undefined && variable === undefined) return { path, text };
  const fault =
    text !== undefined && variable !== undefined
      ? `has ${variable.use} in line ${text.slice(0, variable.offset).split('\n').length}, which recipients would see: values are not replaced in content files`
      : 'fault' in found
        ? found.fault
        : 'is not UTF-8 text';
  reading.fault(attribute, `${reading.given.get(attribute)?.spelling}: ${path} ${fault}`);
  return undefined;
}

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
    list_id: isMissing(given.get('list_id')) ? null : 1,
    search_id: isMissing(given.get('search_id')) ? null : 1,
  });
  rejectEmptyItemName(reading, checked.name);
  checkCredits(reading, maxCredits);
  const list = get('list_id', (node) => readIdValue(node, 'a list'));
  const search = get('search_id', (node) => readIdValue(node, 'a search'));
  const message = get('message_id', (node) => readMessageReference(node, reading.messages, undefined));
  const at = get('scheduledtime', readSendTime);
  for (const { name, isRequired, takes, spellings } of taskAttributeSpecs)
    if (isRequired && ['message', 'time'].includes(takes) && isMissing(given.get(name)))
      addItemFault(context, item, item.place, `${spellings[0]} is required`);
  checkChannel(reading, message);
  const expectSize = get('expect-size', readSizeRange) ?? null;
  const hold = get('hold', holdOf) ?? null;
  const repeat = readRepeat(reading);
  // The reader of `repeat` reports the id of a series.
  const adopted = {
    ...(repeat === undefined ? readAdopted(reading, null) : {}),
    ...readRenamedFrom(reading),
  };
  if (repeat !== undefined && typeof at === 'string') checkFirstTime(reading, at);
  if (!message || !at || repeat === null) return undefined;
  const wanted: WantedTask = {
    kind: 'task',
    key: item.key,
    name: String(checked.name ?? ''),
    channel: CHANNELS.find((each) => each === channel) ?? null,
    message,
    list: list ?? null,
    search: search ?? null,
    at,
    rate: typeof checked.rate === 'number' ? checked.rate : null,
    expectSize,
    maxCredits: typeof maxCredits === 'number' ? maxCredits : null,
    hold,
    ...adopted,
    ...(repeat === undefined ? {} : { repeat }),
  };
  checkSeries(reading, wanted);
  return wanted;
}

const isMissing = (attribute: ItemAttribute | undefined): boolean =>
  attribute === undefined || (attribute.node.kind === 'scalar' && attribute.node.value === null);

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
  return { fault: `is refused: ${read.reason}${instead}` };
}

function holdOf(node: YamlScalarNode): ValueOrFault<number | null> {
  const found = readDurationValue(node, 'seconds');
  if ('fault' in found || found.value === null) return found;
  return found.value >= TASK_CANCEL_COUNTDOWN_RANGE_SECONDS.least &&
    found.value <= TASK_CANCEL_COUNTDOWN_RANGE_SECONDS.most
    ? found
    : { fault: 'must be from 2m to 24h' };
}

/** The id of a message that is not in the file does not tell its channel. */
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

export function readRuleItem(context: ItemReadContext, item: ItemEntry): WantedRule | undefined {
  const rule = readRuleKind(item);
  if (!rule) {
    const entry = item.mapping.entries.find(({ key }) => key === 'kind');
    const kinds = `${RULE_KINDS.slice(0, -1).join(', ')} or ${RULE_KINDS.at(-1)}`;
    const reason = entry
      ? `must be ${kinds}${invalidValueMessageEnding(entry.value)}`
      : `is required: ${kinds}`;
    addItemFault(context, item, entry?.value.place ?? item.place, `kind ${reason}`);
    return undefined;
  }
  const reading = startReadingItem(context, item, ruleResource(rule), ruleAttributeSpecs(rule));
  delete reading.body.kind;
  readDurations(reading);
  return finishRule(reading, rule);
}

/** Checks a rule whose plain values and durations are in the body. */
export function finishRule(reading: ItemReading, rule: RuleKind): WantedRule {
  const references = readReferences(reading, rule);
  const checked = checkItemBody(reading);
  rejectEmptyItemName(reading, checked.name);
  const { name, paused, ...rest } = checked;
  const values = Object.fromEntries(
    Object.entries(rest).filter(([attribute]) => !Object.hasOwn(references, attribute)),
  );
  return {
    kind: 'automation',
    key: reading.item.key,
    rule,
    name: String(name ?? ''),
    values: castToJsonValues(values),
    references,
    paused: paused === true,
    ...readAdopted(reading, rule),
    ...readRenamedFrom(reading),
  };
}

/** The kind can't be a variable. */
function readRuleKind({ mapping }: ItemEntry): RuleKind | undefined {
  const node = mapping.entries.find(({ key }) => key === 'kind')?.value;
  if (node?.kind !== 'scalar' || node.variables !== 'none') return undefined;
  return RULE_KINDS.find((kind) => kind === node.value);
}

export function readDurations(reading: ItemReading): void {
  for (const [attribute, { spec }] of reading.given) {
    const { takes, field } = spec;
    if (takes !== 'after' && takes !== 'before') continue;
    readIntoBody(reading, attribute, (node) => {
      const found = readDurationValue(node, field.unit ?? 'seconds');
      if ('fault' in found) return found;
      if (found.value === null) return { fault: 'must be a duration, such as 2d' };
      return { value: takes === 'before' && found.value !== 0 ? -found.value : found.value };
    });
  }
}

/** The checks of the body need ids, so the body gets placeholders. */
function readReferences(reading: ItemReading, rule: RuleKind): Readonly<Record<string, MessageReference>> {
  const { given, body, faulty, messages, resource } = reading;
  const references: Record<string, MessageReference> = {};
  const actiontype = body.actiontype;
  const isAction = resource.fields['actiontype']?.values?.includes(String(actiontype)) ?? true;
  const refers = referenceAttributesOfRule(rule, { actiontype });
  const channels = messageAttributesOfRule(rule, { actiontype });
  for (const [attribute, { spec }] of given) {
    const { takes, field } = spec;
    if (takes !== 'message' && takes !== 'id' && takes !== 'target') continue;
    if (takes === 'target' && (!isAction || !refers.includes(attribute))) {
      readIntoBody(reading, attribute, (node) => readAttributeValue(field, node));
      continue;
    }
    const channel = channels[attribute];
    const found = readAttribute(reading, attribute, (node): ValueOrFault<MessageReference | null> => {
      if (channel !== undefined) return readMessageReference(node, messages, channel);
      const id = readIdValue(node, attribute === 'link_id' ? 'a link' : 'a list');
      if ('fault' in id) return id;
      return { value: id.value === null ? null : { id: id.value } };
    });
    if (found === undefined) faulty.add(attribute);
    else body[attribute] = found === null ? null : placeholder(found, field.kind === 'string');
    if (found) references[attribute] = found;
  }
  return references;
}

function placeholder(reference: MessageReference, isText: boolean): Scalar {
  const digits = 'id' in reference ? reference.id : '1';
  return isText ? digits : parseIntegerDigits(digits);
}
