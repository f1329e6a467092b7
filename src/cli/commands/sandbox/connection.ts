/** Finds the sandbox that a command is for, and sends operations to it (contract, "Sandbox"). */

import { join, resolve } from 'node:path';
import { quoteShellWord } from '../../../kit/text/words.ts';
import type { ControlOperationName, ControlRequest } from '../../../service/protocol/control.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import type { Input } from '../../command/command.ts';
import { folderFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { describeSandboxRestart } from '../../errors/request-context.ts';
import type { Changes, Invocation, Profiles, Tell } from '../../session/ports.ts';
import {
  formatOperationWait,
  isLongSandboxOperation,
  isSandboxReadOperation,
  readSandboxAddress,
  type SandboxResponse,
  sendSandboxOperation,
} from '../../session/sandbox-control.ts';
import {
  findSandboxRestartInfoByFolder,
  isSandboxProfile,
  sandboxStartCommand,
} from '../../session/sandbox-start.ts';

export const dataFlag = folderFlag('data', {
  describe: "Folder of the sandbox (default: the profile's sandbox)",
});

export async function findSandboxDataFolder(session: Invocation & Profiles, input: Input): Promise<string> {
  const { context, globals } = session;
  const given = input.get(dataFlag);
  if (given !== undefined) return resolve(context.cwd, given);
  const store = await session.store();
  const name = await session.profileName();
  const profile = name === undefined ? undefined : await store.get(name);
  if (profile?.sandbox) return profile.sandbox.dataDir;
  if (globals.profile !== undefined)
    throw new UsageError(`profile ${globals.profile} does not belong to a sandbox`, {
      hint: 'choose the sandbox with --data DIR',
    });
  return defaultSandboxFolder(session);
}

/** Acts for the company of `--company`, or for the sandbox's first company. */
export async function requestSandboxOperation<N extends ControlOperationName>(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
  operation: N,
  args: ControlRequest<N>,
): Promise<SandboxResponse<N>> {
  const folder = await findSandboxDataFolder(session, input);
  const found = await readSandboxAddress(folder);
  if (!found) throw await createSandboxNotRunningError(session, folder);
  const { company } = session.globals;
  if (company !== undefined && !/^[0-9]{1,15}$/.test(company))
    throw new UsageError(`--company: ${company} is not an id`);
  const body = company === undefined ? args : { company: Number(company), ...args };
  if (!isSandboxReadOperation(operation))
    session.beforeChange(`ask the sandbox: ${operation} ${formatJson(body)}`);
  const { timeout } = session.globals;
  const { signal } = session.context;
  // A long operation has no time limit, so check first that the sandbox answers at all.
  if (
    timeout === undefined &&
    isLongSandboxOperation(operation) &&
    !(await sendSandboxOperation(found, 'status', {}, { signal }))
  )
    throw await createSandboxNotRunningError(session, folder);
  const answer = await session.waiting(formatOperationWait(operation, timeout), () =>
    sendSandboxOperation(found, operation, body, { signal, timeout }),
  );
  if (answer === undefined) throw await createSandboxNotRunningError(session, folder);
  return answer;
}

/** @throws UsageError if the user has no home directory */
export async function defaultSandboxFolder({ context }: Invocation): Promise<string> {
  const { stateDirOf } = await import('../../../kit/files/directories.ts');
  const state = stateDirOf(context.env, context.homeDir, context.platform);
  if (state !== '') return join(resolve(context.cwd, state), 'sandbox');
  throw new UsageError('cannot choose a data folder: there is no home directory', { hint: 'add --data DIR' });
}

async function createSandboxNotRunningError(
  session: Invocation & Profiles,
  folder: string,
): Promise<CliError> {
  return new CliError('unreachable', `no sandbox is running in ${folder}`, {
    exit: EXIT.unreachable,
    hints: [
      await formatSandboxStartHint(session, folder),
      ...(await formatHintsOfOtherRunningSandboxes(session, folder)),
    ],
  });
}

/** The command never replaces the profile of another sandbox. */
export async function formatSandboxStartHint(
  session: Invocation & Profiles,
  folder: string,
): Promise<string> {
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

export async function formatHintsOfOtherRunningSandboxes(
  session: Profiles,
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

export async function formatDataFolderFlag(session: Invocation & Profiles, folder: string): Promise<string> {
  return (await folderWithoutDataFlag(session)) === folder ? '' : ` --data ${quoteShellWord(folder)}`;
}

async function folderWithoutDataFlag(session: Invocation & Profiles): Promise<string | undefined> {
  try {
    const { profiles, defaultName } = await (await session.store()).list();
    const wanted = session.context.env.SVC_PROFILE || defaultName;
    const profile = profiles.find(({ name }) => name === wanted);
    return profile?.sandbox?.dataDir ?? (await defaultSandboxFolder(session));
  } catch {
    return undefined;
  }
}
