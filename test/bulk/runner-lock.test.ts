/** Acceptance, I7: one runner at a time. `test/e2e/runners.deep.test.ts` has the cases that need several processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { unlinkSync } from 'node:fs';
import { rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockCheckpoint } from '../../src/client/bulk/checkpoint-file.ts';
import type { RunnerLockTimes } from '../../src/client/bulk/runner-lock.ts';
import {
  type LockHolder,
  lockHolderState,
  thisProcessAsLockHolder,
} from '../../src/kit/files/lock-holder.ts';
import { type Folder, temporaryFolder } from '../cli/bulk/folder.ts';
import { tried } from '../support/depth.ts';

const FAR: Partial<LockHolder> = { place: 'another boot pid:[1] time:[1]' };
const exited = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));

/** Returns a lock holder whose process has ended. */
async function deadHolder(): Promise<LockHolder> {
  const child = spawn(process.execPath, ['-e', '0']);
  await exited(child);
  return { ...thisProcessAsLockHolder(), pid: child.pid ?? 0 };
}

const setBack = async (path: string, seconds: number): Promise<void> => {
  const old = new Date(Date.now() - 1000 * seconds);
  await utimes(path, old, old);
};

async function lockedBy(
  holder: Partial<LockHolder>,
): Promise<Folder & { readonly checkpoint: string; readonly lock: string }> {
  const folder = await temporaryFolder();
  const checkpoint = join(folder.path, 'j');
  await writeFile(`${checkpoint}.lock`, JSON.stringify({ ...thisProcessAsLockHolder(), ...holder }));
  return { ...folder, checkpoint, lock: `${checkpoint}.lock` };
}

describe('the lock of a checkpoint', () => {
  it('I7: of 100 simultaneous runs one gets the lock, then the next one', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'j');
    const tries = await Promise.allSettled(Array.from({ length: 100 }, () => lockCheckpoint(path)));
    const held = tries.filter((each) => each.status === 'fulfilled');
    expect(held).toHaveLength(1);
    expect(tries.find((each) => each.status === 'rejected')).toMatchObject({
      reason: {
        name: 'BulkError',
        kind: 'input',
        message: expect.stringContaining('another run of this job is still active'),
      },
    });
    for (const each of held) each.value.release();
    (await lockCheckpoint(path)).release();
    expect(await folder.names()).toEqual([]);
    tried('I7', 100);
  });

  it('I7: locks of 100 dead processes are taken over', async () => {
    await using folder = await temporaryFolder();
    const holder = await deadHolder();
    for (let at = 0; at < 100; at += 1) {
      await writeFile(join(folder.path, `j${at}.lock`), JSON.stringify(holder));
      (await lockCheckpoint(join(folder.path, `j${at}`))).release();
    }
    expect(await folder.names()).toEqual([]);
    tried('I7', 100);
  });

  it('is taken over if its process died before it wrote its name', async () => {
    await using folder = await temporaryFolder();
    const lock = join(folder.path, 'j.lock');
    for (const path of [lock, `${lock}.takeover`]) {
      await writeFile(path, '');
      await setBack(path, 4.8);
    }
    (await lockCheckpoint(join(folder.path, 'j'))).release();
    expect(await folder.names()).toEqual([]);
  });

  it.each([
    ['another boot or namespace', FAR],
    ['another host', { ...FAR, host: 'another' }],
    ['a release that did not record its place', { place: null }],
  ])(
    'H2: of %s counts as held for 2 minutes after it was written, whatever its process id means here',
    async (_, holder) => {
      await using folder = await lockedBy({ ...(await deadHolder()), ...holder });
      const refused = await lockCheckpoint(folder.checkpoint).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        name: 'BulkError',
        kind: 'input',
        hints: [expect.stringContaining('if it crashed, wait 120 s')],
      });
      await setBack(folder.lock, 110);
      await expect(lockCheckpoint(folder.checkpoint)).rejects.toThrow('another run');
      await setBack(folder.lock, 121);
      (await lockCheckpoint(folder.checkpoint)).release();
      expect(await folder.names()).toEqual([]);
    },
  );

  it('H2: of a process that lives here is never taken over, whatever its age and the name of the host', async () => {
    await using folder = await lockedBy({ host: 'another' });
    await setBack(folder.lock, 86_400);
    await expect(lockCheckpoint(folder.checkpoint)).rejects.toMatchObject({
      hints: ['wait until the other run has ended, or stop it'],
    });
  });

  it('is written again by its holder, so that others see that it is at work', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'j');
    const held = await lockCheckpoint(path, times({ refresh: 20 }));
    await setBack(`${path}.lock`, 500);
    await expect.poll(async () => Date.now() - (await stat(`${path}.lock`)).mtimeMs).toBeLessThan(10_000);
    held.check();
    held.release();
  });
});

