/** Reads folders and messages of a campaign's file. */

import { folder } from '../../resources/folder.ts';
import { type Channel, MESSAGE_RESOURCES } from '../../resources/task.ts';
import type { WantedFolder, WantedMessage } from '../model.ts';
import { MAX_FOLDER_NAME_OCTETS } from '../plan/messages.ts';
import {
  addItemFault,
  castToJsonValues,
  checkItemBody,
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  invalidValueMessageEnding,
  readAttribute,
  readRecordTakenOverByItem,
  rejectEmptyItemName,
  startReadingItem,
  type ValueOrFault,
} from './attributes.ts';
import { decodeText, parseContentPath, smsTextOfFile } from './content-files.ts';
import { folderAttributeSpecs, messageAttributeSpecs } from './parts.ts';

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
  return { kind: 'folder', key: item.key, name: String(name ?? '') };
}

/** Reads the channel of the message, which decides which other attributes the message takes. The channel can't be a variable. */
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
  delete reading.body['channel'];
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
    ...readRecordTakenOverByItem(reading, channel),
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
  if (text !== undefined) return { path, text };
  const fault = 'fault' in found ? found.fault : 'is not UTF-8 text';
  reading.fault(attribute, `${reading.given.get(attribute)?.spelling}: ${path} ${fault}`);
  return undefined;
}
