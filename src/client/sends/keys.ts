/**
 * Finds the records of an idempotency key (`--key`). The mark of the key at the end of a record's name is the only state that other machines
 * see; this machine's journal also knows records that the lists of the service do not show yet.
 */

import { flagName } from '../../kit/schema/field.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { AnyRecord, Json, RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import type { folder } from '../../service/resources/folder.ts';
import { RULE_DEFINITIONS, RULE_KINDS, type RuleResource } from '../../service/resources/rule-kinds.ts';
import type { MessageResource, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import { titleOf, unfinishedName } from '../requests/record-title.ts';
import { toComparableText } from '../requests/recovery/find-created.ts';
import { SendError } from './errors.ts';
import { byId } from './same-send.ts';
import { maskLinks } from './visible-content.ts';

export type KeyedResource = typeof folder | MessageResource | RuleResource;

export interface KeyLook {
  readonly client: Pick<Client, 'find' | 'get' | 'list'>;
  /**
   * Returns the ids of the records that this machine has created under one of the names, from its journal. Waits for requests of this
   * machine that are in flight.
   */
  readonly madeHere: (resource: Resource, names: readonly string[]) => Promise<readonly Id[]>;
}

/** Returns all records under a key, by ascending id. The name has the mark of the key. Throws ClientError. */
export async function findRecordsUnderKey<R extends KeyedResource | typeof task>(
  { client, madeHere }: KeyLook,
  resource: R,
  name: string,
): Promise<readonly RecordOf<R>[]> {
  const names = resource.variant === undefined ? [name] : [name, unfinishedName(name)];
  // The journal first: an own request in flight must end before the lists are read.
  const ids = await madeHere(resource, names);
  const any: KeyedResource | typeof task = resource;
  const found: RecordOf<typeof any>[] = [];
  for (const each of names) found.push(...(await client.find(any, { name: each })));
  const listed = new Set(found.map(({ id }) => String(id)));
  for (const id of ids.filter((each) => !listed.has(String(each)))) {
    const record = await client.get(any, id);
    if (record !== undefined && names.includes(record.name)) found.push(record);
  }
  return byId(found) as readonly RecordOf<R>[];
}

export interface KeyDifference {
  readonly attribute: string;
  readonly found: string;
  readonly wanted: string;
}

/** Returns what differs between a record under a key and the body of a request with the same key. Send times are compared by the caller. */
export function findDifferences(
  resource: Resource,
  wanted: Values,
  found: AnyRecord,
): readonly KeyDifference[] {
  const told = comparedAttributes(resource).filter((attribute) => wanted[attribute] !== undefined);
  return told.flatMap((attribute): readonly KeyDifference[] => {
    const [a, b] = [wanted[attribute] ?? null, found[attribute] ?? null];
    const field = resource.fields[attribute];
    const isSame =
      attribute === 'html' || attribute === 'text'
        ? maskLinks(a, attribute).masked.trim() === maskLinks(b, attribute).masked.trim()
        : field === undefined || toComparableText(field, a) === toComparableText(field, b);
    return isSame ? [] : [{ attribute, found: inWords(b), wanted: inWords(a) }];
  });
}

const inWords = (value: Json): string => {
  const text = String(value);
  return text.length > MAX_SHOWN ? 'another text' : text;
};
const MAX_SHOWN = 60;

/** Returns the attributes that decide what a record does to people. Names and notes may differ. */
function comparedAttributes({ name, variant }: Resource): readonly string[] {
  const kind = RULE_KINDS.find((each) => each === variant);
  return kind === undefined ? (BY_RESOURCE[name] ?? []) : [...RULE_DEFINITIONS[kind].definedBy, ...DELAYS];
}

const DELAYS = ['actiontimediff', 'actionhour', 'message_actiontimediff', 'message_actionhour'];
const BY_RESOURCE: Readonly<Record<string, readonly string[]>> = {
  task: ['channel', 'message_id', 'list_id', 'search_id', 'rate'],
  emailMessage: ['fromemail', 'fromname', 'replyemail', 'subject', 'html', 'text'],
  smsMessage: ['fromname', 'message'],
};

/** @throws SendError exit 5, with both values of each attribute */
export function refuseDifferences(
  resource: Resource,
  record: AnyRecord,
  differences: readonly KeyDifference[],
  done?: string,
): void {
  if (differences.length > 0) throw otherContentError(resource, record, differences, done);
}

/** Returns the end of an error: that nothing was sent, and which other records have the same key. */
export const nothingDone = (twins: readonly string[]): string =>
  `nothing was sent${twins.length === 0 ? '' : `; ${twins.join(' and ')} has the same --key, too`}`;

/** Returns the error for a key that an earlier run used for other content. `done` says what became of this run's own record. */
export function otherContentError(
  resource: Resource,
  record: AnyRecord,
  differences: readonly KeyDifference[],
  done = 'nothing was sent',
): SendError {
  const values = differences.map(
    ({ attribute, found, wanted }) => `${attribute} ${found}, and this command asks for ${wanted}`,
  );
  const flags = differences.map(({ attribute }) => `--${flagName(attribute)}`).join(', ');
  return new SendError(
    'other-content',
    `an earlier run with this --key created ${titleOf(resource, record)} with ${values.join('; ')}; ${done}`,
    {
      outcome: 'conflict',
      hint: `If the record is right, correct ${flags}. To change the record, use svc ${resource.noun} update. To create another record, use another --key.`,
    },
  );
}
