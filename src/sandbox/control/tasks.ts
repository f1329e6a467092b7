/** Reports how many recipients a task was sent to, and who was left out. */
import { leftOut } from '../store/exclusions.ts';
import type { OperationsOf } from './operation.ts';
import { taskOf } from './references.ts';

export const taskOperations = {
  'task show': async (call, { id }) => {
    const { name, channel, size, started, sent, skipped, credits, stopped } = await taskOf(call, id);
    return { id, name, channel, size, started: started === 1, sent, skipped, credits, stopped };
  },
  'task skipped': async (call, { id, after, limit }) =>
    (await leftOut(call.db, await taskOf(call, id), { after, limit })).map((row) => ({ ...row })),
} satisfies OperationsOf<'task'>;
