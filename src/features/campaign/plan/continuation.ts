import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../service/resources/campaign-mark.ts';
import { messageAttributesOfRule } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import {
  computePossibleHashesOfMessage,
  computeWantedMessageHash,
  computeWantedRuleHash,
  computeWantedTaskHash,
} from '../content.ts';
import { computeFolderNameHash } from '../marks.ts';
import type { MessageReference, Step, WantedItem } from '../model.ts';
import type { Plan } from '../plan-file/plan-parts.ts';
import { withoutAllowedDoubles } from './allowed-doubles.ts';
import { formatIdWithRuleKind } from './messages.ts';
import type { CampaignPlan } from './plan.ts';
import {
  computeHashOfNewRuleWhilePaused,
  PLACEHOLDER_ID_OF_PLANNED_MESSAGE,
  resolveRuleReferences,
} from './rules.ts';
import {
  findIdentityOfResolvedMessage,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';

export type ObservedCampaignState = Plan['observed'];

type RecordStateInPlan = ObservedCampaignState['items'][string][number];

export function collectObservedCampaignState({ situation, steps }: CampaignPlan): ObservedCampaignState {
  const named = situation.campaign.items.map(({ kind, key }): [string, readonly RecordStateInPlan[]] => [
    `${kind} ${key}`,
    situation.own(kind, key).map(stateOf),
  ]);
  const taken = steps.filter(({ key }) => key === undefined).map(nameOf);
  const unnamed = situation.unnamed
    .map((own): [string, readonly RecordStateInPlan[]] => [
      `${own.kind} ${formatIdWithRuleKind(own)}`,
      [stateOf(own)],
    ])
    .filter(([name]) => taken.includes(name));
  return { items: Object.fromEntries([...named, ...unnamed]), references: referencesIn(situation) };
}

function stateOf(own: RecordOwnedByCampaign): RecordStateInPlan {
  const { mark, currentHash, name } = own;
  return {
    id: formatIdWithRuleKind(own),
    written: mark.contentHashOrReason,
    found: currentHash ?? name,
    state: stateWord(own),
  };
}

function stateWord({ kind, record }: RecordOwnedByCampaign): RecordStateInPlan['state'] {
  if (kind === 'task') return record.completed ? 'completed' : record.cancelled ? 'cancelled' : 'open';
  return kind === 'message' && Number(record.editable ?? 1) !== 1 ? 'locked' : 'open';
}

function referencesIn(situation: PlanningSituation): ObservedCampaignState['references'] {
  const found: Record<string, { id: string; content: string }> = {};
  for (const item of situation.campaign.items)
    for (const [attribute, reference, channel] of messageReferences(item)) {
      const resolved = resolveMessage(situation, reference, channel);
      if (!('id' in resolved) || resolved.channel === undefined) continue;
      const rows = situation.observed.messages[resolved.channel];
      const record = rows.find(({ id }) => String(id) === resolved.id);
      if (!record) continue;
      const [content = ''] = computePossibleHashesOfMessage(resolved.channel, record.name, record, []);
      found[`${item.kind} ${item.key} ${attribute}`] = { id: resolved.id, content };
    }
  return found;
}

export function messageReferences(
  item: WantedItem,
): readonly [string, MessageReference, Channel | undefined][] {
  if (item.kind === 'task') return [['message', item.message, item.channel ?? undefined]];
  if (item.kind !== 'automation') return [];
  const channels = messageAttributesOfRule(item.rule, item.values);
  return Object.entries(item.references).flatMap(([attribute, reference]) =>
    channels[attribute] === undefined ? [] : [[attribute, reference, channels[attribute]] as const],
  );
}

export type ApprovedPlan = Pick<Plan, 'observed' | 'steps'>;

/**
 * Unlike `findChangesPreventingApply`, it allows no changes, because svc has not applied the plan.
 * @returns whole sentences about the differences; none if the two plans are equal
 */
export function findDifferencesFromPlan(plan: ApprovedPlan, current: CampaignPlan): readonly string[] {
  const observed = collectObservedCampaignState(current);
  const items = differingNames(plan.observed.items, observed.items);
  const references = differingNames(plan.observed.references, observed.references);
  const steps = differingNames(stepsByName(plan.steps), stepsByName(current.steps));
  return [
    ...items.map((name) => `${name} has changed since the plan was made`),
    ...references.map((name) => `The message that ${name} refers to has changed since the plan was made`),
    ...steps.map((name) => `A new plan would differ from this plan in the step for ${name}`),
  ];
}

/**
 * Every step must equal the approved one, and only an earlier run of the plan may have changed the records.
 * @returns whole sentences about the differences; none if the plan can be applied
 */
export function findChangesPreventingApply(approved: ApprovedPlan, current: CampaignPlan): readonly string[] {
  const observed = collectObservedCampaignState(current);
  const steps = stepsByName(approved.steps);
  const contents = contentsIn(current, approved.steps);
  const items = namesIn(approved.observed.items, observed.items).flatMap((name) => {
    const step = steps[name];
    if (step?.action === 'blocked') return [];
    const then = approved.observed.items[name] ?? [];
    return itemChanges(name, step, then, observed.items[name] ?? [], contents.get(name) ?? []);
  });
  const references = differingNames(approved.observed.references, observed.references).map(
    (name) => `The message that ${name} refers to was changed or replaced`,
  );
  return [...items, ...references, ...stepChanges(approved, current, observed)];
}

const namesIn = (a: object, b: object): readonly string[] => [
  ...new Set([...Object.keys(a), ...Object.keys(b)]),
];

const differingNames = <T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
): readonly string[] => namesIn(a, b).filter((name) => !isEqual(a[name], b[name]));

