/**
 * Compares a campaign file with the service's records, which svc has read before, and plans one step for each item. The functions here are
 * pure: they send no requests and have no side effects.
 */

import type { JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';
import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../marks.ts';
import type { Campaign, ItemKind, ObservedCompanyRecords, Step, WantedItem } from '../model.ts';
import { assignRecordsToTakeOver } from './adoption.ts';
import { blockStepIfTakeoverForbidden } from './forbidden-adoption.ts';
import { formatIdWithRuleKind, type PlannedMessage, planFolder, planMessage } from './messages.ts';
import { messageAttributesOfRule } from './rule-references.ts';
import { planRule } from './rules.ts';
import { findCampaignSendOfWantedTask, isActiveTask, type PlannedCampaignSend } from './same-sends.ts';
import {
  createPlanningSituation,
  type PlanningSituation,
  type PlanOptions,
  type RecordOwnedByCampaign,
} from './situation.ts';
import { planTask } from './tasks.ts';

/** Planned steps of a campaign, and the data from which they were planned. */
export interface CampaignPlan {
  readonly steps: readonly Step[];
  readonly situation: PlanningSituation;
  readonly messages: ReadonlyMap<string, PlannedMessage>;
  /** Message, recipients and send time of each task of the file, except blocked tasks. Used to find duplicate sends. */
  readonly sends: readonly PlannedCampaignSend[];
}

/**
 * Returns the steps in the order in which apply performs them. First come tasks and rules that `--prune` removes, so that they are never
 * live together with their replacements. Then come folders, messages, tasks and rules, and finally all other records that the file no
 * longer names.
 * @param earlierPlans plans of files that are applied together with this file and before it
 * @param siblings items of all other files of this campaign
 */
export function planCampaign(
  campaign: Campaign,
  observed: ObservedCompanyRecords,
  options: PlanOptions,
  {
    earlierPlans = [],
    siblings = [],
  }: { readonly earlierPlans?: readonly CampaignPlan[]; readonly siblings?: readonly WantedItem[] } = {},
): CampaignPlan {
  const adopting = assignRecordsToTakeOver(campaign, options.adopt);
  const situation = createPlanningSituation(adopting, observed, options, siblings);
  const messages = new Map<string, PlannedMessage>();
  for (const item of adopting.items)
    if (item.kind === 'message') messages.set(item.key, planMessage(situation, item));
  const others = earlierPlans.flatMap(({ sends }) => sends);
  const sends: PlannedCampaignSend[] = [];
  const named: Step[] = [];
  for (const item of adopting.items) {
    const step = planItem(situation, item, { messages, sends: [...others, ...sends], steps: named });
    if (item.kind === 'task') sends.push(...plannedSendOf(situation, item, step));
    named.push(step);
  }
  const unnamed: Step[] = [];
  for (const own of [...situation.unnamed].sort(
    (a, b) => REMOVAL_ORDER.indexOf(a.kind) - REMOVAL_ORDER.indexOf(b.kind),
  ))
    unnamed.push(...planUnnamed(own, situation, [...named, ...unnamed]));
  const isFirst = ({ kind, action }: Step): boolean => action === 'cancel' && REMOVED_FIRST.includes(kind);
  const steps = [...unnamed.filter(isFirst), ...named, ...unnamed.filter((step) => !isFirst(step))];
  return { steps, situation, messages, sends };
}

/**
 * Returns the send of a task. Returns an empty array if the step of the task is blocked, or if svc does not know the send. Also returns the
 * send of a task that stays unchanged, because another campaign file may plan the same send.
 */
function plannedSendOf(
  situation: PlanningSituation,
  item: Extract<WantedItem, { kind: 'task' }>,
  { action, time }: Step,
): readonly PlannedCampaignSend[] {
  const send =
    action === 'blocked' || time === undefined
      ? undefined
      : findCampaignSendOfWantedTask(situation, item, time);
  const { campaign } = situation.campaign;
  return send ? [{ ...send, campaign, key: item.key, isWritten: action !== 'keep' }] : [];
}

function planItem(
  situation: PlanningSituation,
  item: WantedItem,
  earlier: {
    readonly messages: ReadonlyMap<string, PlannedMessage>;
    readonly sends: readonly PlannedCampaignSend[];
    readonly steps: readonly Step[];
  },
): Step {
  const { messages, sends, steps } = earlier;
  switch (item.kind) {
    case 'folder':
      return planFolder(situation, item);
    case 'message':
      return messages.get(item.key)?.step ?? planMessage(situation, item).step;
    case 'task':
      return blockStepIfTakeoverForbidden(situation, item, planTask(situation, item, messages, sends));
    case 'automation':
      return blockStepIfTakeoverForbidden(situation, item, planRule(situation, item, messages, steps));
  }
}

/**
 * Order of removal. Tasks and rules come before the messages that they use, because a service may refuse to delete a
 * message that a task is to send (interface, "States").
 */
const REMOVAL_ORDER: readonly ItemKind[] = ['automation', 'task', 'message', 'folder'];

/** Kinds of records that send messages or act by themselves. They are removed first. */
const REMOVED_FIRST: readonly ItemKind[] = ['automation', 'task'];

/**
 * Decides what apply does with a record whose item is no longer in the campaign file. Returns no step for a cancelled or completed task, or
 * for a record that apply has replaced with another record.
 * @param plannedSteps steps planned so far. For a message, these steps include the steps of all tasks and rules.
 */
function planUnnamed(
  own: PlanningSituation['unnamed'][number],
  { options: { prune }, observed }: PlanningSituation,
  plannedSteps: readonly Step[],
): readonly Step[] {
  if (isOver(own)) return [];
  const step = { kind: own.kind, id: formatIdWithRuleKind(own), name: own.name } as const;
  if (!prune)
    return [{ ...step, action: 'orphaned', reason: `the file no longer contains this ${own.kind}` }];
  if (own.kind === 'task' && Number(own.record['scheduledtime']) <= observed.now)
    return [{ ...step, action: 'blocked', blockedBy: 'state', reason: 'the task is being sent' }];
  const lists = own.kind === 'folder' ? Number(own.record['list_count'] ?? 0) : 0;
  if (lists > 0) {
    const reason = `svc does not delete a folder that contains ${lists === 1 ? 'a list' : `${lists} lists`}; to delete it with all lists, run svc folder delete ${formatIdWithRuleKind(own)}`;
    return [{ ...step, action: 'blocked', blockedBy: 'state', reason }];
  }
  const user = own.kind === 'message' ? findRemainingUser(observed, own, plannedSteps) : undefined;
  if (user !== undefined)
    return [{ ...step, action: 'blocked', blockedBy: 'state', reason: `${user} still uses the message` }];
  const removes = own.kind === 'task' ? 'cancels' : 'deletes';
  const byHand = own.isAsWritten ? '' : ', although someone changed it by hand';
  const reason = `the file no longer contains this ${own.kind}, so svc ${removes} it${byHand}`;
  return [{ ...step, action: 'cancel', reason }];
}

const isOver = ({ record, isSetAside }: RecordOwnedByCampaign): boolean =>
  isSetAside || record['cancelled'] === true || record['completed'] === true;

/** Returns whether every step leaves its record unchanged. */
export const leavesAllRecordsUnchanged = (steps: readonly Step[]): boolean =>
  steps.every(({ action }) => action === 'keep' || action === 'orphaned');

/**
 * Returns a text that names a task or rule, such as `task 7`: the first one that still uses the message after all steps of the plan.
 * Returns undefined if no task or rule uses the message. svc must not delete a message in use: the service would hide the message but still
 * send it (interface, "States").
 */
function findRemainingUser(
  observed: ObservedCompanyRecords,
  { record: { id }, channel }: RecordOwnedByCampaign,
  steps: readonly Step[],
): string | undefined {
  const task = observed.tasks.find(
    (each) =>
      isActiveTask(each) &&
      each['channel'] === channel &&
      String(each['message_id']) === String(id) &&
      !stopsUsingMessage(steps, 'task', String(each['id'])),
  );
  if (task) return `task ${String(task['id'])}`;
  for (const [rule, rows] of Object.entries(observed.rules) as [RuleKind, readonly JsonObject[]][]) {
    const isUser = (row: JsonObject): boolean =>
      Object.entries(messageAttributesOfRule(rule, row)).some(
        ([attribute, of]) => of === channel && String(row[attribute]) === String(id),
      );
    const found = rows.find(
      (row) =>
        isUser(row) &&
        !isRetired(row) &&
        !stopsUsingMessage(steps, 'automation', `${rule}:${String(row['id'])}`),
    );
    if (found) return `rule ${rule}:${String(found['id'])}`;
  }
  return undefined;
}

/** Returns whether a rule was replaced by another rule and is still paused. */
const isRetired = ({ name, paused }: JsonObject): boolean =>
  paused === true && parseCampaignMark(name)?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER;

/** Returns whether a step removes the record, or makes the record use another message. */
const stopsUsingMessage = (steps: readonly Step[], kind: ItemKind, id: string): boolean =>
  steps.some(
    (step) =>
      step.kind === kind &&
      step.id === id &&
      (step.action === 'cancel' ||
        step.action === 'replace' ||
        (step.action === 'change' &&
          (step.changes ?? []).some(({ attribute }) => POINTING.includes(attribute)))),
  );

const POINTING: readonly string[] = ['message_id', 'actiontarget'];
