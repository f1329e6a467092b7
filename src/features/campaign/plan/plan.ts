/** Compares a campaign file with the service's records, and plans one step for each item. Pure. */

import { isActiveTask } from '../../../client/sends/same-send.ts';
import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../../../service/resources/campaign-mark.ts';
import { messageAttributesOfRule, RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import type {
  Adopted,
  Campaign,
  ItemKind,
  MessageReference,
  ObservedCompanyRecords,
  RuleRecord,
  Step,
  WantedItem,
  WantedMessage,
} from '../model.ts';
import { expandSeries } from '../series.ts';
import {
  adoptedBy,
  assignRecordsToTakeOver,
  belongsToOtherCampaign,
  channelOrRuleKindOfItem,
  recordKindInWords,
} from './adoption.ts';
import { planWithAllowedDoubles } from './allowed-doubles.ts';
import {
  blockedStep,
  formatIdWithRuleKind,
  type PlannedMessage,
  planFolder,
  planVersion,
} from './messages.ts';
import { withRename } from './renames.ts';
import type { EarlierRules, PlannedCampaignRule } from './rival-rules.ts';
import { findCampaignSendOfWantedTask, type PlannedCampaignSend } from './rival-sends.ts';
import { activeRuleInFile, mustPauseReplacedRule, planRule } from './rules.ts';
import { describeRecipientsOfOrphan, planSeries, type SeriesState } from './series.ts';
import {
  createPlanningSituation,
  type PlanningSituation,
  type PlanOptions,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';
import { MIN_SECONDS_BEFORE_SEND } from './task-time.ts';
import { planTask } from './tasks.ts';

export interface CampaignPlan {
  readonly steps: readonly Step[];
  readonly situation: PlanningSituation;
  readonly messages: ReadonlyMap<string, PlannedMessage>;
  readonly sends: readonly PlannedCampaignSend[];
  readonly rules: readonly PlannedCampaignRule[];
  readonly series: readonly SeriesState[];
}

/**
 * Tasks and rules that `--prune` removes come first, so that they are never live together with their replacements. Other records that the
 * file no longer names come last.
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
  const { items, others: unplanned, series } = planSeries(campaign, observed, options);
  const adopting = assignRecordsToTakeOver({ ...campaign, items }, options.adopt);
  const situation = createPlanningSituation(
    adopting,
    observed,
    options,
    [...unplanned, ...expandSeries(siblings, options.zone)],
    new Map(series.map((each) => [each.task.key, each])),
  );
  const messages = new Map<string, PlannedMessage>();
  for (const item of adopting.items)
    if (item.kind === 'message') messages.set(item.key, planMessage(situation, item));
  const others = earlierPlans.flatMap(({ sends }) => sends);
  const otherRules = earlierPlans.flatMap(({ rules }) => rules);
  const sends: PlannedCampaignSend[] = [];
  const rules: PlannedCampaignRule[] = [];
  const named: Step[] = [];
  const wanted = adopting.items.flatMap((item) =>
    item.kind === 'automation' ? activeRuleInFile(situation, item, messages) : [],
  );
  for (const item of adopting.items) {
    const earlier = {
      messages,
      sends: [...others, ...sends],
      rules: [...otherRules, ...rules],
      wanted,
      steps: named,
    };
    const step = planItem(situation, item, earlier);
    if (item.kind === 'task') sends.push(...plannedSendOf(situation, item, step));
    if (item.kind === 'automation' && step.action !== 'blocked')
      rules.push(...wanted.filter(({ key }) => key === item.key));
    named.push(step);
  }
  const unnamed: Step[] = [];
  for (const own of [...situation.unnamed].sort(
    (a, b) => REMOVAL_ORDER.indexOf(a.kind) - REMOVAL_ORDER.indexOf(b.kind),
  ))
    unnamed.push(...planUnnamed(own, situation, [...named, ...unnamed]));
  const isFirst = ({ kind, action }: Step): boolean => action === 'cancel' && REMOVED_FIRST.includes(kind);
  const steps = [...unnamed.filter(isFirst), ...named, ...unnamed.filter((step) => !isFirst(step))];
  return { steps, situation, messages, sends, rules, series };
}

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
  return send ? [{ ...send, campaign, key: item.key, isWritten: !KEEPING.includes(action) }] : [];
}

function planItem(
  situation: PlanningSituation,
  item: WantedItem,
  earlier: EarlierRules & {
    readonly messages: ReadonlyMap<string, PlannedMessage>;
    readonly sends: readonly PlannedCampaignSend[];
  },
): Step {
  const { messages, sends } = earlier;
  switch (item.kind) {
    case 'folder':
      return withRename(situation, planFolder(situation, item));
    case 'message':
      return messages.get(item.key)?.step ?? planMessage(situation, item).step;
    case 'task':
      return planWithAllowedDoubles(situation, (each) =>
        withRename(each, blockStepIfTakeoverForbidden(each, item, planTask(each, item, messages, sends))),
      );
    case 'automation':
      return planWithAllowedDoubles(situation, (each) =>
        withRename(each, blockStepIfTakeoverForbidden(each, item, planRule(each, item, messages, earlier))),
      );
  }
}

/** Actions after which the record does and sends the same as before. */
const KEEPING: readonly Step['action'][] = ['keep', 'rename'];

/** Tasks and rules come before their messages, because a service may refuse to delete a message in use (interface, "States"). */
const REMOVAL_ORDER: readonly ItemKind[] = ['automation', 'task', 'message', 'folder'];

const REMOVED_FIRST: readonly ItemKind[] = ['automation', 'task'];

/**
 * Returns no step if it has ended, or if apply has replaced it.
 * @param plannedSteps steps planned so far. For a message, they include the steps of all tasks and rules.
 */
function planUnnamed(
  own: RecordOwnedByCampaign,
  situation: PlanningSituation,
  plannedSteps: readonly Step[],
): readonly Step[] {
  const { options, observed } = situation;
  const { prune, zone } = options;
  if (isOver(own)) return [];
  const step = { kind: own.kind, id: formatIdWithRuleKind(own), name: own.name } as const;
  const gone = `the file no longer contains this ${own.kind}`;
  const people = own.kind === 'task' ? describeRecipientsOfOrphan(own, zone) : '';
  const acts =
    own.kind === 'automation' && own.record.paused !== true ? ', which is active and still acts' : '';
  if (!prune) return [{ ...step, action: 'orphaned', reason: `${gone}${acts}${people}` }];
  if (own.kind === 'task' && own.record.scheduledtime <= observed.now)
    return [blockedStep(step, 'state', 'the task is being sent')];
  const lists = own.kind === 'folder' ? (own.record.list_count ?? 0) : 0;
  if (lists > 0) {
    const reason = `svc does not delete a folder that contains ${lists === 1 ? 'a list' : `${lists} lists`}; to delete it with all lists, run svc folder delete ${formatIdWithRuleKind(own)}`;
    return [blockedStep(step, 'state', reason)];
  }
  const user =
    own.kind === 'message'
      ? (findRemainingUser(observed, own, plannedSteps) ?? findItemThatNames(situation, own, plannedSteps))
      : undefined;
  if (user !== undefined) return [blockedStep(step, 'state', `${user} still uses the message`)];
  const removes = own.kind === 'task' ? 'cancels' : 'deletes';
  const byHand = own.isAsWritten ? '' : ', although someone changed it by hand';
  const queued = own.kind === 'automation' ? ' with the actions that it has queued' : '';
  const reason = `${gone}, so svc ${removes} it${queued}${byHand}${people}`;
  return [{ ...step, action: 'cancel', reason }];
}

/** A person may have resumed a rule after svc replaced it. */
const isOver = (own: RecordOwnedByCampaign): boolean =>
  own.kind === 'automation'
    ? !mustPauseReplacedRule(own)
    : own.isSetAside || (own.kind === 'task' && !isActiveTask(own.record));

export const leavesAllRecordsUnchanged = (steps: readonly Step[]): boolean =>
  steps.every(({ action }) => action === 'keep' || action === 'orphaned');

/**
 * Names the first task or rule, such as `task 7`, that still uses the message after all steps. svc must not delete such a message: the
 * service would hide it but still send it (interface, "States").
 */
function findRemainingUser(
  observed: ObservedCompanyRecords,
  { record: { id }, channel }: RecordOwnedByCampaign<'message'>,
  steps: readonly Step[],
): string | undefined {
  const task = observed.tasks.find(
    (each) =>
      isActiveTask(each) &&
      each.channel === channel &&
      each.message_id === id &&
      !stopsUsingMessage(steps, 'task', String(each.id)),
  );
  if (task) return `task ${task.id}`;
  for (const rule of RULE_KINDS) {
    const isUser = (row: RuleRecord): boolean =>
      Object.entries(messageAttributesOfRule(rule, row)).some(
        ([attribute, of]) => of === channel && String(row[attribute]) === String(id),
      );
    const found = observed.rules[rule].find(
      (row) => isUser(row) && !isRetired(row) && !stopsUsingMessage(steps, 'automation', `${rule}:${row.id}`),
    );
    if (found) return `rule ${rule}:${found.id}`;
  }
  return undefined;
}

/** Names the first item, such as `task news of the file`, that refers to the message by id or name, and of which no record uses it yet. */
function findItemThatNames(
  situation: PlanningSituation,
  { record: { id }, channel }: RecordOwnedByCampaign<'message'>,
  steps: readonly Step[],
): string | undefined {
  const isThis = (reference: MessageReference | undefined, of: Channel | undefined): boolean => {
    const found = reference && resolveMessage(situation, reference, of);
    return found !== undefined && 'id' in found && found.channel === channel && found.id === String(id);
  };
  const item = situation.named.find((each) => {
    if (each.kind === 'automation')
      return Object.entries(messageAttributesOfRule(each.rule, each.values)).some(([attribute, of]) =>
        isThis(each.references[attribute], of),
      );
    return (
      each.kind === 'task' &&
      isThis(each.message, each.channel ?? undefined) &&
      !isOverAsTask(situation, each, steps)
    );
  });
  return item && `${item.kind} ${item.key} of the file`;
}

/** Reports whether the task was sent or cancelled, and is not created again. */
const isOverAsTask = ({ own }: PlanningSituation, { key }: WantedItem, steps: readonly Step[]): boolean =>
  own('task', key).length > 0 &&
  !own('task', key).some(({ record }) => isActiveTask(record)) &&
  !steps.some((step) => step.kind === 'task' && step.key === key && step.action === 'create');

const isRetired = ({ name, paused }: RuleRecord): boolean =>
  paused === true && parseCampaignMark(name)?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER;

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

function planMessage(situation: PlanningSituation, wanted: WantedMessage): PlannedMessage {
  const planned = planVersion(situation, wanted);
  const { step, current } = planned;
  const allowed = withRename(situation, blockStepIfTakeoverForbidden(situation, wanted, step), current);
  if (allowed === step) return planned;
  if (allowed.action !== 'blocked') return { ...planned, step: allowed };
  return { step: allowed, current: current ?? situation.own('message', wanted.key).at(-1) };
}

function blockStepIfTakeoverForbidden(situation: PlanningSituation, item: WantedItem, step: Step): Step {
  const adopted = adoptedBy(item);
  if (!adopted || step.action === 'blocked') return step;
  if (step.action === 'keep') {
    const isNamedByFlag = situation.options.adopt?.[`${item.kind} ${item.key}`] !== undefined;
    return isNamedByFlag ? withMarkAdded(situation, item, adopted, step) : step;
  }
  const own = situation.own(item.kind, item.key);
  const { kind, key, name } = item;
  const blocked = { kind, key, name };
  const called = `${recordKind(item)} ${adopted.id}`;
  if (own.length === 0) {
    const owner = findOwnerOfRecord(situation, item, adopted);
    const reason =
      owner === undefined
        ? 'not found; to create a new record, remove the id of this item from the file'
        : `belongs to ${item.kind} ${owner.key}; remove --adopt, or the id of this item from the file`;
    return blockedStep(blocked, 'reference', `${called} ${reason}`);
  }
  if (!own.some(({ record }) => belongsToOtherCampaign(record, situation.campaign))) return step;
  return blockedStep(
    { ...blocked, id: step.id ?? adopted.id },
    'reference',
    `${called} belongs to another campaign; change it in that campaign's file`,
  );
}

/** Returns the item of the file whose mark the record has. */
const findOwnerOfRecord = (
  { named, own }: PlanningSituation,
  item: WantedItem,
  { id }: Adopted,
): WantedItem | undefined =>
  named.find(
    ({ kind, key }) =>
      kind === item.kind &&
      own(kind, key).some(
        ({ record, rule, channel }) =>
          String(record.id) === id && (rule ?? channel ?? null) === channelOrRuleKindOfItem(item),
      ),
  );

function withMarkAdded(situation: PlanningSituation, item: WantedItem, { id }: Adopted, step: Step): Step {
  const own = situation.own(item.kind, item.key).find(({ record }) => String(record.id) === id);
  // A record of this campaign under a vanished key has a mark, but not that of the item.
  if (!own?.isTakenOver || belongsToOtherCampaign(own.record, situation.campaign)) return step;
  // The item has a record that is as the file wants it.
  if (step.id !== formatIdWithRuleKind(own))
    return {
      ...step,
      reason: `this item has ${recordKind(item)} ${String(step.id).replace(/^.*:/, '')}, so svc does not use ${recordKind(item)} ${id}`,
    };
  const isFixed =
    own.kind === 'task'
      ? own.record.completed || own.record.scheduledtime - situation.observed.now < MIN_SECONDS_BEFORE_SEND
      : own.kind === 'message' && Number(own.record.editable) !== 1;
  if (isFixed) {
    const reason = `the name of this record can no longer be changed, so svc cannot add a mark such as [svc-…] to it; to use the record, write id: ${id} at this item in the file`;
    return { ...step, reason: step.reason === undefined ? reason : `${step.reason}; ${reason}` };
  }
  return {
    ...step,
    action: 'change',
    changes: [],
    reason: `svc uses ${recordKind(item)} ${id} for this item, and adds a mark such as [svc-…] to the name of the record, by which later runs find the record`,
  };
}

const recordKind = (item: WantedItem): string => recordKindInWords(item.kind, channelOrRuleKindOfItem(item));
