/** All operations of the control plane. A missing or an undeclared operation doesn't compile. */
import { clockOperations } from './clock.ts';
import { companyOperations } from './company.ts';
import { eventOperations } from './events.ts';
import { faultOperations } from './faults.ts';
import { listOperations } from './lists.ts';
import type { Operations } from './operation.ts';
import { outboxOperations } from './outbox.ts';
import { queueOperations } from './queue.ts';
import { recordOperations } from './records.ts';
import { requestOperations } from './requests.ts';
import { snapshotOperations } from './snapshots.ts';
import { statusOperations } from './status.ts';
import { subscriberOperations } from './subscribers.ts';
import { taskOperations } from './tasks.ts';
import { tokenOperations } from './tokens.ts';

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
