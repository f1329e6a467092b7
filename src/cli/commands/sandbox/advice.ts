/**
 * Builds hints for the commands of the sandbox: how to start a sandbox, and how to use another running one. Each hint is a complete command
 * line.
 */

import { quoteShellWord } from '../../../text/words.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { describeSandboxRestart } from '../../errors/request-context.ts';
import {
  findSandboxRestartInfoByFolder,
  isSandboxProfile,
  sandboxStartCommand,
} from '../../session/sandbox-start.ts';
import type { Session } from '../../session/session.ts';
import { defaultSandboxFolder } from './folder.ts';

/** Returns the error for a folder in which no sandbox is running. The hints say how to start one or how to use another. */
export async function createSandboxNotRunningError(session: Session, folder: string): Promise<CliError> {
  return new CliError('unreachable', `no sandbox is running in ${folder}`, {
    exit: EXIT.unreachable,
    hints: [
      await formatSandboxStartHint(session, folder),
      ...(await formatHintsOfOtherRunningSandboxes(session, folder)),
    ],
  });
}

/** Returns a hint with the command that starts the sandbox of this folder. The command never replaces the profile of another sandbox. */
export async function formatSandboxStartHint(session: Session, folder: string): Promise<string> {
  const { profiles } = await (await session.store()).list();
  const wanted = await session.profileName();
  const own = profiles.filter(({ name }) => name === wanted);
  const known = findSandboxRestartInfoByFolder(folder, [...own, ...profiles]);
  if (known !== undefined) return describeSandboxRestart(known);
  // A start writes the profile "sandbox" by default.
  const isTaken = profiles.some(({ name }) => name === 'sandbox');
  const isUsual =
    folder === (await folderWithoutDataFlag(session)) &&
    folder === (await defaultSandboxFolder(session).catch(() => undefined));
  return `Start one: ${sandboxStartCommand(isUsual ? undefined : folder)}${isTaken ? ' --profile none' : ''}`;
}

/**
 * Returns a hint for each running sandbox whose data is in another folder than `folder`. Each hint says how to use the sandbox. svc finds
 * the sandboxes through the user's profiles: a sandbox's profile holds the path of the sandbox's folder.
 */
export async function formatHintsOfOtherRunningSandboxes(
  session: Session,
  folder: string,
): Promise<readonly string[]> {
  const { dataDirAt, isDataDirLocked } = await import('../../../sandbox/data/data-dir.ts');
  const isRunning = (dataDir: string): boolean => {
    try {
      return isDataDirLocked(dataDirAt(dataDir));
    } catch {
      return false;
    }
  };
  const { profiles } = await (await session.store()).list();
  const seen = new Set([folder]);
  return profiles.filter(isSandboxProfile).flatMap(({ name, sandbox: { dataDir } }) => {
    if (seen.has(dataDir)) return [];
    seen.add(dataDir);
    return isRunning(dataDir)
      ? [`The sandbox of profile ${name} is running. To use it, add --data ${quoteShellWord(dataDir)}`]
      : [];
  });
}

/**
 * Returns the flag ` --data DIR` that a suggested command needs for the sandbox in this folder. Returns an empty text if the command needs
 * no flag.
 */
export async function formatDataFolderFlag(session: Session, folder: string): Promise<string> {
  return (await folderWithoutDataFlag(session)) === folder ? '' : ` --data ${quoteShellWord(folder)}`;
}

/** Returns the folder that a sandbox command uses without `--data`. */
async function folderWithoutDataFlag(session: Session): Promise<string | undefined> {
  try {
    const { profiles, defaultName } = await (await session.store()).list();
    const wanted = session.context.env['SVC_PROFILE'] || defaultName;
    const profile = profiles.find(({ name }) => name === wanted);
    return profile?.sandbox?.dataDir ?? (await defaultSandboxFolder(session));
  } catch {
    return undefined;
  }
}
