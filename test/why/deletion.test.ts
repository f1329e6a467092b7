/**
 * Interface, "folder": "Deletion fails if a list in it is permanent or was targeted by a task in the last 72 hours or is targeted by a
 * scheduled task". These tests use observed values alone. The tests in `test/cli/commands/why` use the sandbox.
 */
import { describe, expect, it } from 'vitest';
import { describeRecordLock } from '../../src/features/insight/why.ts';
import {
  explainFolderDeletionLock,
  explainListDeletionLock,
  type KnownSubscriberList,
  type TaskThatLocksList,
} from '../../src/features/insight/why-deletion.ts';
import type { FolderRecord } from '../../src/service/resources/folder.ts';
import type { TaskRecord } from '../../src/service/resources/task.ts';

const NOW = 1_800_000_000;
const HOLD = 72 * 3600;
const taskTo = (list_id: number, scheduledtime = NOW + 600): TaskThatLocksList => {
  const record = { id: list_id * 10, name: 'Sale', list_id, scheduledtime } as TaskRecord;
  return {
    record,
    until: scheduledtime + HOLD,
    lock: describeRecordLock('task', record, scheduledtime + HOLD),
  };
};
const list = (id: number, folder: number, permanent = false): KnownSubscriberList => ({
  ...{ id, name: `List ${id}`, folder, permanent },
});
const observed = (...tasks: readonly TaskThatLocksList[]) => ({ tasks, isWhole: true, now: NOW });
const nobodyAsks = async (): Promise<never> => {
  throw new Error('no request was expected');
};

describe('a folder', () => {
  const folder = { id: 7, name: 'News', list_count: 1 } as FolderRecord;

  it('without a list is free, and no task is read', async () => {
    const answer = await explainFolderDeletionLock(
      { ...folder, list_count: 0 },
      undefined,
      nobodyAsks,
      nobodyAsks,
    );
    expect(answer).toMatchObject({ locked: false, by: [], free: null });
  });

  it('is locked only by the tasks of its own lists, if they are known', async () => {
    const known = [list(1, 7), list(2, 8)];
    const answer = await explainFolderDeletionLock(folder, known, nobodyAsks, async () =>
      observed(taskTo(1), taskTo(2)),
    );
    expect(answer).toMatchObject({ locked: true, by: [{ kind: 'task', id: 10 }], free: NOW + 600 + HOLD });
  });

  it('is never free with a permanent list', async () => {
    const answer = await explainFolderDeletionLock(folder, [list(1, 7, true)], nobodyAsks, async () =>
      observed(taskTo(1)),
    );
    expect(answer).toMatchObject({ locked: true, free: null });
    expect(answer.by.map(({ kind }) => kind)).toEqual(['list', 'task']);
  });

  it.each([
    ['may be held if other folders have lists', 3, null],
    ['is held if it has every list of the account', 1, true],
  ])('of unknown lists %s', async (_, listCount, locked) => {
    const answer = await explainFolderDeletionLock(
      folder,
      undefined,
      async () => listCount,
      async () => observed(taskTo(1)),
    );
    expect(answer.locked).toBe(locked);
  });
});

describe('a list', () => {
  it.each([
    ['unknown, without tasks', undefined, [], null],
    ['known, without tasks', list(1, 7), [], false],
    ['permanent', list(1, 7, true), [], true],
    ['with a task', undefined, [taskTo(1)], true],
  ] as const)('%s', (_, known, tasks, locked) => {
    expect(explainListDeletionLock(1, known, observed(...tasks)).locked).toBe(locked);
  });

  it('may still be locked if not all tasks were read', () => {
    expect(explainListDeletionLock(1, list(1, 7), { ...observed(), isWhole: false }).locked).toBe(null);
  });
});
