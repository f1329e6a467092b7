/** A message has the files `NAME.html` and `NAME.txt`, and the sidecar `NAME.svc.json` with its id and hashes. */

import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openTemporaryFile, type TemporaryFile } from '../../../client/bulk/temporary-file.ts';
import {
  decodeText,
  describeReadError,
  readContentFile,
} from '../../../features/campaign/file/content-files.ts';
import type { LinkRecord } from '../../../features/campaign/model.ts';
import type { HtmlAndText } from '../../../features/campaign/original-links.ts';
import { codeOf } from '../../../kit/files/errors.ts';
import { readIdText } from '../../../kit/schema/integer.ts';
import {
  createShape,
  fits,
  matching,
  objectWithAtLeast,
  oneOfValues,
  type Shaped,
} from '../../../kit/schema/shape.ts';
import { parseJsonObject } from '../../../kit/text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../../../kit/text/svc-error.ts';
import { MAX_BODY_OCTETS } from '../../../service/protocol/json.ts';
import { CONTENT_HASH_PATTERN } from '../../../service/resources/campaign-mark.ts';
import type { EmailMessageRecord } from '../../../service/resources/email-message.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Profiles, ServiceAccess } from '../../session/ports.ts';

/** Content of `NAME.svc.json`. */
export type PulledFilesMetadata = Shaped<typeof sidecarShape>;

const SIDECAR = '.svc.json';
const ENDINGS: Readonly<Record<keyof HtmlAndText, string>> = { html: '.html', text: '.txt' };
const PARTS = ['html', 'text'] as const;

/** svc never writes a larger sidecar. */
const MAX_SIDECAR_OCTETS = 4096;

/** `base` has no file extension. */
export const buildHtmlAndTextFilePaths = (base: string): readonly string[] =>
  PARTS.map((part) => `${base}${ENDINGS[part]}`);

/** Returns `mails/spring-sale` for `mails/spring-sale.html`. @throws UsageError for any other ending */
export function removePulledFileEnding(path: string): string {
  const ending = [SIDECAR, ...Object.values(ENDINGS)].find((each) => path.endsWith(each));
  if (ending !== undefined && basename(path) !== ending) return path.slice(0, -ending.length);
  throw new UsageError(
    `${path} was not written by svc email pull: its name must end in .html, .txt or ${SIDECAR}`,
  );
}

export const sha256Of = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** @throws UsageError if the sidecar is invalid or can't be read */
export async function readPulledFilesMetadata(
  base: string,
  givenPath: string,
): Promise<PulledFilesMetadata | undefined> {
  const name = `${givenPath}${SIDECAR}`;
  const text = await readText(`${base}${SIDECAR}`, name, MAX_SIDECAR_OCTETS);
  if (text === undefined) return undefined;
  const found: { readonly version?: unknown } | undefined = parseJsonObject(text);
  const newer = explainTooNewFileVersion(name, found?.version);
  if (newer !== undefined) throw new NewerSidecar(newer, { hint: UPDATE_SVC_HINT });
  if (fits(sidecarShape, found)) return found;
  throw new UsageError(`${name} is not in the format of svc email pull`, {
    hint: 'move this file and the other files of the message away, then pull the message again',
  });
}

/** A search for a message's files ends with this error, because the sidecar may belong to the message. */
class NewerSidecar extends UsageError {}

/** @throws the error if a newer svc wrote the sidecar */
export function ignoreUnreadableMetadata(error: unknown): undefined {
  if (error instanceof NewerSidecar) throw error;
}

const id = createShape<string>(
  (value) => typeof value === 'string' && readIdText(value) !== undefined,
  'an id',
);
const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256');
const sidecarShape = objectWithAtLeast({
  version: oneOfValues(1),
  company: id,
  id,
  /** Hash of the parts as the service had them at the last pull or push. */
  hash: matching(CONTENT_HASH_PATTERN, 'a hash of the parts'),
  /** SHA-256 of the files as they were written, in hexadecimal. */
  files: objectWithAtLeast({ html: digest, text: digest }),
});

/** @throws UsageError when a file does not exist, or is not text */
export async function readPulledParts(base: string, givenPath: string): Promise<HtmlAndText> {
  const [html, text] = await Promise.all(PARTS.map((part) => readPart(base, givenPath, part)));
  for (const [at, found] of [html, text].entries())
    if (found === undefined)
      throw new UsageError(`${givenPath}${ENDINGS[PARTS[at] ?? 'html']} does not exist`);
  return { html: html ?? '', text: text ?? '' };
}

