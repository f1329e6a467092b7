/** Explains why a message can't be changed (interface, "States and transitions"; "Errors", 423 subcode 10). */
import type { Client } from '../../client/requests/client.ts';
import { formatRecordId, titleOf } from '../../client/requests/record-title.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { EMAIL_EDITOR_NUMBERS, emailMessage } from '../../service/resources/email-message.ts';
import { emailMessageLink } from '../../service/resources/email-message-link.ts';
import { type AnyRule, TIMED_RULE_DEFINITIONS } from '../../service/resources/rule-kinds.ts';
import {
  type MessageRecord,
  type MessageResource,
  type TaskRecord,
  task,
  taskPhase,
} from '../../service/resources/task.ts';
import {
  describeRecordLock,
  explainPermanentLock,
  explainThatRecordIsUnlocked,
  type FormatMoment,
  type LockExplanation,
  type RecordLock,
} from './why.ts';

export interface MessageUsage {
  readonly tasks: readonly TaskRecord[];
  readonly rules: readonly Rule[];
}

/** `editable` is a bool for e-mail messages, and an int for SMS messages (interface). */
export const isEditable = ({ editable }: MessageRecord): boolean => editable === true || editable === 1;

export const explainUnlockedMessage = (resource: MessageResource, record: MessageRecord): LockExplanation =>
  explainThatRecordIsUnlocked(
    `${titleOf(resource, record)} is not locked: it can be changed until a task is scheduled with it.`,
  );

export function explainLockedMessage(
  resource: MessageResource,
  record: MessageRecord,
  { tasks, rules }: MessageUsage,
  now: number,
): LockExplanation {
  const title = titleOf(resource, record);
  const { id } = record;
  const isEmail = resource === emailMessage;
  const editor = 'editor' in record ? editorLock(record.editor) : undefined;
  const by: readonly RecordLock[] = [
    ...tasks.map((each) => describeRecordLock('task', each)),
    ...rules.map(({ resource: kind, record: rule }) =>
      describeRecordLock('automation', { ...rule, id: formatRecordId(kind, rule.id) }),
    ),
    ...(editor === undefined ? [] : [editor]),
  ];
  return explainPermanentLock(by, (moment) => ({
    title: `${title} is locked: it can never be changed again.`,
    reasons: [
      ...tasks.slice(0, MAX_DESCRIBED).map((each) => taskWords(each, now, moment)),
      ...(tasks.length > MAX_DESCRIBED
        ? [`At least ${tasks.length - MAX_DESCRIBED} more tasks use the message.`]
        : []),
      ...rules.map(
        ({ resource: kind, record: rule }) =>
          `${titleOf(kind, rule)} uses the message. A message that a rule uses can no longer be changed.`,
      ),
      ...(editor === undefined
        ? []
        : [
            `The message was created with the ${editor.name}, and the service's API cannot change such messages.`,
          ]),
      ...(by.length > 0 ? [] : [unnamed(isEmail)]),
    ],
    next: [
      ...(isEmail
        ? [
            { text: 'Write the message to a file, and edit the file:', command: `email pull ${id}` },
            { text: 'Create a new version from the file:', command: 'email push --help' },
          ]
        : [{ text: 'Create a new message with the changes:', command: `${resource.noun} create --help` }]),
      ...(tasks.some((each) => taskPhase(each, now) === 'scheduled')
        ? [
            {
              text: 'A task keeps its message. To send the new message, cancel the task and create another task.',
            },
          ]
        : []),
    ],
  }));
}

