/** Reports how many recipients a task was sent to, and who was left out. */
import { notFound } from '../../protocol/service-errors.ts';
import { leftOut } from '../store/exclusions.ts';
import { type TaskRow, taskById } from '../store/tasks.ts';
import type { ControlCall, OperationsOf } from './operation.ts';

export const taskOperations = {
  'task show': async (call, { id }) => {
    const { name, channel, size, started, sent, skipped, credits, stopped } = await taskOf(call, id);
    return { id, name, channel, size, started: started === 1, sent, skipped, credits, stopped };
  },
  'task skipped': async (call, { id, after, limit }) =>
    (await leftOut(call.db, await taskOf(call, id), { after, limit })).map((row) => ({ ...row })),
} satisfies OperationsOf<'task'>;

async function taskOf({ db, account }: ControlCall, id: number): Promise<TaskRow> {
  const task = await taskById(db, id);
  if (task?.account_id !== account.id) throw notFound(`Task ${id}`);
  return task;
}
