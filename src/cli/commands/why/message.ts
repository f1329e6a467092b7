/** Explains why a message can't be changed (interface, "States and transitions"; "Errors", 423 subcode 10). */
import { idText, titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { EDITORS, emailMessage } from '../../../resources/email-message.ts';
import { emailMessageLink } from '../../../resources/email-message-link.ts';
import { TIMED_RULES } from '../../../resources/rule-kinds.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import { task } from '../../../resources/task.ts';
import { phaseOf } from '../../../resources/task-status.ts';
import type { Id } from '../../../schema/integer.ts';
import type { Resource } from '../../../schema/resource.ts';
import { formatDuration } from '../../../text/duration.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { asId, idIn, mustName, noteMissing, notFound, recordOf } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import { type Explanation, type FormatMoment, type Lock, unlocked } from './answer.ts';

export type MessageResource = typeof emailMessage | typeof smsMessage;

/** Explains a message. @param text id or exact name */
export async function whyMessageCalled(
  session: Session,
  resource: MessageResource,
  text: string,
): Promise<Explanation> {
  const id = asId(resource, text);
  if (id === undefined) return whyMessage(session, resource, await recordOf(session, resource, text));
  const look = noteMissing();
  const record = await (await session.client()).get(resource, id, look);
  if (record === undefined) throw await goneOrNone(session, resource, id, look.refusal());
  return whyMessage(session, resource, record);
}

/** Explains a message of either channel. If both channels have this id, it is an error (contract, "Insight"). */
export async function whyAnyMessage(session: Session, text: string): Promise<Explanation> {
  mustName('message', text);
  const client = await session.client();
  const look = noteMissing();
  const found: { readonly resource: MessageResource; readonly record: JsonObject }[] = [];
  for (const resource of [emailMessage, smsMessage]) {
    const id = asId(resource, text);
    const records =
      id === undefined
        ? await client.find(resource, { name: text }, look)
        : [(await client.get(resource, id, look)) ?? []].flat();
    found.push(...records.map((record) => ({ resource, record })));
  }
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError('not-found', `message ${text} not found`, {
      exit: EXIT.notFound,
      hint: 'svc email list and svc sms-message list show the ids you can use',
      cause: look.refusal(),
    });
  if (others.length === 0) return whyMessage(session, first.resource, first.record);
  const commands = found.map(({ resource, record }) => `svc why ${resource.noun} ${String(record['id'])}`);
  throw new UsageError(`${JSON.stringify(text)} matches more than one message`, {
    hint: `use one of these: ${commands.join(', ')}`,
  });
}

/**
 * Returns the error for a missing message. One that was deleted while a task references it is hidden, and still sent (interface, "States").
 */
async function goneOrNone(
  session: Session,
  resource: MessageResource,
  id: Id,
  cause: unknown,
): Promise<Error> {
  const [first] = await tasksOf(session, resource, id);
  if (first === undefined) return notFound(resource, idText(resource, id), cause);
  const now = await session.serviceNow();
  const title = titleOf(task, first);
  const words = `${resource.noun} ${id} was deleted: it is hidden permanently and cannot be changed`;
  const phase = phaseOf(first, now);
  const isToBeSent = phase === 'scheduled' || phase === 'sending';
  const ahead = Number(first['scheduledtime']) - now;
  const when = ahead > 0 ? ` in ${formatDuration(Math.round(ahead))}` : '';
  return new CliError(
    'not-found',
    isToBeSent ? `${words}. ${title} still sends it${when}` : `${words}. It was used by ${title}`,
    {
      exit: EXIT.notFound,
      cause,
      hint: isToBeSent
        ? `svc task cancel ${String(first['id'])} stops it from being sent.`
        : `svc ${resource.noun} list shows the ids you can use`,
    },
  );
}

async function whyMessage(
  session: Session,
  resource: MessageResource,
  record: JsonObject,
): Promise<Explanation> {
  const title = titleOf(resource, record);
  const { editable } = record;
  // A bool for e-mail messages, an int for SMS messages (interface).
  if (editable === true || editable === 1)
    return unlocked(`${title} is not locked: it can be changed until a task is scheduled with it.`);
  const id = idIn(record);
  const isEmail = resource === emailMessage;
  const tasks = record['used'] === false ? [] : await tasksOf(session, resource, id);
  const rules = isEmail ? await rulesOf(session, id) : [];
  const editor = isEmail ? editorLock(record) : undefined;
  const by: readonly Lock[] = [
    ...tasks.map((each) => lockOf('task', idIn(each), each)),
    ...rules.map(({ resource: kind, record: rule }) =>
      lockOf('automation', idText(kind, rule['id'] ?? null), rule),
    ),
    ...(editor === undefined ? [] : [editor]),
  ];
  const now = await session.serviceNow();
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

/** Most records that are described one by one. */
const MOST_TOLD = 5;
/** Page size: one page of the newest tasks. */
const MOST_TASKS = 50;
/** Most rules of each kind. */
const MOST_RULES = 1000;

/** Returns the tasks that use the message, in any state, latest first, with one request. */
async function tasksOf(session: Session, resource: MessageResource, id: Id): Promise<readonly JsonObject[]> {
  const channel = resource === emailMessage ? 'email' : 'sms';
  const latest = { sort: 'scheduledtime', reverse: true, limit: MOST_TASKS, pageSize: MOST_TASKS };
  const found: JsonObject[] = [];
  const client = await session.client();
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
async function rulesOf(session: Session, id: Id): Promise<readonly Rule[]> {
  const client = await session.client();
  const found: Rule[] = [];
  let links: Promise<ReadonlySet<string>> | undefined;
  const isLinked = async ({ link_id = null }: JsonObject): Promise<boolean> => {
    if (link_id === null) return false;
    links ??= linksOf(session, id);
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

async function linksOf(session: Session, id: Id): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const client = await session.client();
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

function lockOf(kind: string, id: Id, { name }: JsonObject): Lock {
  return { kind, id, name: typeof name === 'string' ? name : null, until: null };
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