/** The service hides a deleted message, but still sends it (interface, "States"). */
export function describeDeletedMessage(
  resource: MessageResource,
  id: Id,
  record: TaskRecord,
  now: number,
): { readonly message: string; readonly hint: string } {
  const title = titleOf(task, record);
  const words = `${resource.noun} ${id} was deleted: it is hidden permanently and cannot be changed`;
  const phase = taskPhase(record, now);
  if (phase !== 'scheduled' && phase !== 'sending')
    return {
      message: `${words}. ${title} used the message`,
      hint: `svc ${resource.noun} list shows the ids you can use`,
    };
  const ahead = record.scheduledtime - now;
  const when = ahead > 0 ? ` in ${formatDuration(Math.round(ahead))}` : '';
  return {
    message: `${words}. ${title} still sends the message${when}`,
    hint: `svc task cancel ${record.id} stops the send.`,
  };
}

const MAX_DESCRIBED = 5;
/** One page, with the newest task first. */
const MAX_TASKS = 50;
/** Limit of each kind. */
const MAX_RULES = 1000;

/** @param record the message; its `used` says whether a task uses it */
export async function findMessageUsage(
  client: Client,
  resource: MessageResource,
  id: Id,
  record: MessageRecord,
): Promise<MessageUsage> {
  const tasks = record.used === false ? [] : await findTasksWithMessage(client, resource, id);
  return { tasks, rules: resource === emailMessage ? await findRulesWithMessage(client, id) : [] };
}

/** The latest send time comes first. Sends one request. */
export async function findTasksWithMessage(
  client: Client,
  resource: MessageResource,
  id: Id,
): Promise<readonly TaskRecord[]> {
  const channel = resource === emailMessage ? 'email' : 'sms';
  const latest = { sort: 'scheduledtime', reverse: true, limit: MAX_TASKS, pageSize: MAX_TASKS };
  const found: TaskRecord[] = [];
  for await (const record of client.list(task, { filters: { channel, message_id: id }, ...latest }))
    found.push(record);
  return found;
}

interface Rule {
  readonly resource: Resource;
  readonly record: AnyRule;
}

/**
 * A rule uses the message as an answer, by message_id or through a link (interface, "Automation rules" 7). The service has no filter for
 * that, so svc reads up to a thousand rules of each kind.
 */
async function findRulesWithMessage(client: Client, id: Id): Promise<readonly Rule[]> {
  const found: Rule[] = [];
  let links: Promise<ReadonlySet<string>> | undefined;
  const isLinked = async ({ link_id = null }: AnyRule): Promise<boolean> => {
    if (link_id === null) return false;
    links ??= linksOf(client, id);
    return (await links).has(String(link_id));
  };
  // A rule of kind sms answers with an SMS message and names no e-mail message.
  for (const { resource } of Object.values(TIMED_RULE_DEFINITIONS)) {
    for await (const record of client.list(resource, { limit: MAX_RULES })) {
      const { actiontype, actiontarget, message_id }: AnyRule = record;
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
  for await (const link of client.list(emailMessageLink, { filters, limit: MAX_RULES }))
    ids.add(String(link.id));
  return ids;
}

function editorLock(editor: unknown): RecordLock | undefined {
  const { classic, designer } = EMAIL_EDITOR_NUMBERS;
  const lock = { kind: 'editor', until: null };
  if (editor === classic) return { ...lock, id: classic, name: 'Classic Editor' };
  return editor === designer ? { ...lock, id: designer, name: 'Campaign Designer' } : undefined;
}

function taskWords(record: TaskRecord, now: number, moment: FormatMoment): string {
  const title = titleOf(task, record);
  const time = moment(record.scheduledtime);
  switch (taskPhase(record, now)) {
    case 'scheduled':
      return `${title} is scheduled to send the message: ${time}.`;
    case 'sending':
      return `${title} has been sending the message since ${time}.`;
    case 'completed':
      return `${title} has sent the message: ${time}.`;
    case 'cancelled':
      return `${title} was scheduled to send the message, but was cancelled. The message still cannot be changed.`;
  }
}

const unnamed = (isEmail: boolean): string =>
  isEmail
    ? 'No task and no rule that you can see uses the message. A message stays locked even after the rule that locked it is deleted.'
    : 'No task that you can see uses the message.';
