/** Declares `sandbox stop`, `sandbox status` and `sandbox reset`. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { controlOperationNamed } from '../../../service/protocol/control.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainSandboxStartError } from '../../errors/start-errors.ts';
import { confirm } from '../../request/guards.ts';
import type { Invocation, Tell } from '../../session/ports.ts';
import {
  readSandboxAddress,
  type SandboxAddress,
  sendSandboxOperation,
} from '../../session/sandbox-control.ts';
import {
  dataFlag,
  findSandboxDataFolder,
  formatHintsOfOtherRunningSandboxes,
  formatSandboxStartHint,
} from './connection.ts';
import { convertOperationResponse, operationVerbHelp } from './control-verb.ts';
import { databaseUrlInEnvironment, readDatabaseUrlOfSandboxFolder } from './store.ts';

const NOTHING: Outcome = { result: { kind: 'nothing' } };
/** Time limit for stopping, in milliseconds. The sandbox finishes its open requests before it stops. */
const STOP_WITHIN = 20_000;

export const sandboxStop: Verb = {
  ...operationVerbHelp('stop'),
  work: 'local',
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await findSandboxDataFolder(session, input);
    if (!(await isRunning(folder))) {
      await session.info(`No sandbox is running in ${folder}.`);
      for (const line of await formatHintsOfOtherRunningSandboxes(session, folder)) await session.info(line);
      return NOTHING;
    }
    session.beforeChange(`stop the sandbox in ${folder}`);
    await requestStop(session, folder);
    const { clock, signal } = session.context;
    const until = clock.now() + STOP_WITHIN;
    await session.waiting('for the sandbox to stop (at most 20 seconds)', async () => {
      while (await isRunning(folder)) {
        if (clock.now() > until)
          throw new CliError('sandbox', `the sandbox in ${folder} did not stop within 20 seconds`, {
            exit: EXIT.failed,
          });
        await clock.sleep(20, signal);
      }
    });
    await session.info(`Stopped the sandbox in ${folder}.`);
    return NOTHING;
  },
};

/** Never kills the process, because the stored process id may now belong to another process. */
async function requestStop(session: Invocation, folder: string): Promise<void> {
  const found = await readSandboxAddress(folder);
  const isAsked = found !== undefined && (await isStopAccepted(session, found));
  // The sandbox may have stopped before it could send its response.
  if (isAsked || !(await isRunning(folder))) return;
  const pid = found?.pid;
  throw new CliError('sandbox', `the sandbox in ${folder} is running but does not respond`, {
    exit: EXIT.failed,
    hint: pid === undefined ? 'try again in a moment' : `if the sandbox hangs, run kill ${pid}`,
  });
}

async function isStopAccepted(session: Invocation, found: SandboxAddress): Promise<boolean> {
  try {
    return (await sendSandboxOperation(found, 'stop', {}, callLimits(session))) !== undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'unknown') return false;
    throw error;
  }
}

const callLimits = ({ context, globals }: Invocation) => ({
  signal: context.signal,
  timeout: globals.timeout,
});

async function isRunning(folder: string): Promise<boolean> {
  const { dataDirAt, isDataDirLocked } = await import('../../../sandbox/data/data-dir.ts');
  try {
    return isDataDirLocked(dataDirAt(folder));
  } catch (error) {
    throw explainSandboxStartError(error);
  }
}

export const sandboxStatus: Verb = {
  ...operationVerbHelp('status'),
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await findSandboxDataFolder(session, input);
    const found = await readSandboxAddress(folder);
    const answer = found && (await sendSandboxOperation(found, 'status', {}, callLimits(session)));
    if (answer === undefined)
      for (const line of [
        await formatSandboxStartHint(session, folder),
        ...(await formatHintsOfOtherRunningSandboxes(session, folder)),
      ])
        await session.info(line);
    const shown = answer ?? { data: { running: false, dataDir: folder }, zone: 'UTC' };
    return { result: await convertOperationResponse(session, shown, controlOperationNamed('status')) };
  },
};

export const sandboxReset: Verb = {
  name: 'reset',
  summary: 'Delete all data of the sandbox',
  work: 'local',
  asks: true,
  exits: { 5: 'data in use' },
  example: 'sandbox reset --yes',
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await findSandboxDataFolder(session, input);
    const store = existsSync(folder)
      ? await readDatabaseUrlOfSandboxFolder(folder).catch((error) => {
          throw explainSandboxStartError(error);
        })
      : undefined;
    if (store === undefined && !existsSync(join(folder, 'sandbox.db'))) {
      await session.info(`There is no sandbox in ${folder}.`);
      return NOTHING;
    }
    const what =
      store === undefined
        ? `delete all data of the sandbox in ${folder}`
        : `delete all data in the database ${store}, which other sandboxes may share`;
    await confirm(session, what);
    session.beforeChange(what);
    try {
      const { dataDirAt, removeSandboxFiles, lockDataDir } = await import(
        '../../../sandbox/data/data-dir.ts'
      );
      const dir = dataDirAt(folder);
      const hold = lockDataDir(dir);
      try {
        if (store !== undefined) await emptyShared(session, store);
        removeSandboxFiles(dir);
      } finally {
        hold.release();
      }
    } catch (error) {
      throw explainSandboxStartError(error);
    }
    await session.info(`Deleted the data in ${store ?? folder}.`);
    return NOTHING;
  },
};

/** The folder stores the URL without its password. If `SVC_SANDBOX_STORE` names the same database, its URL may include the password. */
async function emptyShared(session: Invocation & Tell, storedUrl: string): Promise<void> {
  const [{ dropPostgresTables }, { removeUrlPassword }] = await Promise.all([
    import('../../../sandbox/store/driver/postgres-database.ts'),
    import('../../../sandbox/store/driver/postgres-url.ts'),
  ]);
  const set = await databaseUrlInEnvironment(session);
  await dropPostgresTables(set !== undefined && removeUrlPassword(set) === storedUrl ? set : storedUrl);
}
