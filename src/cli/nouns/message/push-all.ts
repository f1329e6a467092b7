/** Compares all files with the service before the first upload. */

import { resolve } from 'node:path';
import { titleOf } from '../../../client/requests/record-title.ts';
import {
  computeHashOfWantedEmailBody,
  computePossibleHashesOfEmailBody,
} from '../../../features/campaign/content.ts';
import type { LinkRecord } from '../../../features/campaign/model.ts';
import { type HtmlAndText, hasTrackedTextLinks } from '../../../features/campaign/original-links.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import { parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import {
  type EmailMessageBody,
  type EmailMessageRecord,
  emailMessage,
} from '../../../service/resources/email-message.ts';
import { UsageError } from '../../errors/errors.ts';
import { finishRequestBody } from '../../request/body.ts';
import { confirm, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { readRecordById } from '../../request/references.ts';
import type { Changes, Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { checkUpdateBody } from '../generic/write.ts';
import {
  createOverwriteConflictError,
  type PulledFilesMetadata,
  readLinksInEmail,
  readPulledFilesMetadata,
  readPulledParts,
  readSessionCompanyId,
  removePulledFileEnding,
  sha256Of,
  writePulledFilesMetadata,
} from './pulled-files.ts';

type Done = 'nothing' | 'changed' | 'new version';

interface PushedMessage {
  /** Absolute path without the file extension. `givenPath` is the same path as the user gave it. */
  readonly base: string;
  readonly givenPath: string;
  readonly sidecar: PulledFilesMetadata;
  readonly parts: HtmlAndText;
  readonly record: EmailMessageRecord;
  readonly links: readonly LinkRecord[];
  readonly wanted: string;
  readonly action: Done;
}

export interface MessagePushOptions {
  /** Overwrites changes that were made on the service since the last pull. */
  readonly overwrite: boolean;
  /** Creates a new version of a message in use, after a confirmation. Otherwise svc does not change it. */
  readonly createsVersions: boolean;
}

/** Maps absolute paths to the given paths, both without the extension. Several files of a message give one entry. */
export const mapAbsoluteToGivenMessagePaths = (
  { context }: Invocation,
  files: readonly string[],
): ReadonlyMap<string, string> =>
  new Map(
    files.map((file) => [resolve(context.cwd, removePulledFileEnding(file)), removePulledFileEnding(file)]),
  );

export async function pushMessageFiles(
  session: Ports,
  files: readonly string[],
  options: MessagePushOptions,
) {
  const read = [];
  for (const [base, givenPath] of mapAbsoluteToGivenMessagePaths(session, files))
    read.push(await readMessagePartsToPush(session, base, givenPath));
  return pushMessageParts(session, read, options);
}

/** Does not read the files again. */
export async function pushMessageParts(
  session: Ports,
  read: readonly MessagePartsToPush[],
  options: MessagePushOptions,
) {
  const all: PushedMessage[] = [];
  for (const each of read) all.push(await compare(session, each, options));
  if (all.some(({ action }) => action === 'new version'))
    requireYesFlagOrTerminal(session, 'create new versions of messages that are in use');
  const bodies = new Map<PushedMessage, EmailMessageBody>();
  for (const each of all) if (each.action !== 'nothing') bodies.set(each, await bodyOf(session, each));
  const rows = [];
  for (const each of all) {
    const record = await push(session, each, bodies.get(each));
    rows.push({ file: `${each.givenPath}.html`, id: record.id ?? null, done: each.action });
  }
  return rows;
}

export type MessagePartsToPush = Pick<PushedMessage, 'base' | 'givenPath' | 'sidecar' | 'parts'>;

/** @throws UsageError if a file is missing or not text, or if the message belongs to another company */
export async function readMessagePartsToPush(
  session: ServiceAccess & Profiles,
  base: string,
  givenPath: string,
): Promise<MessagePartsToPush> {
  const sidecar = await readPulledFilesMetadata(base, givenPath);
  if (!sidecar)
    throw new UsageError(`${givenPath}.svc.json not found: svc needs it to identify the message`, {
      hint: 'run svc email pull to get this file; to upload other files, use svc email update',
    });
  const company = await readSessionCompanyId(session);
  if (sidecar.company !== company)
    throw new UsageError(
      `${givenPath}.svc.json is for company ${sidecar.company}, not ${company}; nothing was uploaded`,
    );
  return { base, givenPath, sidecar, parts: await readPulledParts(base, givenPath) };
}

async function compare(
  session: ServiceAccess,
  read: MessagePartsToPush,
  { overwrite, createsVersions }: MessagePushOptions,
): Promise<PushedMessage> {
  const { sidecar, parts, givenPath } = read;
  const record = await readRecordById(session, emailMessage, parseIntegerDigits(sidecar.id));
  const links = await readLinksInEmail(session, record);
  const found = computePossibleHashesOfEmailBody(record, links);
  const wanted = computeHashOfWantedEmailBody(parts, hasTrackedTextLinks(links));
  const pushed = { ...read, record, links, wanted };
  if (found.includes(wanted)) return { ...pushed, action: 'nothing' };
  const title = titleOf(emailMessage, record);
  refuseIfInCampaign(record);
  if (!overwrite && !found.includes(sidecar.hash))
    throw createOverwriteConflictError(
      `${title} has changed on the service since ${givenPath}.html was pulled; nothing was uploaded`,
      `get the new version with svc email pull ${sidecar.id} --overwrite, or replace it with --overwrite here`,
    );
  const isEditable = record.editable === true;
  if (!isEditable && !createsVersions)
    throw createOverwriteConflictError(
      `${title} is now locked, because a task or rule uses it; nothing was uploaded`,
      `run svc email push ${quoteShellWord(`${givenPath}.html`)} to create a new version`,
    );
  return { ...pushed, action: isEditable ? 'changed' : 'new version' };
}

/** @throws UsageError if a campaign file manages the message */
export function refuseIfInCampaign(record: EmailMessageRecord): void {
  if (!parseCampaignMark(record.name)) return;
  const title = titleOf(emailMessage, record);
  throw new UsageError(
    `${title} belongs to a campaign file, so this change would conflict with the file; nothing was uploaded`,
    { hint: 'change the message in the campaign file; see svc help campaigns' },
  );
}

/** Reports all faults together before anything is sent. */
function bodyOf(
  session: Invocation & Tell & Profiles,
  { record, parts, links, action }: PushedMessage,
): Promise<EmailMessageBody> {
  const content = { ...parts, ...(hasTrackedTextLinks(links) ? { tracktextlinks: true } : {}) };
  const draftOf = (body: Readonly<Record<string, unknown>>) => ({ body, lookUps: new Map(), findings: [] });
  if (action === 'changed') return checkUpdateBody(session, emailMessage, draftOf(content));
  const { required = [], optional = [] } = emailMessage.methods.post ?? {};
  const stored: Values = record;
  const kept = [...required, ...optional].filter(
    (attribute) => attribute === 'fromemail' || (stored[attribute] ?? null) !== null,
  );
  const copy = Object.fromEntries(kept.map((attribute) => [attribute, stored[attribute]]));
  return finishRequestBody(session, emailMessage, 'POST', draftOf({ ...copy, ...content }));
}

async function push(
  session: Invocation & Tell & ServiceAccess & Changes,
  pushed: PushedMessage,
  body: EmailMessageBody | undefined,
): Promise<EmailMessageRecord> {
  const { base, givenPath, sidecar, parts, action } = pushed;
  const record = body === undefined ? pushed.record : await send(session, pushed, body);
  const now = {
    ...sidecar,
    id: String(record.id),
    hash: pushed.wanted,
    files: { html: sha256Of(parts.html), text: sha256Of(parts.text) },
  };
  if (action === 'nothing')
    await session.info(`${givenPath}.html: ${titleOf(emailMessage, record)} is up to date`);
  const isSame = (['id', 'hash'] as const).every((name) => now[name] === sidecar[name]);
  const isWritten = (['html', 'text'] as const).every((part) => now.files[part] === sidecar.files[part]);
  if (isSame && isWritten) return record;
  session.beforeChange(`write ${givenPath}.svc.json`);
  await writePulledFilesMetadata(base, givenPath, now);
  return record;
}

async function send(
  session: Invocation & Tell & ServiceAccess,
  { record, action, wanted }: PushedMessage,
  body: EmailMessageBody,
): Promise<EmailMessageRecord> {
  const client = await session.client();
  const title = titleOf(emailMessage, record);
  if (action === 'changed') {
    const changed = await client.update(emailMessage, record.id, body);
    await session.info(`changed ${title}`);
    return changed;
  }
  await confirm(session, `create a new version of ${title}, because the message is in use`);
  const made = await createVersion(session, body, wanted);
  await session.info(
    `created ${titleOf(emailMessage, made)}; tasks and rules still use ${title}: update them to use the new version`,
  );
  return made;
}

/** Highest number in a name: `Spring sale (1000)`. */
const MAX_VERSIONS = 1000;

/**
 * Takes the first free name, such as `Spring sale (2)`, because two messages with one name would be
 * ambiguous. Returns an existing version if it is editable and has the wanted content: an earlier push
 * created it, but could not save its id in the sidecar.
 */
async function createVersion(
  session: ServiceAccess,
  body: EmailMessageBody,
  wanted: string,
): Promise<EmailMessageRecord> {
  const client = await session.client();
  const plain = String(body.name).replace(/ \((?:[2-9]|[1-9][0-9]{1,3})\)$/, '');
  for (let count = 2; count <= MAX_VERSIONS; count += 1) {
    const name = `${plain} (${count})`;
    const [there] = await client.find(emailMessage, { name });
    if (!there) return client.create(emailMessage, { ...body, name });
    if (
      there.editable === true &&
      computePossibleHashesOfEmailBody(there, await readLinksInEmail(session, there)).includes(wanted)
    )
      return there;
  }
  throw new UsageError(`message "${plain}" has ${MAX_VERSIONS} versions, the maximum; nothing was sent`);
}
