/** Explains why a message can't be changed (interface, "States and transitions"; "Errors", 423 subcode 10). */
import type { Client } from '../client/client.ts';
import { idText, titleOf } from '../client/record-title.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { EDITORS, emailMessage } from '../resources/email-message.ts';
import { emailMessageLink } from '../resources/email-message-link.ts';
import { TIMED_RULES } from '../resources/rule-kinds.ts';
import type { smsMessage } from '../resources/sms-message.ts';
import { task } from '../resources/task.ts';
import { phaseOf } from '../resources/task-status.ts';
import type { Id } from '../schema/integer.ts';
import type { Resource } from '../schema/resource.ts';
import { formatDuration } from '../text/duration.ts';
import { type Explanation, type FormatMoment, type Lock, lockOf, unlocked } from './answer.ts';

export type MessageResource = typeof emailMessage | typeof smsMessage;

/** Records that use a message. */
export interface Users {
  readonly tasks: readonly JsonObject[];
  readonly rules: readonly Rule[];
}

/** Reports whether the message can be changed: a bool for e-mail messages, an int for SMS messages (interface). */
export const isEditable = ({ editable }: JsonObject): boolean => editable === true || editable === 1;

export const editableMessage = (resource: MessageResource, record: JsonObject): Explanation =>
  unlocked(
    `${titleOf(resource, record)} is not locked: it can be changed until a task is scheduled with it.`,
  );

/** Explains a message that cannot be changed. @param now Unix seconds by the service's clock */
export function lockedMessage(
  resource: MessageResource,
  record: JsonObject,
  { tasks, rules }: Users,
  now: number,
): Explanation {
  const title = titleOf(resource, record);
  const id = idText(resource, record['id']);
  const isEmail = resource === emailMessage;
  const editor = isEmail ? editorLock(record) : undefined;
  const by: readonly Lock[] = [
    ...tasks.map((each) => lockOf('task', each)),
    ...rules.map(({ resource: kind, record: rule }) =>
      lockOf('automation', { ...rule, id: idText(kind, rule['id']) }),
    ),
    ...(editor === undefined ? [] : [editor]),
  ];
  return {
    locked: true,
    by,
    free: null,
    words: (moment) => ({
      title: `${title} is locked: it can never be changed again.`,
      reasons: [
        ...tasks.slice(0, MOST_TOLD).map((each) => taskWords(each, now, moment)),
        ...(tasks.length > MOST_TOLD
          ? [`Other tasks also use it: ${tasks.length - MOST_TOLD} or more.`]
          : []),
        ...rules.map(
          ({ resource: kind, record: rule }) =>
            `${titleOf(kind, rule)} uses it. A message that a rule uses can no longer be changed.`,
        ),
        ...(editor === undefined
          ? []
          : [`It was created with the ${editor.name}, and the interface cannot change such messages.`]),
        ...(by.length > 0 ? [] : [unnamed(isEmail)]),
      ],
      next: [
        ...(isEmail
          ? [
              { text: 'Write it to a file, and edit that:', command: `email pull ${id}` },
              { text: 'Create a new version from the file:', command: 'email push --help' },
            ]
          : [
              {
                text: 'Create a new message with the changes:',
                command: `${resource.noun} create --help`,
              },
            ]),
        ...(tasks.some((each) => phaseOf(each, now) === 'scheduled')
          ? [
              {
                text: 'A task keeps its message. To send the new one, cancel the task and create another.',
              },
            ]
          : []),
      ],
    }),
  };
}

/** Describes a message that was deleted while a task references it: it is hidden, and still sent (interface, "States"). */
export function deletedMessage(
  resource: MessageResource,
  id: Id,
  record: JsonObject,
  now: number,
): { readonly message: string; readonly hint: string } {
  const title = titleOf(task, record);
  const words = `${resource.noun} ${id} was deleted: it is hidden permanently and cannot be changed`;
  const phase = phaseOf(record, now);
  if (phase !== 'scheduled' && phase !== 'sending')
    return {
      message: `${words}. It was used by ${title}`,
      hint: `svc ${resource.noun} list shows the ids you can use`,
    };
  const ahead = Number(record['scheduledtime']) - now;
  const when = ahead > 0 ? ` in ${formatDuration(Math.round(ahead))}` : '';
  return {
    message: `${words}. ${title} still sends it${when}`,
    hint: `svc task cancel ${String(record['id'])} stops it from being sent.`,
  };
}

