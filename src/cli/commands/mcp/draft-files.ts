/** Writes the campaign and content files of `draft_campaign`, below the working folder only. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inspectTarget } from '../../../kit/files/target.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { UsageError } from '../../errors/errors.ts';
import { makeOutputFolder, writeNewFile } from '../../request/new-file.ts';
import { realPathInside } from './folder-access.ts';
import type { McpServerSettings } from './settings.ts';

interface DraftFile {
  /** Path that the assistant gave. */
  readonly name: string;
  /** Absolute path without links. */
  readonly path: string;
  readonly text: string;
  readonly exists: boolean;
}

const MAX_FILES = 50;
const MAX_OCTETS = 1024 * 1024;
/** Other files of a folder, such as programs and signers, are not content of a campaign. */
const EXTENSION = /\.(?:ya?ml|html?|txt)$/i;

/**
 * Returns a note for each file. @param campaigns files that the tool checks afterwards
 * @throws UsageError before the first write, for a path outside of the folder, and for an existing file without `replace`
 */
export async function writeDraftFiles(
  settings: McpServerSettings,
  { write = [], replace = false }: Readonly<Record<string, unknown>>,
  campaigns: readonly string[],
): Promise<readonly string[]> {
  const { context, allowedFolder } = settings;
  if (typeof replace !== 'boolean') throw new UsageError('the argument replace must be true or false');
  if (!Array.isArray(write) || write.length > MAX_FILES || !write.every(isFile))
    throw new UsageError(
      `the argument write must be a list of at most ${MAX_FILES} objects with path and text, of at most 1 MiB each`,
    );
  const files: DraftFile[] = [];
  for (const { path, text } of write) files.push(await draftFile(settings, path, text));
  for (const campaign of campaigns) {
    const path = await realPathInside(allowedFolder, campaign);
    if (!files.some((file) => file.path === path) && !existsSync(path))
      throw new UsageError(`file ${campaign} not found, and the argument write does not have it`);
  }
  const existing = files.filter(({ exists }) => exists).map(({ name }) => name);
  if (existing.length > 0 && !replace)
    throw new UsageError(`${existing.join(', ')}: exists already; nothing was written`, {
      suggestions: ['add replace: true to replace these files'],
    });
  if (files.length > 0 && settings.isDryRun)
    throw new UsageError('svc mcp runs with --dry-run, so it writes no files');
  for (const { path, name, text } of files) {
    makeOutputFolder(dirname(path));
    await writeNewFile({ context }, { path, name, force: replace }, text);
  }
  return files.map(({ name, exists }) => `${exists ? 'replaced' : 'wrote'} ${name}`);
}

function isFile(value: unknown): value is { readonly path: string; readonly text: string } {
  const { path, text } = isObject(value) ? value : {};
  return typeof path === 'string' && typeof text === 'string' && Buffer.byteLength(text) <= MAX_OCTETS;
}

async function draftFile(
  { allowedFolder, signers }: McpServerSettings,
  name: string,
  text: string,
): Promise<DraftFile> {
  const path = await realPathInside(allowedFolder, name);
  const { kind, words } = inspectTarget(path);
  if (kind !== 'missing' && kind !== 'file') throw new UsageError(`${name} is ${words}`);
  const own = signers && (await realpath(signers.path).catch(() => signers.path));
  if (!EXTENSION.test(name) || !EXTENSION.test(path) || path === own)
    throw new UsageError(
      `cannot write ${name}: a campaign has files whose names end in .yaml, .html and .txt`,
    );
  return { name, path, text, exists: kind === 'file' };
}