const readPart = (base: string, givenPath: string, part: keyof HtmlAndText): Promise<string | undefined> =>
  readText(`${base}${ENDINGS[part]}`, `${givenPath}${ENDINGS[part]}`, MAX_BODY_OCTETS);

async function readText(path: string, name: string, most: number): Promise<string | undefined> {
  try {
    const found = await readContentFile(path, most);
    if ('fault' in found) throw new UsageError(`${name} ${found.fault}`);
    const text = decodeText(found.octets);
    if (text !== undefined) return text;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new UsageError(`${name} ${describeReadError(cause)}`, { cause });
  }
  throw new UsageError(`${name} is not UTF-8 text`);
}

/** Ignores deleted files. */
export async function findChangedFiles(
  base: string,
  givenPath: string,
  { files }: PulledFilesMetadata,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const part of PARTS) {
    const text = await readPart(base, givenPath, part);
    if (text !== undefined && sha256Of(text) !== files[part]) changed.push(`${givenPath}${ENDINGS[part]}`);
  }
  return changed;
}

/** Returns the path without ending. @throws UsageError if a newer svc wrote a sidecar in the folder */
export async function findPulledFilesOfMessage(
  dir: string,
  message: Pick<PulledFilesMetadata, 'company' | 'id'>,
): Promise<string | undefined> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(SIDECAR)).sort()) {
    const base = name.slice(0, -SIDECAR.length);
    const found = await readPulledFilesMetadata(join(dir, base), base).catch(ignoreUnreadableMetadata);
    if (found?.company === message.company && found.id === message.id) return base;
  }
  return undefined;
}

/** @throws UsageError if files with this name exist */
export async function requireNoPulledFiles(base: string, givenPath: string): Promise<void> {
  for (const ending of [...Object.values(ENDINGS), SIDECAR]) {
    if ((await lstat(`${base}${ending}`).catch(() => undefined)) === undefined) continue;
    throw new UsageError(
      `${givenPath}${ending} already exists and is not a file of this message; nothing was written`,
      { hint: 'move the file away, or choose another folder with --dir' },
    );
  }
}

/** Writes atomically, and the sidecar last. `force` replaces existing files. */
export async function writePulledFiles(
  base: string,
  givenPath: string,
  parts: HtmlAndText,
  message: Pick<PulledFilesMetadata, 'company' | 'id' | 'hash'>,
  force: boolean,
): Promise<void> {
  const sidecar: PulledFilesMetadata = {
    version: 1,
    ...message,
    files: { html: sha256Of(parts.html), text: sha256Of(parts.text) },
  };
  const texts = [
    ...PARTS.map((part) => [ENDINGS[part], parts[part]] as const),
    [SIDECAR, `${JSON.stringify(sidecar, undefined, 2)}\n`] as const,
  ];
  const files: TemporaryFile[] = [];
  try {
    for (const [ending, text] of texts) {
      const file = await openTemporaryFile(`${base}${ending}`, `${givenPath}${ending}`, { force });
      files.push(file);
      await file.write(text);
      await file.flush();
    }
    while (files.length > 0) await files.shift()?.commit();
  } finally {
    for (const file of files) await file.abort();
  }
}

/** After a push, the files match the message in the service. */
export async function writePulledFilesMetadata(
  base: string,
  givenPath: string,
  sidecar: PulledFilesMetadata,
): Promise<void> {
  const file = await openTemporaryFile(`${base}${SIDECAR}`, `${givenPath}${SIDECAR}`, { force: true });
  await file.write(`${JSON.stringify(sidecar, undefined, 2)}\n`);
  await file.commit();
}

export async function readLinksInEmail(
  session: ServiceAccess,
  { id }: EmailMessageRecord,
): Promise<readonly LinkRecord[]> {
  return (await session.client()).find(emailMessageLink, { message_id: id });
}

/** Returns digits, such as `100`. */
export async function readSessionCompanyId(session: ServiceAccess & Profiles): Promise<string> {
  const { credentials } = await session.resolved();
  return String(credentials.companyId ?? (await session.account()).id);
}

/** Exits 5, because the command would overwrite someone's changes. */
export const createOverwriteConflictError = (message: string, hint: string): CliError =>
  new CliError('drift', message, { exit: EXIT.conflict, hint });