const nameOf = ({ kind, key, id }: Step): string => `${kind} ${key ?? id}`;

/** A plan file sorts the attributes of the campaign, so a new plan may have the changes of a step in another order. */
const stepsByName = (steps: readonly Step[]): Readonly<Record<string, Step>> =>
  Object.fromEntries(
    steps.map((step) => {
      const { changes } = step;
      const sorted = changes?.toSorted((a, b) => (a.attribute < b.attribute ? -1 : 1));
      return [nameOf(step), sorted === undefined ? step : { ...step, changes: sorted }];
    }),
  );

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof b === 'bigint') return String(a) === String(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return namesIn(a, b).every((name) => isEqual(one.get(name), other.get(name)));
}

function itemChanges(
  name: string,
  step: Step | undefined,
  then: readonly RecordStateInPlan[],
  now: readonly RecordStateInPlan[],
  ours: readonly (string | null)[],
): readonly string[] {
  const isDoing = step !== undefined && DOING.includes(step.action);
  const isOurs = ({ written, found }: RecordStateInPlan): boolean =>
    written === found && ours.includes(written);
  const stays = now.some((each) => each.state !== 'cancelled' && isOurs(each));
  const isExplained = (each: RecordStateInPlan): boolean => {
    const earlier = then.find(({ id }) => id === each.id);
    if (earlier && isNaturalSuccessor(earlier, each)) return true;
    if (!isDoing || earlier?.state === 'completed') return false;
    // If two concurrent runs each make a record, one is withdrawn, and it is ignored while the other one stays. If
    // none stays, a person withdrew the item, and an old approval must not make it again.
    if (each.written === CANCELLED_DUPLICATE_MARK_LETTER || each.written === REPLACED_RECORD_MARK_LETTER)
      return earlier !== undefined || (each.state !== 'completed' && stays);
    // Creating or replacing writes a new record, and leaves an earlier one as it is or sets it aside. A rule that a run before
    // the plan made, and never resumed, has the first of the contents once the plan has resumed it.
    const isUnfinished = earlier !== undefined && (!isOurs(earlier) || earlier.written !== ours[0]);
    return isOurs(each) && (earlier === undefined || (step.action === 'change' && isUnfinished));
  };
  const changed = now.filter((each) => !isExplained(each));
  const gone = then.filter(({ id }) => !now.some((each) => each.id === id));
  return [
    ...changed.map(({ id }) => `${name}: ${id} has changed since the plan was made`),
    ...(step?.action === 'cancel' ? [] : gone.map(({ id }) => `${name}: ${id} no longer exists`)),
  ];
}

function isNaturalSuccessor(then: RecordStateInPlan, now: RecordStateInPlan): boolean {
  if (then.written !== now.written || then.found !== now.found) return false;
  return then.state === now.state || (NOT_OVER.includes(then.state) && now.state !== 'cancelled');
}

const NOT_OVER: readonly string[] = ['open', 'locked'];

/** Returns what the plan writes, by item: first the content of the finished record. */
function contentsIn(
  planned: CampaignPlan,
  approved: readonly Step[],
): ReadonlyMap<string, readonly string[]> {
  const times = new Map([...planned.steps, ...approved].flatMap((step) => timeIn(step)));
  return new Map(
    planned.situation.campaign.items.map((item) => {
      const name = `${item.kind} ${item.key}`;
      return [name, contentsOf(planned, item, times.get(name))];
    }),
  );
}

const timeIn = (step: Step): readonly (readonly [string, number])[] =>
  step.time === undefined ? [] : [[nameOf(step), step.time]];

