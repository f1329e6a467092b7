/** Parts that the pages about tasks share. */
import type { JsonObject } from '../../protocol/json.ts';
import { type TaskStatus, taskStatus } from '../../resources/task-status.ts';
import type { PageCall } from './page.ts';
import { badge, type Html } from './parts.ts';

/** Returns the name of a task. A task with an empty name gets its id as a name, since a link needs text. */
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
