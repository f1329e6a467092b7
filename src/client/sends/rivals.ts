/**
 * Reads the service to find rivals: tasks that are the same send, and rules that do the same, whoever created them. Callers look before a
 * POST, after it, and in every later run (README.md of this folder).
 */

import { type Id, isId } from '../../kit/schema/integer.ts';
import {
  messageAttributesOfRule,
  RULE_DEFINITIONS,
  type RuleKind,
  type RuleRecord,
} from '../../service/resources/rule-kinds.ts';
import { type Channel, MESSAGE_RESOURCES, type TaskRecord, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import { channelOfRecord } from './cost.ts';
import {
  type ComparableRule,
  DELETED_MESSAGE,
  differsOnlyByMessages,
  hasSameEffect,
  ruleDelay,
} from './same-rule.ts';
import { messageIdentity, recipientsOf, type Send } from './same-send.ts';
import { visibleContentHash } from './visible-content.ts';

type TaskAttributes = { readonly [A in keyof TaskRecord]?: unknown };

type RuleAttributes = ComparableRule['values'];

export interface MessageContents {
  /** Returns a `visibleContentHash`, or undefined if the service no longer shows the message. Throws ClientError. */
  readonly contentOf: (channel: Channel, id: Id) => Promise<string | undefined>;
}

export function createMessageContents(client: Pick<Client, 'get'>): MessageContents {
  const known = new Map<string, Promise<string | undefined>>();
  return {
    contentOf: (channel, id) => {
      const name = messageIdentity(channel, id);
      const reading =
        known.get(name) ??
        client
          .get(MESSAGE_RESOURCES[channel], id)
          .then((record) => record && visibleContentHash(channel, record));
      known.set(name, reading);
      return reading;
    },
  };
}

/** @throws ClientError */
export async function readSend(contents: MessageContents, values: TaskAttributes): Promise<Send> {
  const channel = channelOfRecord({ channel: String(values.channel) });
  const { message_id } = values;
  return {
    message: messageIdentity(channel, message_id),
    content: isId(message_id) ? await contents.contentOf(channel, message_id) : undefined,
    to: recipientsOf(values),
    time: Number(values.scheduledtime),
  };
}

/** Range of send times in Unix seconds. Both ends are included. */
interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Yields the tasks of a channel to the same recipients in a range of send times, except cancelled ones. Throws ClientError. */
export async function* listTasksToSameRecipients(
  client: Pick<Client, 'list'>,
  { channel, list_id, search_id }: TaskAttributes,
  { from, to }: TimeRange,
): AsyncGenerator<TaskRecord, void> {
  // search_id is not a filter (interface, task).
  const filters = { channel: String(channel), cancelled: false, ...(isId(list_id) ? { list_id } : {}) };
  for await (const row of client.list(task, { filters, sort: 'scheduledtime', from })) {
    if (row.scheduledtime > to) return;
    if (recipientsOf(row) === recipientsOf({ list_id, search_id })) yield row;
  }
}

/** Returns a rule of the service in the form in which it can be compared. Reads the messages to which it refers. Throws ClientError. */
export async function readComparableRule(
  contents: MessageContents,
  kind: RuleKind,
  values: RuleAttributes,
): Promise<ComparableRule> {
  const found = new Map<string, string | undefined>();
  for (const [attribute, channel] of Object.entries(messageAttributesOfRule(kind, values))) {
    const id = values[attribute];
    if (isId(id)) found.set(attribute, (await contents.contentOf(channel, id)) ?? DELETED_MESSAGE);
  }
  return { values, contentOf: (attribute) => found.get(attribute) };
}

/** Returns the rules of a kind with the same trigger, action, target and delay, by ascending id. Throws ClientError. */
export async function findSameRules(
  client: Pick<Client, 'get' | 'list'>,
  kind: RuleKind,
  values: RuleAttributes,
): Promise<readonly RuleRecord[]> {
  const contents = createMessageContents(client);
  const wanted = await readComparableRule(contents, kind, values);
  const found: RuleRecord[] = [];
  for await (const row of client.list(RULE_DEFINITIONS[kind].resource, { sort: 'id' })) {
    if (ruleDelay(row) !== ruleDelay(values) || !differsOnlyByMessages(kind, row, values)) continue;
    if (hasSameEffect(kind, await readComparableRule(contents, kind, row), wanted)) found.push(row);
  }
  return found;
}

/** Returns the pairs of rules that do the same once the paused rules `resumed` are active, and of which one is resumed. Throws ClientError. */
export async function findSamePairs(
  client: Pick<Client, 'get' | 'list'>,
  kind: RuleKind,
  resumed: readonly RuleRecord[],
): Promise<readonly (readonly [RuleRecord, RuleRecord])[]> {
  const contents = createMessageContents(client);
  const active: RuleRecord[] = [];
  for await (const row of client.list(RULE_DEFINITIONS[kind].resource, { sort: 'id' }))
    if (row.paused !== true && !resumed.some(({ id }) => id === row.id)) active.push(row);
  const pairs: (readonly [RuleRecord, RuleRecord])[] = [];
  for (const [index, one] of resumed.entries())
    for (const other of [...active, ...resumed.slice(index + 1)]) {
      if (ruleDelay(one) !== ruleDelay(other) || !differsOnlyByMessages(kind, one, other)) continue;
      const [a, b] = [
        await readComparableRule(contents, kind, one),
        await readComparableRule(contents, kind, other),
      ];
      if (hasSameEffect(kind, a, b)) pairs.push([one, other]);
    }
  return pairs;
}
