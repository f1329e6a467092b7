/** Finds the sandbox that a command is for, and sends operations to it (contract, "Sandbox"). */
import { resolve } from 'node:path';
import type { ControlOperationName } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { formatJson } from '../../../protocol/json.ts';
import type { Input } from '../../command/command.ts';
import { folderFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import {
  formatOperationWait,
  isLongSandboxOperation,
  isSandboxReadOperation,
  readSandboxAddress,
  type SandboxResponse,
  sendSandboxOperation,
} from '../../session/sandbox-control.ts';
import type { Session } from '../../session/session.ts';
import { createSandboxNotRunningError } from './advice.ts';
import { defaultSandboxFolder } from './folder.ts';

export const dataFlag = folderFlag('data', {
  describe: "Folder of the sandbox (default: the profile's sandbox)",
});

/** Returns the absolute path of the sandbox's data folder: the folder of `--data`, of the profile's sandbox, or the default folder. */
export async function findSandboxDataFolder(session: Session, input: Input): Promise<string> {
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

/**
 * Sends an operation to the sandbox and returns the response. The operation acts for the company of `--company`, or for the sandbox's first
 * company.
 */
export async function requestSandboxOperation(
  session: Session,
  input: Input,
  operation: ControlOperationName,
  args: JsonObject = {},
): Promise<SandboxResponse> {
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
