/** Shows the sandbox of a rehearsal in the browser, for `--open`. The sandbox runs until Ctrl-C, and is deleted afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataDir } from '../../../sandbox/data/data-dir.ts';
import type { Session } from '../../session/session.ts';
import { openPage } from '../sandbox/open.ts';

/** Sandbox that shows the copy of the account after the rehearsal, in the browser. */
export interface RehearsalSandbox {
  /** Path of the sandbox's database, to which the rehearsal writes the copy of the account. */
  readonly database: string;
  /** Starts the sandbox, opens its outbox in the browser, and waits for Ctrl-C. */
  readonly show: () => Promise<void>;
  /** Deletes the sandbox with its data. */
  readonly remove: () => Promise<void>;
}

export async function createRehearsalSandbox(session: Session): Promise<RehearsalSandbox> {
  session.beforeChange('run a sandbox that shows the result of the rehearsal until you press Ctrl-C');
  const { dataDirAt, createDatabaseFileIfMissing, lockDataDir } = await import(
    '../../../sandbox/data/data-dir.ts'
  );
  const folder = await mkdtemp(join(tmpdir(), 'svc-rehearse-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const dir = dataDirAt(join(folder, 'data'));
    lockDataDir(dir).release();
    createDatabaseFileIfMissing(dir);
    return { database: dir.database, show: () => show(session, dir), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function show(session: Session, dataDir: DataDir): Promise<void> {
  const { clock, random, signal, stderr } = session.context;
  const { startSandbox } = await import('../../../sandbox/start.ts');
  const { naming } = await session.resolved();
  const sandbox = await startSandbox({
    ...{ dataDir, port: 0, seed: 'empty', naming, machineNow: clock.now, random },
    report: () => undefined,
  });
  try {
    await stderr.write('The copy of the account opens in the browser. Press Ctrl-C to delete the copy.\n');
    await openPage(session, sandbox.openPage('outbox'), 'leave out --open to see the rehearsal as text');
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    await sandbox.stop();
  }
}
