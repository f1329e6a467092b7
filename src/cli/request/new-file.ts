/** Writes a file in addition to the printed output. Writes atomically, and replaces an existing file only with `--force`. */
import { resolve } from 'node:path';
import type { Input } from '../command/command.ts';
import { companiesConflictError } from '../command/companies-flags.ts';
import { type Flag, switchFlag } from '../command/flag.ts';
import type { Session } from '../session/session.ts';

export interface NewFile {
  readonly path: string;
  /** Name of the file as the user gave it. */
  readonly name: string;
  readonly force: boolean;
}

/** Declares `--force`. @param flag the flag that names the file */
export const createReplaceFileFlag = (fileFlagName: string): Flag<boolean> =>
  switchFlag('force', { describe: `Replace the file of --${fileFlagName} if it exists` });

/** Checks the file before any request, and ends a dry run. @throws BulkError when the file exists and may not be replaced */
export async function checkNewFile(session: Session, name: string, force: boolean): Promise<NewFile> {
  const { checkFileCanBeCreated } = await import('../../bulk/temporary-file.ts');
  const path = resolve(session.context.cwd, name);
  await checkFileCanBeCreated(path, name, force);
  session.beforeChange(`write ${name}`);
  return { path, name, force };
}

/** Checks the file of a flag, which holds the data of one company. @throws UsageError with `--companies` */
export async function checkNewFileAndNoCompaniesFlag(
  session: Session,
  input: Input,
  fileFlag: Flag<string | undefined>,
  forceFlag: Flag<boolean>,
): Promise<NewFile | undefined> {
  const name = input.get(fileFlag);
  if (name === undefined) return undefined;
  if (session.globals.companies !== undefined) throw companiesConflictError(fileFlag.name);
  return checkNewFile(session, name, input.get(forceFlag));
}

/** Writes the file. @throws BulkError when it can't be written, or has been created in the meantime */
export async function writeNewFile({ path, name, force }: NewFile, text: string): Promise<void> {
  const { openTemporaryFile } = await import('../../bulk/temporary-file.ts');
  const file = await openTemporaryFile(path, name, force);
  try {
    await file.write(text);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}