function contentsOf(
  { situation, messages }: CampaignPlan,
  item: WantedItem,
  time: number | undefined,
): readonly string[] {
  switch (item.kind) {
    case 'folder':
      return [computeFolderNameHash(item.name)];
    case 'message':
      return [computeWantedMessageHash(item)];
    case 'task': {
      const found = resolveMessage(situation, item.message, item.channel ?? undefined);
      if ('fault' in found || time === undefined) return [];
      return [computeWantedTaskHash(item, findIdentityOfResolvedMessage(situation, found), time)];
    }
    case 'automation': {
      const references = resolveRuleReferences(situation, item, messages);
      const half = computeHashOfNewRuleWhilePaused(item, references);
      return [
        computeWantedRuleHash(item, references.identities, item.paused),
        ...(half === undefined ? [] : [half]),
      ];
    }
  }
}

function stepChanges(
  before: ApprovedPlan,
  now: CampaignPlan,
  observed: ObservedCampaignState,
): readonly string[] {
  const approved = stepsByName(before.steps);
  const hasMoved = (name: string): boolean =>
    !isEqual(before.observed.items[name] ?? [], observed.items[name] ?? []);
  const sendsMoved = (name: string): boolean =>
    now.situation.campaign.items
      .filter((item) => `${item.kind} ${item.key}` === name)
      .flatMap(messageReferences)
      .some(([, reference]) => 'key' in reference && hasMoved(`message ${reference.key}`));
  const left = stepsByName(now.steps);
  const changed = Object.entries(left).flatMap(([name, step]) => {
    const shown = approved[name];
    if (shown && (isSameStep(shown, step) || (hasMoved(name) && isRemainderOf(shown, step)))) return [];
    if (shown && isSameStep(withoutNewIds(shown, shown), withoutNewIds(step, shown))) return [];
    // The earlier run wrote nothing but the mark, which no observed value shows.
    if (shown && isOfMarkAlone(shown) && step.action === 'keep' && isRemainderOf(shown, step)) return [];
    // A rule's content is the same with either version of its message, so only the message shows that the rule was
    // changed.
    if (shown && awaitsVersion(shown) && sendsMoved(name) && isRemainderOf(shown, step)) return [];
    return [
      shown?.action === step.action
        ? `${name}: the step in this plan differs from the step in a new plan`
        : `${name}: the step in the plan is ${shown?.action ?? 'nothing'}, but a new plan would have ${step.action}${step.action === 'blocked' && step.reason !== undefined ? `: ${step.reason}` : ''}`,
    ];
  });
  const gone = before.steps.filter((step) => left[nameOf(step)] === undefined && step.action !== 'cancel');
  return [...changed, ...gone.map((step) => `${nameOf(step)}: a new plan would not have this step`)];
}

const isSameStep = (a: Step, b: Step): boolean => isEqual(withoutAllowedDoubles(a), withoutAllowedDoubles(b));

/** @param shown the approved step */
function isRemainderOf(shown: Step, { action, name, time }: Step): boolean {
  if (name !== shown.name || (time !== undefined && shown.time !== undefined && time !== shown.time))
    return false;
  if (action === 'keep') return true;
  return action === 'blocked' || (REMAINING_ACTIONS[shown.action] ?? []).includes(action);
}

const isOfMarkAlone = ({ action, changes }: Step): boolean =>
  action === 'rename' || (action === 'change' && changes?.length === 0);

const awaitsVersion = ({ changes = [] }: Step): boolean =>
  changes.some(({ to }) => to === PLACEHOLDER_ID_OF_PLANNED_MESSAGE);

/** @param shown the approved step */
function withoutNewIds(step: Step, shown: Step): Step {
  const made = (shown.changes ?? [])
    .filter(({ to }) => to === PLACEHOLDER_ID_OF_PLANNED_MESSAGE)
    .map(({ attribute }) => attribute);
  if (made.length === 0 || step.changes === undefined) return step;
  return {
    ...step,
    changes: step.changes.map((change) =>
      made.includes(change.attribute) ? { ...change, to: PLACEHOLDER_ID_OF_PLANNED_MESSAGE } : change,
    ),
  };
}

const DOING: readonly string[] = ['create', 'change', 'replace', 'rename', 'cancel'];

/** An interrupted `replace`, for example, may have cancelled the old record without creating the new one. */
const REMAINING_ACTIONS: Readonly<Partial<Record<Step['action'], readonly Step['action'][]>>> = {
  create: ['create', 'change'],
  change: ['change'],
  replace: ['replace', 'create', 'change'],
  cancel: ['cancel'],
};
