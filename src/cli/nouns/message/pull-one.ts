import { join, resolve } from 'node:path';
import { titleOf } from '../../../client/requests/record-title.ts';
import { computePossibleHashesOfEmailBody } from '../../../features/campaign/content.ts';
import { createItemKeyGenerator } from '../../../features/campaign/export/drafts.ts';
import { restoreLinksInHtmlAndText } from '../../../features/campaign/original-links.ts';
import { readNameWithoutCampaignMark } from '../../../features/campaign/plan/adoption.ts';
import { type EmailMessageRecord, emailMessage } from '../../../service/resources/email-message.ts';
import { UsageError } from '../../errors/errors.ts';
import { makeOutputFolder } from '../../request/new-file.ts';
import { resolveRecord } from '../../request/references.ts';
import type { Ports } from '../../session/ports.ts';
import {
  createOverwriteConflictError,
  findChangedFiles,
  findPulledFilesOfMessage,
  ignoreUnreadableMetadata,
  readLinksInEmail,
  readPulledFilesMetadata,
  readSessionCompanyId,
  requireNoPulledFiles,
  writePulledFiles,
} from './pulled-files.ts';

export async function pullMessage(
  session: Ports,
  idOrName: string,
  { dir, overwrite }: { readonly dir: string; readonly overwrite: boolean },
) {
  const record = await resolveRecord(session, emailMessage, idOrName);
  const links = await readLinksInEmail(session, record);
  const { warnings, ...parts } = restoreLinksInHtmlAndText(record, links);
  const of = { company: await readSessionCompanyId(session), id: String(record.id) };
  const folder = resolve(session.context.cwd, dir);
  const before = await findPulledFilesOfMessage(folder, of);
  const name = before ?? (await nameFor(folder, record));
  const givenPath = join(dir, name);
  const base = join(folder, name);
  if (before === undefined) await requireNoPulledFiles(base, givenPath);
  else if (!overwrite) await refuseChanged(base, givenPath);
  session.beforeChange(`write ${givenPath}.html, ${givenPath}.txt and ${givenPath}.svc.json`);
  makeOutputFolder(folder);
  const [hash = ''] = computePossibleHashesOfEmailBody(record, links);
  await writePulledFiles(base, givenPath, parts, { ...of, hash }, before !== undefined);
  for (const warning of warnings) await session.warn(`${titleOf(emailMessage, record)}: ${warning}`);
  await session.info(`wrote ${givenPath}.html and ${givenPath}.txt`);
  return {
    id: record.id ?? null,
    name: record.name ?? null,
    html: `${givenPath}.html`,
    text: `${givenPath}.txt`,
  };
}

/** Adds the id of the message if files of another message have the name. */
async function nameFor(folder: string, record: EmailMessageRecord): Promise<string> {
  const id = String(record.id);
  const name = createItemKeyGenerator(() => false)('message', readNameWithoutCampaignMark(record), id);
  const taken = await readPulledFilesMetadata(join(folder, name), name).catch(ignoreUnreadableMetadata);
  return taken ? `${name.slice(0, 30)}-${id}` : name;
}

async function refuseChanged(base: string, givenPath: string): Promise<void> {
  const sidecar = await readPulledFilesMetadata(base, givenPath);
  if (!sidecar) throw new UsageError(`${givenPath}.svc.json no longer exists`);
  const [changed, ...others] = await findChangedFiles(base, givenPath, sidecar);
  if (changed === undefined) return;
  const which = others.length === 0 ? `${changed} was` : `${[changed, ...others].join(' and ')} were`;
  throw createOverwriteConflictError(
    `${which} changed on this machine since the pull; nothing was written`,
    `upload the change with svc email push ${changed}, or discard it with --overwrite`,
  );
}
