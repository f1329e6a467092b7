/**
 * Writes a campaign file and its content files to a folder, and never overwrites a file. The campaign file is written last, so if it
 * exists, all content files exist too.
 */
import { lstat, mkdtemp, open, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openTemporaryFile } from '../../../bulk/temporary-file.ts';
import { makeOutputFolders } from '../../../files/directories.ts';
import { systemErrorReason } from '../../../files/errors.ts';
import { UsageError } from '../../errors/errors.ts';

/** Contents of a new folder: the campaign file, and a subfolder with the content files. */
export interface NewCampaignFiles {
  readonly file: { readonly name: string; readonly text: string };
  /** Subfolder with the content files: the text of each file, by file name. Without content files, no subfolder is created. */
  readonly subfolder: { readonly name: string; readonly files: ReadonlyMap<string, string> };
}

/**
 * Checks that none of the files exists in the folder.
 * @param folderName the folder as the user typed it
 * @throws UsageError if `dir` is not a folder, or contains a file with one of the names
 */
export async function refuseExistingFiles(
  dir: string,
  folderName: string,
  names: readonly string[],
): Promise<void> {
  for (const name of ['', ...names]) {
    const found = await lstat(join(dir, name)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined;
      throw cantWrite(folderName, cause);
    });
    if (name !== '' && found)
      throw new UsageError(`${join(folderName, name)} already exists; nothing was written`, {
        hint: 'choose another folder, or remove the existing files',
      });
  }
}

/** Writes the campaign file and its content files. Files get mode 0600 and folders 0700, because they may contain personal data. */
export async function writeCampaignFiles(
  dir: string,
  folderName: string,
  { file, subfolder }: NewCampaignFiles,
): Promise<void> {
  await refuseExistingFiles(dir, folderName, [file.name, subfolder.name]);
  const made = await makeOutputFolders(dir).catch((cause) => {
    throw cantWrite(folderName, cause);
  });
  let part: string | undefined;
  try {
    part = await mkdtemp(join(dir, `${subfolder.name}.part-`));
    for (const [name, text] of subfolder.files) await writeNew(join(part, name), text);
    const last = await openTemporaryFile(join(dir, file.name), join(folderName, file.name), false);
    await last.write(file.text);
    if (subfolder.files.size > 0) {
      await refuseExistingFiles(dir, folderName, [subfolder.name]);
      await rename(part, join(dir, subfolder.name));
    } else await rmdir(part);
    part = undefined;
    await last.commit();
  } catch (cause) {
    if (part !== undefined) await rm(part, { recursive: true, force: true });
    for (const each of made.toReversed()) await rmdir(each).catch(() => undefined);
    throw isSystem(cause) ? cantWrite(folderName, cause) : cause;
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

const isSystem = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && 'syscall' in cause;

const cantWrite = (shown: string, cause: NodeJS.ErrnoException): UsageError =>
  new UsageError(
    cause.code === 'ENOTDIR' || cause.code === 'EEXIST'
      ? `${shown} is not a folder`
      : `cannot write to ${shown}: ${systemErrorReason(cause)}`,
    { cause },
  );