/** Most records that are described one by one. */
const MOST_TOLD = 5;
/** Page size: one page of the newest tasks. */
const MOST_TASKS = 50;
/** Most rules of each kind. */
const MOST_RULES = 1000;

/** Finds the records that use the message. @param record says whether a task uses it */
export async function usersOf(
  client: Client,
  resource: MessageResource,
  id: Id,
  record: JsonObject,
): Promise<Users> {
  const tasks = record['used'] === false ? [] : await tasksWith(client, resource, id);
  return { tasks, rules: resource === emailMessage ? await rulesWith(client, id) : [] };
}

/** Returns the tasks that use the message, in any state, latest first, with one request. */
export async function tasksWith(
  client: Client,
  resource: MessageResource,
  id: Id,
): Promise<readonly JsonObject[]> {
  const channel = resource === emailMessage ? 'email' : 'sms';
  const latest = { sort: 'scheduledtime', reverse: true, limit: MOST_TASKS, pageSize: MOST_TASKS };
  const found: JsonObject[] = [];
  for await (const record of client.list(task, { filters: { channel, message_id: id }, ...latest }))
    found.push(record);
  return found;
}

interface Rule {
  readonly resource: Resource;
  readonly record: JsonObject;
}

/**
 * Returns the rules that use the message (interface, rule 7): as an automatic answer, by message_id, or through one of
 * its links. The interface cannot filter by these, so it reads up to a thousand rules of each kind.
 */
async function rulesWith(client: Client, id: Id): Promise<readonly Rule[]> {
  const found: Rule[] = [];
  let links: Promise<ReadonlySet<string>> | undefined;
  const isLinked = async ({ link_id = null }: JsonObject): Promise<boolean> => {
    if (link_id === null) return false;
    links ??= linksOf(client, id);
    return (await links).has(String(link_id));
  };
  // A rule of kind sms answers with an SMS message and names no e-mail message.
  for (const { resource } of Object.values(TIMED_RULES)) {
    for await (const record of client.list(resource, { limit: MOST_RULES })) {
      const { actiontype, actiontarget, message_id } = record;
      const answers = actiontype === 'email_autoresponder' && String(actiontarget) === String(id);
      if (answers || String(message_id) === String(id) || (await isLinked(record)))
        found.push({ resource, record });
    }
  }
  return found;
}

async function linksOf(client: Client, id: Id): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const filters = { message_id: id };
  for await (const link of client.list(emailMessageLink, { filters, limit: MOST_RULES }))
    ids.add(String(link['id']));
  return ids;
}

function editorLock({ editor }: JsonObject): Lock | undefined {
  const name =
    editor === EDITORS.classic
      ? 'Classic Editor'
      : editor === EDITORS.designer
        ? 'Campaign Designer'
        : undefined;
  return name === undefined ? undefined : { kind: 'editor', id: Number(editor), name, until: null };
}

function taskWords(record: JsonObject, now: number, moment: FormatMoment): string {
  const title = titleOf(task, record);
  const time = moment(Number(record['scheduledtime']));
  switch (phaseOf(record, now)) {
    case 'scheduled':
      return `${title} is scheduled to send it: ${time}.`;
    case 'sending':
      return `${title} is sending it since ${time}.`;
    case 'completed':
      return `${title} has sent it: ${time}.`;
    case 'cancelled':
      return `${title} would have sent it, but was cancelled. That does not make a message editable again.`;
  }
}

const unnamed = (isEmail: boolean): string =>
  isEmail
    ? 'No task or rule that you can see uses it. A deleted one still locks it.'
    : 'No task that you can see uses it.';
