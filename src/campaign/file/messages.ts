/** Reads folders and messages of a campaign's file. */
import { folder } from '../../resources/folder.ts';
import type { Channel, WantedFolder, WantedMessage } from '../model.ts';
import { LONGEST_FOLDER_NAME } from '../plan/messages.ts';
import { adoptedIn } from './adopted.ts';
import { asValues, checkBody, checkName, emptyBody, take, takeValues } from './bodies.ts';
import { contentPath, smsTextIn, textOf } from './content-files.ts';
import {
  calledIn,
  type GivenAttribute,
  givenIn,
  type ItemEntry,
  type ItemReadContext,
  insteadOf,
  scalarIn,
} from './given.ts';
import { folderParts, MESSAGES, messageParts } from './parts.ts';
import type { ValueOrFault } from './values.ts';

export function readFolder(reading: ItemReadContext, item: ItemEntry): WantedFolder {
  const given = givenIn(reading, item, folderParts, Object.keys(folder.fields));
  const body = emptyBody();
  takeValues(reading, item, given, body);
  checkBody(reading, item, folder, given, body, folderParts);
  const { name } = body.values;
  checkName(reading, item, given.get('name'), name);
  const octets = Buffer.byteLength(String(name ?? ''), 'utf8');
  const place = given.get('name')?.node.place ?? item.place;
  // The checks of the body report a name that is too long for the interface.
  if (octets > LONGEST_FOLDER_NAME && octets <= 40)
    reading.faults.add(
      place,
      `${calledIn(item)}name has ${octets} octets; the maximum is ${LONGEST_FOLDER_NAME}, because svc adds a mark and 40 are allowed`,
    );
  return { kind: 'folder', key: item.key, name: String(name ?? '') };
}

/** Reads the channel of the message, which decides which other attributes the message takes. The channel can't be a variable. */
export function channelIn({ mapping }: ItemEntry): Channel | undefined {
  const node = mapping.entries.find(({ key }) => key === 'channel')?.value;
  if (node?.kind !== 'scalar' || node.variables !== 'none') return undefined;
  return node.value === 'email' || node.value === 'sms' ? node.value : undefined;
}

export async function readMessage(
  reading: ItemReadContext,
  item: ItemEntry,
): Promise<WantedMessage | undefined> {
  const channel = channelIn(item);
  if (!channel) {
    const entry = item.mapping.entries.find(({ key }) => key === 'channel');
    const reason = entry ? `must be email or sms${insteadOf(entry.value)}` : 'is required: email or sms';
    reading.faults.add(entry?.value.place ?? item.place, `${calledIn(item)}channel ${reason}`);
    return undefined;
  }
  const resource = MESSAGES[channel];
  const parts = messageParts(channel);
  const given = givenIn(reading, item, parts, Object.keys(resource.fields));
  const body = emptyBody();
  takeValues(reading, item, given, body);
  delete body.values['channel'];
  const files: Record<string, string> = {};
  for (const [attribute, each] of given) {
    if (each.part.takes !== 'file') continue;
    const content = await contentOf(reading, item, each);
    if (!content) {
      body.faulty.add(attribute);
      continue;
    }
    files[attribute] = content.path;
    body.values[attribute] = channel === 'sms' ? smsTextIn(content.text) : content.text;
  }
  const { name, ...values } = checkBody(reading, item, resource, given, body, parts);
  checkName(reading, item, given.get('name'), name);
  const { key } = item;
  return {
    kind: 'message',
    key,
    channel,
    name: String(name ?? ''),
    values: asValues(values),
    files,
    ...adoptedIn(reading, item, given, channel),
  };
}

/** Reads the file that an attribute names. Reports faults of the file at the position of its name. */
async function contentOf(
  reading: ItemReadContext,
  item: ItemEntry,
  given: GivenAttribute,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = take(reading, item, given, ({ value, source }): ValueOrFault<string> => {
    const found = value === null || typeof value === 'boolean' ? undefined : contentPath(source);
    if (!found) return { fault: 'must be the name of a file in the same folder or below it' };
    return 'fault' in found ? found : { value: found.path };
  });
  const node = path === undefined ? undefined : scalarIn(reading, item, given);
  if (path === undefined || !node) return undefined;
  const found = await reading.readContent(path);
  const text = 'octets' in found ? textOf(found.octets) : undefined;
  if (text !== undefined) return { path, text };
  const fault = 'fault' in found ? found.fault : 'is not UTF-8 text';
  reading.faults.add(node.place, `${calledIn(item)}${given.spelling}: ${path} ${fault}`);
  return undefined;
}
