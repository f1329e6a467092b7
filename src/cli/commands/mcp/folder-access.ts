/** Keeps the files that an assistant names in its working folder. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { codeOf } from '../../../kit/files/errors.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { isObject, parseJsonObject } from '../../../kit/text/json-object.ts';
import { UsageError } from '../../errors/errors.ts';

/** `forbidden` folders contain keys. */
export interface AssistantFolderAccess {
  readonly folder: string;
  readonly forbidden: readonly string[];
}

/**
 * Also checks the path of the campaign file that a plan names.
 * @throws UsageError for a path outside the working folder (symbolic links are resolved), a hidden one, or one in which svc keeps keys
 */
export async function checkAssistantPath(allowed: AssistantFolderAccess, givenPath: string): Promise<void> {
  const path = await realPathInside(allowed, givenPath);
  const campaign = campaignOf(path);
  if (campaign === undefined) return;
  // `apply` looks for the file from the plan's folder upwards, also above the working folder.
  const root = await realpath(allowed.folder);
  const folders = foldersUp(dirname(path), root);
  const file = folders.map((each) => resolve(each, campaign)).find((each) => existsSync(each));
  if (file === undefined)
    throw refused(givenPath, 'is a plan whose campaign file is not in the working folder');
  await realPathInside(allowed, relative(root, file));
}

const foldersUp = (folder: string, root: string): readonly string[] =>
  folder === root || dirname(folder) === folder ? [folder] : [folder, ...foldersUp(dirname(folder), root)];

/** Returns the path without links. It may not exist. @throws UsageError as `checkAssistantPath` does */
export async function realPathInside(
  { folder, forbidden }: AssistantFolderAccess,
  given: string,
): Promise<string> {
  const parts = given.split(/[/\\]/);
  if (given.trim() === '' || isAbsolute(given) || /^[A-Za-z]:/.test(given))
    throw refused(given, `must be relative to the working folder ${folder}`);
  if (parts.some((part) => part.startsWith('.') && part !== '.') || given === '-')
    throw refused(given, `must not leave the working folder ${folder}, or be hidden`);
  const root = await realpath(folder);
  const found = await realPathOf(resolve(folder, given));
  const way = relative(root, found);
  if (isAbsolute(way) || way.split(sep).some((part) => part.startsWith('.')))
    throw refused(given, 'is a link out of the working folder, or to a hidden file');
  for (const each of forbidden) {
    const inside = relative(await realPathOf(resolve(each)), found);
    if (!isAbsolute(inside) && inside.split(sep)[0] !== '..')
      throw refused(given, 'is in a folder in which svc keeps keys');
  }
  return found;
}

const refused = (path: string, why: string): UsageError =>
  new UsageError(`the path ${JSON.stringify(path.slice(0, 200))} ${why}`);

/** If the file does not exist, resolves the nearest existing folder above it. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const above = dirname(path);
    if (above === path || codeOf(error) === 'ELOOP') throw error;
    return join(await realPathOf(above), relative(above, path));
  }
}

const MAX_OCTETS = 64 * 1024 * 1024;

/** Undefined if the file is not a plan. */
function campaignOf(path: string): string | undefined {
  try {
    const { inputs } = parseJsonObject(readRegularFile(path, path, MAX_OCTETS).toString('utf8')) ?? {};
    const { file } = isObject(inputs) ? inputs : {};
    return typeof file === 'string' ? file : undefined;
  } catch {
    return undefined;
  }
}
