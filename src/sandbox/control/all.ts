/** All operations of the control plane. A missing or an undeclared operation doesn't compile. */

import { leftOut } from '../store/exclusions.ts';
import { clockOperations } from './clock.ts';
import { companyOperations } from './company.ts';
import { eventOperations } from './events.ts';
import { listOperations } from './lists.ts';
import type { Operations, OperationsOf } from './operation.ts';
import { outboxOperations } from './outbox.ts';
import { queueOperations } from './queue.ts';
import { recordOperations } from './records.ts';
import { taskOf } from './references.ts';
import { requestOperations } from './requests.ts';
import { snapshotOperations } from './snapshots.ts';
import { statusOperations } from './status.ts';
import { subscriberOperations } from './subscribers.ts';
import { tokenOperations } from './tokens.ts';

const faultOperations = {
  'fault set': async ({ faultInjection }, { kind, rate, times = null, match = null, delay }) => {
    const wanted = { kind, rate, times, match, delay };
    faultInjection.add(wanted);
    return wanted;
  },
  'fault clear': async ({ faultInjection }) => ({ cleared: faultInjection.clear() }),
  'fault list': async ({ faultInjection }) => faultInjection.list().map((each) => ({ ...each })),
} satisfies OperationsOf<'fault'>;

/** Reports how many recipients a task was sent to, and who was left out. */
const taskOperations = {
  'task show': async (call, { id }) => {
    const { name, channel, size, started, sent, skipped, credits, stopped } = await taskOf(call, id);
    return { id, name, channel, size, started: started === 1, sent, skipped, credits, stopped };
  },
  'task skipped': async (call, { id, after, limit }) =>
    (await leftOut(call.db, await taskOf(call, id), { after, limit })).map((row) => ({ ...row })),
} satisfies OperationsOf<'task'>;

export const operations = {
  ...statusOperations,
  ...listOperations,
  ...subscriberOperations,
  ...recordOperations,
  ...companyOperations,
  ...eventOperations,
  ...clockOperations,
  ...queueOperations,
  ...outboxOperations,
  ...taskOperations,
  ...requestOperations,
  ...faultOperations,
  ...snapshotOperations,
  ...tokenOperations,
} satisfies Operations;
