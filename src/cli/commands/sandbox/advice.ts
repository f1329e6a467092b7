/** What the sandbox's commands say to do next: command lines that work as they stand, whatever profile is in use. */
import { shellWord } from '../../../text/shell-word.ts';
import { startWords } from '../../errors/asked.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { isOfSandbox, sandboxIn, startCommand } from '../../session/sandbox-start.ts';
import type { Session } from '../../session/session.ts';
import { defaultFolder } from './folder.ts';

export async function notRunning(session: Session, folder: string): Promise<CliError> {
  return new CliError('unreachable', `no sandbox is running on ${folder}`, {
    exit: EXIT.unreachable,
    hints: [await startAdvice(session, folder), ...(await otherSandboxes(session, folder))],
  });
}

/** How the sandbox of this folder is started, and no profile is taken from another one. */
export async function startAdvice(session: Session, folder: string): Promise<string> {
  const { profiles } = await (await session.store()).list();
  const wanted = await session.profileName();
  const own = profiles.filter(({ name }) => name === wanted);
  const known = sandboxIn(folder, [...own, ...profiles]);
  if (known !== undefined) return startWords(known);
  // By itself a start writes the profile "sandbox".
  const isTaken = profiles.some(({ name }) => name === 'sandbox');
  return `Start one: ${startCommand(folder)}${isTaken ? ' --profile none' : ''}`;
}

/** Of the sandboxes that profiles know: those that run elsewhere. */
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
  return profiles.filter(isOfSandbox).flatMap(({ name, sandbox: { dataDir } }) => {
    if (seen.has(dataDir)) return [];
    seen.add(dataDir);
    return isRunning(dataDir)
      ? [`The one of profile ${name} is running; name it by --data ${shellWord(dataDir)}`]
      : [];
  });
}

/** ` --data DIR` to go on with after `svc sandbox stop`; empty where that command finds the folder by itself. */
export async function dataOption(session: Session, folder: string): Promise<string> {
  return (await folderByItself(session)) === folder ? '' : ` --data ${shellWord(folder)}`;
}

/** What a sandbox command means that has no flags. */
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
