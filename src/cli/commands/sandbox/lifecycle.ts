/** Declares `sandbox stop`, `status` and `reset`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { operationOf } from '../../../protocol/control.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainStart } from '../../errors/start-errors.ts';
import { confirm } from '../../request/guards.ts';
import { askControl, endpointOf, type SandboxEndpoint } from '../../session/sandbox-control.ts';
import type { Session } from '../../session/session.ts';
import { otherSandboxes, startAdvice } from './advice.ts';
import { dataFlag, dataFolder } from './connection.ts';
import { controlResult, helpOf } from './control-verb.ts';
import { storeInEnvironment, storeOfFolder } from './store.ts';

const NOTHING: Outcome = { result: { kind: 'nothing' } };
/** Time limit for stopping, in milliseconds. The sandbox finishes its open requests before it stops. */
const STOP_WITHIN = 20_000;

export const stop: Verb = {
  ...helpOf('stop'),
  work: 'local',
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await dataFolder(session, input);
    if (!(await isRunning(folder))) {
      await session.info(`No sandbox is running on ${folder}.`);
      for (const line of await otherSandboxes(session, folder)) await session.info(line);
      return NOTHING;
    }
    session.beforeChange(`stop the sandbox on ${folder}`);
    await askToStop(session, folder);
    const { clock, signal } = session.context;
    const until = clock.now() + STOP_WITHIN;
    await session.waiting('for the sandbox to stop (at most 20 seconds)', async () => {
      while (await isRunning(folder)) {
        if (clock.now() > until)
          throw new CliError('sandbox', `the sandbox on ${folder} is still stopping`, { exit: EXIT.failed });
        await clock.sleep(20, signal);
      }
    });
    await session.info(`Stopped the sandbox on ${folder}.`);
    return NOTHING;
  },
};

/** Requests the sandbox to stop. Never kills the process, because the stored process id may now belong to another process. */
async function askToStop(session: Session, folder: string): Promise<void> {
  const found = await endpointOf(folder);
  const isAsked = found !== undefined && (await asksToStop(session, found));
  // It may have stopped before it could send its response.
  if (isAsked || !(await isRunning(folder))) return;
  const pid = found?.pid;
  throw new CliError('sandbox', `the sandbox on ${folder} is running but does not respond`, {
    exit: EXIT.failed,
    hint: pid === undefined ? 'try again in a moment' : `if it hangs: kill ${pid}`,
  });
}

async function asksToStop(session: Session, found: SandboxEndpoint): Promise<boolean> {
  try {
    return (await askControl(found, 'stop', {}, patienceOf(session))) !== undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'unknown') return false;
    throw error;
  }
}

/** Returns the signal and the time limit of a control call. `--timeout` applies to these calls too. */
const patienceOf = ({ context, globals }: Session) => ({ signal: context.signal, timeout: globals.timeout });

async function isRunning(folder: string): Promise<boolean> {
  const { dataDirAt, isTaken } = await import('../../../sandbox/data/data-dir.ts');
  try {
    return isTaken(dataDirAt(folder));
  } catch (error) {
    throw explainStart(error);
  }
}

export const status: Verb = {
  ...helpOf('status'),
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await dataFolder(session, input);
    const found = await endpointOf(folder);
    const answer = found && (await askControl(found, 'status', {}, patienceOf(session)));
    if (answer === undefined)
      for (const line of [await startAdvice(session, folder), ...(await otherSandboxes(session, folder))])
        await session.info(line);
    const shown = answer ?? { data: { running: false, dataDir: folder }, zone: 'UTC' };
    return { result: controlResult(shown, operationOf('status'), (await session.format()) === 'table') };
  },
};

export const reset: Verb = {
  name: 'reset',
  summary: 'Delete all data of the sandbox',
  work: 'local',
  exits: { 5: 'data in use' },
  example: 'sandbox reset --yes',
  flags: [dataFlag],
  run: async (session, input) => {
    const folder = await dataFolder(session, input);
    const store = existsSync(folder) ? await readKept(folder) : undefined;
    if (store === undefined && !existsSync(join(folder, 'sandbox.db'))) {
      await session.info(`No sandbox in ${folder}.`);
      return NOTHING;
    }
    const what =
      store === undefined
        ? `delete all data of the sandbox in ${folder}`
        : `delete all data of the sandbox on ${store}, which others may share`;
    await confirm(session, what);
    session.beforeChange(what);
    try {
      const { dataDirAt, removeData, takeDataDir } = await import('../../../sandbox/data/data-dir.ts');
      const dir = dataDirAt(folder);
      const hold = takeDataDir(dir);
      try {
        if (store !== undefined) await emptyShared(session, store);
        removeData(dir);
      } finally {
        hold.release();
      }
    } catch (error) {
      throw explainStart(error);
    }
    await session.info(`Deleted the data in ${store ?? folder}.`);
    return NOTHING;
  },
};

async function readKept(folder: string): Promise<string | undefined> {
  try {
    return await storeOfFolder(folder);
  } catch (error) {
    throw explainStart(error);
  }
}

/**
 * Empties the shared database. Prefers the URL of the environment if it names the same database, because that URL may include the password.
 */
async function emptyShared(session: Session, kept: string): Promise<void> {
  const [{ emptyPostgres }, { withoutPassword }] = await Promise.all([
    import('../../../sandbox/store/driver/postgres-database.ts'),
    import('../../../sandbox/store/driver/postgres-url.ts'),
  ]);
  const set = await storeInEnvironment(session);
  await emptyPostgres(set !== undefined && withoutPassword(set) === kept ? set : kept);
}
