/** A file that a verb writes besides what it prints, such as a page: whole or not at all, and over another only with `--force`. */
import { resolve } from 'node:path';
import { oneCompanyAtATime } from '../command/companies-flags.ts';
import { type Flag, switchFlag } from '../command/flag.ts';
import type { Session } from '../session/session.ts';

export interface NewFile {
  readonly path: string;
  /** What people know it by. */
  readonly name: string;
  readonly force: boolean;
}

/** @param flag the one that names the file */
export const forceFlagFor = (flag: string): Flag<boolean> =>
  switchFlag('force', { describe: `With --${flag}: replace a file that is there` });

/**
 * Before anything is asked of the service; a dry run ends here.
 * @throws BulkError where the file is there and may not be replaced
 */
export async function planFile(session: Session, name: string, force: boolean): Promise<NewFile> {
  const { mustBeFree } = await import('../../bulk/write-beside.ts');
  const path = resolve(session.context.cwd, name);
  await mustBeFree(path, name, force);
  session.beforeChange(`write ${name}`);
  return { path, name, force };
}

/**
 * The same, of what one company alone can fill.
 * @param flag the one that names the file
 * @throws UsageError with `--companies`
 */
export async function planFileOfOne(
  session: Session,
  flag: string,
  given: { readonly name: string | undefined; readonly force: boolean },
): Promise<NewFile | undefined> {
  if (given.name === undefined) return undefined;
  if (session.globals.companies !== undefined) throw oneCompanyAtATime(flag);
  return planFile(session, given.name, given.force);
}

/** @throws BulkError where it can't be written, or has come to be there meanwhile */
export async function writeFileWhole({ path, name, force }: NewFile, text: string): Promise<void> {
  const { writeBeside } = await import('../../bulk/write-beside.ts');
  const file = await writeBeside(path, name, force);
  try {
    await file.write(text);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}