describe('a holder whose lock was taken over', () => {
  const lose: readonly [string, (lock: string) => Promise<void>][] = [
    ['removed', unlink],
    [
      'replaced',
      async (lock) => {
        await unlink(lock);
        await writeFile(lock, JSON.stringify(thisProcessAsLockHolder()));
      },
    ],
    ['moved away', (lock) => rename(lock, `${lock}.old`)],
  ];
  it.each(lose)('may send and write nothing once its lock is %s', async (_, change) => {
    for (const stale of [20_000, -1]) {
      await using folder = await temporaryFolder();
      const path = join(folder.path, 'j');
      const held = await lockCheckpoint(path, times({ recheckAfter: stale }));
      const opened = await held.open(
        IDENTITY,
        async () => ({}),
        async () => undefined,
      );
      held.check();
      await change(`${path}.lock`);
      const before = await folder.names();
      expect(() => held.check()).toThrow('another run has taken over');
      expect(() => opened.file.append('N 1\n')).toThrow('another run has taken over');
      await expect(held.remove()).rejects.toThrow('another run has taken over');
      await opened.file.close();
      held.release();
      // The files of the other run stay.
      expect(await folder.names()).toEqual(before);
      expect(await folder.read('j')).not.toContain('N 1');
    }
  });
});

// A run that takes over removes the lock and then reads the checkpoint. So a check covers only rows whose mark was on disk before it.
describe('the lock check before rows are sent', () => {
  const begun = async (path: string) => {
    const held = await lockCheckpoint(path, times({}));
    const opened = await held.open(
      IDENTITY,
      async () => ({}),
      async () => undefined,
    );
    return { held, opened };
  };

  it('covers all rows of one turn of the event loop, and none of the next turn', async () => {
    await using folder = await temporaryFolder();
    const { held, opened } = await begun(join(folder.path, 'j'));
    held.checkToSend();
    unlinkSync(join(folder.path, 'j.lock'));
    held.checkToSend();
    await new Promise(setImmediate);
    expect(() => held.checkToSend()).toThrow('another run has taken over');
    await opened.file.close();
    held.release();
  });

  it('does not cover a row whose mark reached the disk after it, in any turn', async () => {
    await using folder = await temporaryFolder();
    const { held, opened } = await begun(join(folder.path, 'j'));
    await opened.file.append('H 256\n');
    const sending = opened.file.sync().then(() => held.checkToSend());
    // The lock is checked and lost, and the mark reaches the disk, all in one turn.
    setImmediate(() => {
      held.checkToSend();
      unlinkSync(join(folder.path, 'j.lock'));
      const until = Date.now() + 100;
      while (Date.now() < until);
      held.checkToSend();
    });
    await expect(sending).rejects.toThrow('another run has taken over');
    await opened.file.close();
    held.release();
  });
});

describe('the state of a lock holder', () => {
  it('compares process ids only if they come from the same place', async () => {
    const [own, dead] = [thisProcessAsLockHolder(), await deadHolder()];
    expect([own, dead, { ...own, started: '1' }].map((holder) => lockHolderState(holder))).toEqual([
      'alive',
      'dead',
      'dead',
    ]);
    expect([own, dead].map((holder) => lockHolderState({ ...holder, ...FAR }))).toEqual([
      'unknown',
      'unknown',
    ]);
    expect(own).toMatchObject({
      host: hostname(),
      pid: process.pid,
      place: expect.stringContaining('pid:['),
    });
  });

  it('M6: a killed process that was not reaped counts as dead', async () => {
    // The shell becomes a program that never waits for its children.
    const parent = spawn('sh', ['-c', 'sleep 100 & echo $!; exec sleep 100'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = Number(
      await new Promise((resolve) => parent.stdout.once('data', (line) => resolve(String(line)))),
    );
    const { readFile } = await import('node:fs/promises');
    // Until the exec, the shell may still wait for its child.
    while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')) !== 'sleep\n') await sleep(5);
    const fields = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    const started = (await fields())[19] ?? null;
    const holder = { ...thisProcessAsLockHolder(), pid, started };
    expect(lockHolderState(holder)).toBe('alive');
    process.kill(pid, 'SIGKILL');
    while ((await fields())[0] !== 'Z') await sleep(5);
    expect(lockHolderState(holder)).toBe('dead');
    parent.kill('SIGKILL');
    await exited(parent);
  });
});

const IDENTITY = {
  ...{ command: 'dnc import', sha256: 'aa', origin: 'https://api.example.com', options: {} },
  ...{ company: 1, user: 1, partner: null },
};
const times = (more: Partial<RunnerLockTimes>): RunnerLockTimes => ({
  refresh: 5000,
  recheckAfter: 20_000,
  takeOver: 120_000,
  ...more,
});
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
