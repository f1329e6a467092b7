import { compareNumbers, parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { folder } from '../../../service/resources/folder.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import {
  computePossibleHashesOfMessage,
  computeWantedMessageHash,
  messageAttributesToReset,
} from '../content.ts';
import {
  CampaignError,
  changedByHandError,
  changedByOtherRunError,
  changedMeanwhileError,
} from '../errors.ts';
import { computeFolderNameHash } from '../marks.ts';
import type { NamedRecord, Step, WantedFolder, WantedMessage } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import { type ApplyContext, findLastWrittenHash, nameWithMark, type StepResult } from './context.ts';

export async function applyFolder(
  context: ApplyContext,
  wanted: WantedFolder,
  step: Step,
): Promise<StepResult> {
  const { client, overwrite } = context;
  const name = nameWithMark(context, wanted, computeFolderNameHash(wanted.name));
  if (step.id !== undefined) {
    const found = await client.get(folder, parseIntegerDigits(step.id));
    const marked = parseCampaignMark(found?.name);
    if (!overwrite && (!marked || marked.mark.contentHashOrReason !== computeFolderNameHash(marked.name)))
      throw new CampaignError(
        'drift',
        `folder ${step.id} was renamed or deleted by hand since the plan was made`,
      );
    await client.update(folder, parseIntegerDigits(step.id), { name });
    return { id: step.id };
  }
  const record = await createOnce(context, {
    resource: folder,
    body: { name },
    // A folder with lists is kept, because deleting the folder deletes its lists.
    deleteOwn: async ({ id, list_count }) => {
      if (Number(list_count ?? 0) === 0) await client.remove(folder, { id });
    },
  });
  return { id: String(record.id) };
}

/** Stores the message's channel and id in `context.versions`, from which tasks and rules get the message. */
export async function applyMessage(
  context: ApplyContext,
  wanted: WantedMessage,
  step: Step,
): Promise<StepResult> {
  const record = await writeMessage(context, wanted, step);
  context.versions.set(wanted.key, { channel: wanted.channel, id: record.id });
  return { id: String(record.id) };
}

function writeMessage(context: ApplyContext, wanted: WantedMessage, step: Step): Promise<NamedRecord> {
  switch (step.action) {
    case 'change':
      return change(context, wanted, step, (found) => ({
        ...messageAttributesToReset(wanted, found),
        ...bodyOf(context, wanted),
      }));
    case 'rename':
      return change(context, wanted, step, (found) => {
        const { channel } = wanted;
        if (findLastWrittenHash(context, wanted, found, { channel }) !== computeWantedMessageHash(wanted))
          throw changedByOtherRunError(`message ${wanted.key}`, `${channel} message ${step.id}`);
        return { name: bodyOf(context, wanted).name };
      });
    default:
      return make(context, wanted);
  }
}

async function make(context: ApplyContext, wanted: WantedMessage): Promise<NamedRecord> {
  const { client } = context;
  const resource = resourceOf(wanted);
  return createOnce(context, {
    resource,
    // A required attribute that may be null and isn't given is sent as null (contract, "Forms").
    body: { ...(wanted.channel === 'email' ? { fromemail: null } : {}), ...bodyOf(context, wanted) },
    // A message that was changed by hand since its creation no longer matches the file.
    isReusable: (found) => isAsWritten(context, wanted, found),
    // No task or rule uses the message yet.
    deleteOwn: async (own) => {
      await client.remove(resource, { id: own.id });
    },
  });
}

async function change(
  context: ApplyContext,
  wanted: WantedMessage,
  step: Step,
  bodyFor: (found: NamedRecord) => Values,
): Promise<NamedRecord> {
  const { client, overwrite } = context;
  const resource = resourceOf(wanted);
  const id = parseIntegerDigits(step.id ?? '');
  const called = `${wanted.channel} message ${step.id}`;
  const found = await client.get(resource, id);
  if (!found) throw new CampaignError('drift', `${called} no longer exists`);
  if (!overwrite && !(await isAsWritten(context, wanted, found)))
    throw changedByHandError(`${called} was changed by hand since the plan was made`);
  const changed = await client.update(resource, id, bodyFor(found));
  // The PUT did not set these attributes. The service never returns `tracktextlinks`, which the PUT always sets.
  const { tracktextlinks: _, ...others } = messageAttributesToReset(wanted, changed);
  if (Object.keys(others).length > 0) throw changedMeanwhileError(called, 'updating the record');
  return changed;
}

/** Call this after a task has locked it: until then, it can be edited (interface, "States"). */
export async function isLockedMessageUnchanged(
  context: ApplyContext,
  wanted: WantedMessage,
  id: number | bigint,
): Promise<boolean> {
  const { channel } = wanted;
  const name = `${channel} ${id}`;
  if (context.locked.has(name)) return true;
  const found = await context.client.get(resourceOf(wanted), id);
  if (!found || !(await isAsWritten(context, wanted, found))) return false;
  context.locked.add(name);
  return true;
}

/** Reads the links again, because a person may have changed only the target of a link. */
async function isAsWritten(
  context: ApplyContext,
  wanted: WantedMessage,
  record: NamedRecord,
): Promise<boolean> {
  const { channel } = wanted;
  const written = findLastWrittenHash(context, wanted, record, { channel });
  if (written === undefined) return false;
  const links =
    channel === 'email' ? await context.client.find(emailMessageLink, { message_id: record.id }) : [];
  return computePossibleHashesOfMessage(channel, readNameWithoutCampaignMark(record), record, links).includes(
    written,
  );
}

const resourceOf = ({ channel }: WantedMessage) => (channel === 'email' ? emailMessage : smsMessage);

const bodyOf = (context: ApplyContext, wanted: WantedMessage): Values & { readonly name: string } => ({
  ...wanted.values,
  name: nameWithMark(context, wanted, computeWantedMessageHash(wanted)),
});

/** A record of this name is reused, and the lowest id is kept. */
interface SingleCreation {
  readonly resource: typeof folder | ReturnType<typeof resourceOf>;
  readonly body: Values & { readonly name: string };
  /** If omitted, svc may reuse every record with this name. */
  readonly isReusable?: ((record: NamedRecord) => Promise<boolean>) | undefined;
  readonly deleteOwn: (own: NamedRecord) => Promise<void>;
}

/** Returns the record of an earlier or concurrent run instead, if there is one. */
async function createOnce(
  { client }: ApplyContext,
  { resource, body, isReusable = async () => true, deleteOwn }: SingleCreation,
): Promise<NamedRecord> {
  const alike = async (): Promise<readonly NamedRecord[]> => {
    const found: NamedRecord[] = [];
    for (const each of await client.find(resource, { name: body.name }))
      if (await isReusable(each)) found.push(each);
    return found.sort((a, b) => compareNumbers(a.id, b.id));
  };
  const [there] = await alike();
  if (there) return there;
  const made = await client.create(resource, body);
  const now = await alike();
  const [first = made] = now;
  if (first.id === made.id) return made;
  // A record that was changed by hand since its creation is left alone.
  const own = now.find((each) => each.id === made.id);
  if (own) await deleteOwn(own);
  return first;
}
