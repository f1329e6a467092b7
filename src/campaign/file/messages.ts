/** Reads folders and messages of a campaign's file. */

import { folder } from '../../resources/folder.ts';
import { type Channel, MESSAGE_RESOURCES } from '../../resources/task.ts';
import type { WantedFolder, WantedMessage } from '../model.ts';
import { MAX_FOLDER_NAME_OCTETS } from '../plan/messages.ts';
import { readRecordTakenOverByItem } from './adopted.ts';
import {
  castToJsonValues,
  checkAndNormalizeItemBody,
  emptyItemRequestBody,
  readItemAttributeValue,
  readPlainValueAttributesIntoBody,
  rejectEmptyItemName,
} from './bodies.ts';
import { decodeText, parseContentPath, smsTextOfFile } from './content-files.ts';
import {
  formatItemFaultPrefix,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  invalidValueMessageEnding,
  readItemAttributes,
  requireScalarValue,
} from './given.ts';
import { folderAttributeSpecs, messageAttributeSpecs } from './parts.ts';
import type { ValueOrFault } from './values.ts';

export function readFolderItem(reading: ItemReadContext, item: ItemEntry): WantedFolder {
  const givenAttributes = readItemAttributes(reading, item, folderAttributeSpecs, Object.keys(folder.fields));
  const body = emptyItemRequestBody();
  readPlainValueAttributesIntoBody(reading, item, givenAttributes, body);
  checkAndNormalizeItemBody(reading, item, folder, givenAttributes, body, folderAttributeSpecs);
  const { name } = body.values;
  rejectEmptyItemName(reading, item, givenAttributes.get('name'), name);
  const octets = Buffer.byteLength(String(name ?? ''), 'utf8');
  const place = givenAttributes.get('name')?.node.place ?? item.place;
  // The checks of the body report a name that is too long for the interface.
  if (octets > MAX_FOLDER_NAME_OCTETS && octets <= 40)
    reading.faults.add(
      place,
      `${formatItemFaultPrefix(item)}name has ${octets} bytes; the maximum is ${MAX_FOLDER_NAME_OCTETS}. The service allows 40 bytes, and svc adds a mark such as [svc-…] to the name of the folder`,
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
  reading: ItemReadContext,
  item: ItemEntry,
): Promise<WantedMessage | undefined> {
  const channel = readChannel(item);
  if (!channel) {
    const entry = item.mapping.entries.find(({ key }) => key === 'channel');
    const reason = entry
      ? `must be email or sms${invalidValueMessageEnding(entry.value)}`
      : 'is required: email or sms';
    reading.faults.add(entry?.value.place ?? item.place, `${formatItemFaultPrefix(item)}channel ${reason}`);
    return undefined;
  }
  const resource = MESSAGE_RESOURCES[channel];
  const specs = messageAttributeSpecs(channel);
  const givenAttributes = readItemAttributes(reading, item, specs, Object.keys(resource.fields));
  const body = emptyItemRequestBody();
  readPlainValueAttributesIntoBody(reading, item, givenAttributes, body);
  delete body.values['channel'];
  const files: Record<string, string> = {};
  for (const [attribute, each] of givenAttributes) {
    if (each.spec.takes !== 'file') continue;
    const content = await readContent(reading, item, each);
    if (!content) {
      body.faultyAttributes.add(attribute);
      continue;
    }
    files[attribute] = content.path;
    body.values[attribute] = channel === 'sms' ? smsTextOfFile(content.text) : content.text;
  }
  const { name, ...values } = checkAndNormalizeItemBody(
    reading,
    item,
    resource,
    givenAttributes,
    body,
    specs,
  );
  rejectEmptyItemName(reading, item, givenAttributes.get('name'), name);
  const { key } = item;
  return {
    kind: 'message',
    key,
    channel,
    name: String(name ?? ''),
    values: castToJsonValues(values),
    files,
    ...readRecordTakenOverByItem(reading, item, givenAttributes, channel),
  };
}

/** Reads the content file that an attribute names. Reports faults of that file at the position of its name in the campaign file. */
async function readContent(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttribute: ItemAttribute,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = readItemAttributeValue(
    reading,
    item,
    givenAttribute,
    ({ value, source }): ValueOrFault<string> => {
      const found = value === null || typeof value === 'boolean' ? undefined : parseContentPath(source);
      if (!found)
        return { fault: 'must be the name of a file in the folder of this campaign file or below it' };
      return 'fault' in found ? found : { value: found.path };
    },
  );
  const node = path === undefined ? undefined : requireScalarValue(reading, item, givenAttribute);
  if (path === undefined || !node) return undefined;
  const found = await reading.readContent(path);
  const text = 'octets' in found ? decodeText(found.octets) : undefined;
  if (text !== undefined) return { path, text };
  const fault = 'fault' in found ? found.fault : 'is not UTF-8 text';
  reading.faults.add(
    node.place,
    `${formatItemFaultPrefix(item)}${givenAttribute.spelling}: ${path} ${fault}`,
  );
  return undefined;
}
