/** What the pages about tasks have in common. */
import type { JsonObject } from '../../protocol/json.ts';
import { type TaskStatus, taskStatus } from '../../resources/task-status.ts';
import type { PageCall } from './page.ts';
import { badge, type Html } from './parts.ts';

/** An empty name would leave nothing to click. */
export const nameOf = ({ name, id }: JsonObject): string =>
  typeof name === 'string' && name.trim() !== '' ? name : `Task ${String(id)}`;

export const statusOf = ({ clock }: PageCall, record: JsonObject): TaskStatus =>
  taskStatus(record, clock.time);

const KINDS = {
  scheduled: 'plain',
  sending: 'warn',
  completed: 'good',
  cancelled: 'plain',
  stopped: 'bad',
} as const;

export const stateBadge = (status: TaskStatus): Html => badge(status, KINDS[status]);
