/** Keeps the sandbox of a rehearsal for `--open`. The sandbox runs until Ctrl-C, with its pages in the browser. Then it is deleted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataDir } from '../../../sandbox/data/data-dir.ts';
import type { Session } from '../../session/session.ts';
import { openPage } from '../sandbox/open.ts';

export interface KeptSandbox {
  /** Path of the sandbox's database, which the rehearsal fills. */
  readonly database: string;
  /** Starts the sandbox, opens its outbox in the browser, and waits for Ctrl-C. */
  readonly show: () => Promise<void>;
  /** Deletes the sandbox with its data. */
  readonly remove: () => Promise<void>;
}

export async function keepSandbox(session: Session): Promise<KeptSandbox> {
  session.beforeChange('start a sandbox with the rehearsed account until Ctrl-C');
  const { dataDirAt, makeDatabase, takeDataDir } = await import('../../../sandbox/data/data-dir.ts');
  const folder = await mkdtemp(join(tmpdir(), 'svc-rehearse-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const dir = dataDirAt(join(folder, 'data'));
    takeDataDir(dir).release();
    makeDatabase(dir);
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
    await stderr.write('The rehearsed account opens in the browser. Press Ctrl-C to delete it.\n');
    await openPage(session, sandbox.openPage('outbox'), 'leave out --open, and see the text');
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    await sandbox.stop();
  }
}
