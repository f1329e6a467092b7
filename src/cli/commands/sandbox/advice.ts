/** Suggests next steps after the sandbox's commands. The suggested command lines work with any profile in use. */

import { shellWord } from '../../../text/words.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { restartSentence } from '../../errors/request-context.ts';
import { isSandboxProfile, sandboxIn, startCommand } from '../../session/sandbox-start.ts';
import type { Session } from '../../session/session.ts';
import { defaultFolder } from './folder.ts';

export async function notRunningError(session: Session, folder: string): Promise<CliError> {
  return new CliError('unreachable', `no sandbox is running on ${folder}`, {
    exit: EXIT.unreachable,
    hints: [await startAdvice(session, folder), ...(await otherSandboxes(session, folder))],
  });
}

/** Returns the command that starts the sandbox of this folder. It never replaces the profile of another sandbox. */
export async function startAdvice(session: Session, folder: string): Promise<string> {
  const { profiles } = await (await session.store()).list();
  const wanted = await session.profileName();
  const own = profiles.filter(({ name }) => name === wanted);
  const known = sandboxIn(folder, [...own, ...profiles]);
  if (known !== undefined) return restartSentence(known);
  // A start writes the profile "sandbox" by default.
  const isTaken = profiles.some(({ name }) => name === 'sandbox');
  const isUsual =
    folder === (await folderByItself(session)) &&
    folder === (await defaultFolder(session).catch(() => undefined));
  return `Start one: ${startCommand(isUsual ? undefined : folder)}${isTaken ? ' --profile none' : ''}`;
}

/** Returns a sentence for each other running sandbox that a profile knows. The sentence says how to use it. */
export async function otherSandboxes(session: Session, folder: string): Promise<readonly string[]> {
  const { dataDirAt, isTaken } = await import('../../../sandbox/data/data-dir.ts');
  const isRunning = (dataDir: string): boolean => {
    try {
      return isTaken(dataDirAt(dataDir));
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
      ? [`The sandbox of profile ${name} is running; to use it, add --data ${shellWord(dataDir)}`]
      : [];
  });
}

/**
 * Returns ` --data DIR` for a command of the sandbox in this folder. Returns an empty text if the command finds the folder without the
 * flag.
 */
export async function dataOption(session: Session, folder: string): Promise<string> {
  return (await folderByItself(session)) === folder ? '' : ` --data ${shellWord(folder)}`;
}

/** Returns the folder that a sandbox command uses without `--data`. */
async function folderByItself(session: Session): Promise<string | undefined> {
  try {
    const { profiles, defaultName } = await (await session.store()).list();
    const wanted = session.context.env['SVC_PROFILE'] || defaultName;
    const profile = profiles.find(({ name }) => name === wanted);
    return profile?.sandbox?.dataDir ?? (await defaultFolder(session));
  } catch {
    return undefined;
  }
}
