/** Finds the tasks of a profile that have not been sent yet, so that a budget that the profile gets later counts them. */

import type { AnyRecord } from '../../kit/schema/resource.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { task } from '../../service/resources/task.ts';
import type { Entry, WriteRequestSender } from './entry.ts';
import type { JournalLocation } from './file.ts';
import { readJournalEntries } from './read.ts';

export interface ScheduledTask {
  readonly company: AccountId | null;
  readonly id: string;
  /** Unix seconds. */
  readonly due: number;
  readonly size: number | null;
  readonly channel: unknown;
}

/** Omits tasks that this machine cancelled. */
export async function findScheduledTasks(
  place: JournalLocation,
  { profile, origin }: Pick<WriteRequestSender, 'profile' | 'origin'>,
  from: number,
): Promise<readonly ScheduledTask[]> {
  const tasks = new Map<string, { readonly company: AccountId | null; readonly record: AnyRecord }>();
  const entries = (await readJournalEntries(place)).filter((each) => isWriteOfTask(each, origin));
  for (const { method, profile: writer, company, id, sent, after } of entries) {
    const key = `${String(company)} ${String(after?.id ?? id)}`;
    const before = tasks.get(key);
    if (method === 'DELETE') tasks.delete(key);
    else if (before !== undefined)
      tasks.set(key, { company, record: { ...before.record, ...sent, ...after } });
    else if (method === 'POST' && writer === profile)
      tasks.set(key, { company, record: { ...sent, ...after } });
  }
  return [...tasks.values()].flatMap(({ company, record }): readonly ScheduledTask[] => {
    const { id, scheduledtime: due, size = null, cancelled, channel } = record;
    if (cancelled === true || typeof due !== 'number' || due < from) return [];
    return [{ company, id: String(id), due, size: typeof size === 'number' ? size : null, channel }];
  });
}

const isWriteOfTask = ({ resource, origin, state }: Entry, wanted: string): boolean =>
  resource === task.name && origin === wanted && state === 'done';
