/** Contract, "Campaigns as files": a changed content file is a changed plan, wherever it is applied from. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { CampaignError } from '../errors.ts';
import { type ContentResult, contentReader, faultOf, readFile } from '../file/content-files.ts';
import type { PlanInputs } from './plan-file.ts';

/** Of the campaign's file or one of its contents; more than either may have. */
const MOST_OCTETS = 64 * 1024 * 1024;

/** What a plan in that folder calls the campaign's file, with `/` between folders. @param folder absolute @param file absolute */
export const fileFrom = (folder: string, file: string): string => relative(folder, file).split(sep).join('/');

/**
 * Looks for the campaign's file from the folder of the plan, from those above it, since a plan may be kept deeper than it was
 * made, and from where the command runs; and for its contents beside it.
 * @param plan of the plan's file, absolute
 * @returns where the campaign's file is, absolute
 * @throws CampaignError `refused` where one of them has changed since, or can't be read
 */
export async function checkInputs(
  plan: string,
  cwd: string,
  { file, files }: Pick<PlanInputs, 'file' | 'files'>,
): Promise<string> {
  const found = await firstThere([...foldersUpFrom(dirname(plan)), cwd].map((from) => resolve(from, file)));
  if (found === undefined)
    throw new CampaignError(
      'refused',
      `${file}, which the plan was made of, isn't there, so nobody can tell whether it has changed since; nothing was sent`,
      {
        hint: 'It is looked for from the folder of the plan, from those above it, and from here. Apply the plan where the files of the campaign are, or make a new one.',
      },
    );
  const readContent = contentReader(dirname(found));
  for (const [index, { file: name, sha256 }] of files.entries()) {
    // The first is the campaign's own.
    const read = index === 0 ? await readWhole(found) : await readContent(name);
    if ('fault' in read) throw changed(`${name} ${read.fault}, and the plan was made with it`);
    if (createHash('sha256').update(read.octets).digest('hex') !== sha256)
      throw changed(`${name} has changed since the plan was made`);
  }
  return found;
}

const changed = (what: string): CampaignError =>
  new CampaignError('refused', `${what}; nothing was sent`, {
    hint: 'svc plan makes a new plan, which has to be approved again.',
  });

function foldersUpFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** One that is there and can't be read counts: another of that name is not meant. */
async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const read = await readWhole(path);
    if ('octets' in read || read.fault !== NOT_THERE) return path;
  }
  return undefined;
}

async function readWhole(path: string): Promise<ContentResult> {
  try {
    return await readFile(await realpath(path), MOST_OCTETS);
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

const NOT_THERE = 'is not there';
