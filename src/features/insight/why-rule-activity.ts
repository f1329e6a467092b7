/** Finds out why a rule has not acted: its own state, and what the service shows about the events that trigger it. */
import type { Client } from '../../client/requests/client.ts';
import { formatRecordId } from '../../client/requests/record-title.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { emailMessage } from '../../service/resources/email-message.ts';
import { emailMessageLink } from '../../service/resources/email-message-link.ts';
import type { AnyRule } from '../../service/resources/rule-kinds.ts';
import { type TaskRecord, taskPhase } from '../../service/resources/task.ts';
import { findTasksWithMessage } from './why-message.ts';
import { type CheckedRuleDependencies, type RuleDependency, ruleDependencies } from './why-rule.ts';

export interface InactivityReason {
  readonly reason:
    | 'paused'
    | 'target-gone'
    | 'created'
    | 'not-sent'
    | 'no-events'
    | 'still-to-come'
    | 'not-shown';
  /** Unix seconds that the reason is about, or null. */
  readonly time: number | null;
  readonly why: string;
}

/** The most certain reason comes first. @param lookUp checks which records exist @param now Unix seconds by the service's clock */
export async function findInactivityReasons(
  client: Client,
  { resource, record }: { readonly resource: Resource; readonly record: AnyRule },
  lookUp: (dependencies: readonly RuleDependency[]) => Promise<CheckedRuleDependencies>,
  now: number,
): Promise<readonly InactivityReason[]> {
  const { missing } = await lookUp(ruleDependencies(resource, record));
  return [
    ...pausedReason(resource, record),
    ...missing.map(({ resource: name, id, attribute }) =>
      reason('target-gone', `${name} ${String(id)} (${attribute}) no longer exists`),
    ),
    ...createdReason(resource, record),
    ...(await eventReasons(client, resource, record, now)),
    ...delayReason(resource, record, now),
  ];
}

const reason = (
  word: InactivityReason['reason'],
  why: string,
  time: number | null = null,
): InactivityReason => ({ reason: word, time, why });

function pausedReason(resource: Resource, { id, paused }: AnyRule): readonly InactivityReason[] {
  const ref = formatRecordId(resource, id ?? null);
  return paused === true ? [reason('paused', `${ref} is paused, so no event triggers it`)] : [];
}

function createdReason({ variant }: Resource, { cdate }: AnyRule): readonly InactivityReason[] {
  if (variant === 'date' || typeof cdate !== 'number') return [];
  return [reason('created', 'the rule was created at this time; earlier events did not trigger it', cdate)];
}

async function eventReasons(
  client: Client,
  { variant }: Resource,
  record: AnyRule,
  now: number,
): Promise<readonly InactivityReason[]> {
  if (variant !== 'click' && variant !== 'open')
    return [reason('not-shown', 'the service does not show the events of this kind of rule')];
  const message = await findTriggeringMessage(client, record);
  if (message === undefined) return [];
  const tasks = await findTasksWithMessage(client, emailMessage, message);
  const sent = tasks.filter((task) => hasBegun(task, now));
  if (sent.length === 0) return [notSentReason(message, tasks, now)];
  const [counter, verb] =
    variant === 'open'
      ? (['emailuniqueopens', 'opened'] as const)
      : (['emailuniqueclicks', 'clicked'] as const);
  if (sent.some((task) => (task[counter] ?? 0) > 0)) return [];
  return [
    reason('no-events', `no recipient has ${verb} e-mail message ${String(message)} (${counter} is 0)`),
  ];
}

/** Undefined for rules that no e-mail message triggers. */
export async function findTriggeringMessage(
  client: Client,
  { message_id, link_id }: AnyRule,
): Promise<Id | undefined> {
  if (isId(message_id)) return message_id;
  if (!isId(link_id)) return undefined;
  const link = await client.get(emailMessageLink, link_id);
  return isId(link?.message_id) ? link.message_id : undefined;
}

function notSentReason(message: Id, tasks: readonly TaskRecord[], now: number): InactivityReason {
  const words = `no task has sent e-mail message ${String(message)}`;
  const [next] = tasks.filter((task) => taskPhase(task, now) === 'scheduled').reverse();
  return next === undefined
    ? reason('not-sent', words)
    : reason('not-sent', `${words}; task ${String(next.id)} sends it at this time`, next.scheduledtime);
}

/** A task that was cancelled before its start has sent nothing. */
export const hasBegun = ({ cancelled, scheduledtime, endtime }: TaskRecord, time: number): boolean =>
  scheduledtime <= time && !(cancelled && endtime !== null && endtime <= scheduledtime);

function delayReason(resource: Resource, record: AnyRule, now: number): readonly InactivityReason[] {
  const { actiontimediff, actionhour, actiononweekend } = record;
  const unit = resource.fields['actiontimediff']?.unit === 'minutes' ? 60 : 1;
  const delay = typeof actiontimediff === 'number' ? actiontimediff * unit : 0;
  const later = [
    ...(delay > 0 ? [`${formatDuration(delay)} after the event`] : []),
    ...(typeof actionhour === 'string' ? [`at ${actionhour.slice(0, 5)}`] : []),
    ...(actiononweekend === false ? ['not at weekends'] : []),
  ];
  if (resource.variant === 'date' || later.length === 0) return [];
  const since = delay > 0 ? now - delay : null;
  return [
    reason(
      'still-to-come',
      `the rule acts ${later.join(', ')}, so the action of a recent event is still to come`,
      since,
    ),
  ];
}
