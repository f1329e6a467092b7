/** Checks that the parts of a plan agree with each other: people approve the steps, but `apply` performs the campaign. */
import { readIdText } from '../../../kit/schema/integer.ts';
import { isRelativeTime, parseTimePhrase } from '../../../kit/text/time-phrase.ts';
import type { AttributeChange, Step, Value, WantedItem, WantedTask } from '../model.ts';
import { messageReferences } from '../plan/continuation.ts';
import { PLACEHOLDER_ID_OF_PLANNED_MESSAGE } from '../plan/rules.ts';
import { itemsOfPlan } from '../plan/series.ts';
import { MAX_PLAN_VALIDITY_SECONDS, type Plan } from './plan-parts.ts';

export function findPlanContradiction(plan: Plan): string | undefined {
  return inHead(plan) ?? inList(plan) ?? inAdoptions(plan) ?? inObserved(plan) ?? inSteps(plan);
}

function inHead({ campaign, company, made, validUntil, inputs }: Plan): string | undefined {
  const { wanted, file, files } = inputs;
  if (/\p{Cc}/u.test(campaign)) return 'the campaign name contains a control character';
  if (wanted.campaign !== campaign) return 'the two campaign names differ';
  if (wanted.company !== null && String(wanted.company) !== company.id)
    return `the campaign file is for company ${wanted.company}, but the plan is for ${company.id}`;
  if (validUntil <= made) return 'the expiry time is not later than the creation time';
  if (validUntil - made > MAX_PLAN_VALIDITY_SECONDS)
    return 'the validity period exceeds the maximum of 30 days';
  if (files[0]?.file !== file.split('/').at(-1))
    return 'the plan contains two different file names of the campaign file';
  return undefined;
}

function inList({ inputs, steps }: Plan): string | undefined {
  const items = itemsOfPlan({ inputs, steps }).map(nameOf);
  const shown = stepsOfItems(steps).map(nameOf);
  const twice = items.find((each, at) => items.indexOf(each) !== at);
  if (twice !== undefined) return `${twice} occurs twice`;
  if (items.length !== shown.length || items.some((each, at) => each !== shown[at]))
    return 'the steps do not match the items of the campaign';
  for (const step of steps) {
    if (step.key === undefined && (step.id === undefined || !LEFT.includes(step.action)))
      return `the plan has an unnecessary step for ${step.kind} ${step.id ?? 'without an id'}`;
    if (step.key !== undefined && UNNAMED_ACTIONS.includes(step.action))
      return `${step.kind} ${step.key} is in the campaign file, but its step is ${step.action}, which is allowed only for records that are not in the file`;
  }
  return undefined;
}

function inAdoptions({ inputs, steps }: Plan): string | undefined {
  const taken = new Set<string>();
  for (const [name, id] of Object.entries(inputs.options.adopt ?? {})) {
    const item = itemsOfPlan({ inputs, steps }).find((each) => nameOf(each) === name);
    if (item === undefined) return `--adopt names ${name}, which is not in the campaign`;
    if (item.kind === 'folder') return `--adopt names ${name}, but a folder cannot adopt a record`;
    const [digits, prefix] = [id.replace(/^.*:/, ''), item.kind === 'automation' ? `${item.rule}:` : ''];
    if (readIdText(digits) === undefined || id !== `${prefix}${digits}`)
      return `--adopt names record ${id} for ${name}, but that is not an id of this kind`;
    const record = `${item.kind} ${item.kind === 'message' ? item.channel : ''} ${id}`;
    if (taken.has(record)) return `--adopt names record ${id} for ${name} and for another item`;
    taken.add(record);
  }
  return undefined;
}

const UNNAMED_ACTIONS: readonly string[] = ['cancel', 'orphaned'];
const LEFT: readonly string[] = [...UNNAMED_ACTIONS, 'blocked'];

/** Leaves out steps for records that belong to no item. */
const stepsOfItems = (steps: readonly Step[]): readonly Step[] =>
  steps.filter(({ key }) => key !== undefined);

/** A record whose kind is not in this table always has the state `open`. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  task: ['open', 'completed', 'cancelled'],
  message: ['open', 'locked'],
};

/** Without an entry, apply could not notice a later change. */
function inObserved({ inputs, observed, steps }: Plan): string | undefined {
  const items = Object.keys(observed.items);
  const expected = steps.map(nameOf);
  const missing = expected.find((name) => !items.includes(name));
  if (missing !== undefined) return `the state of ${missing} is missing`;
  const unexpectedName = items.find((name) => !expected.includes(name));
  if (unexpectedName !== undefined)
    return `the plan records the state of ${unexpectedName}, but has no step for that record`;
  const twice = Object.entries(observed.items).find(
    ([, found]) => new Set(found.map(({ id }) => id)).size < found.length,
  );
  if (twice !== undefined) return `the plan lists the same record twice under ${twice[0]}`;
  const odd = Object.entries(observed.items).find(([name, found]) =>
    found.some(({ state }) => !(STATES[name.split(' ')[0] ?? ''] ?? ['open']).includes(state)),
  );
  if (odd !== undefined) return `the plan gives ${odd[0]} an unknown state`;
  const references = Object.keys(observed.references);
  const possible: string[] = [];
  const named = stepsOfItems(steps);
  for (const [index, item] of itemsOfPlan({ inputs, steps }).entries())
    for (const [attribute, reference] of messageReferences(item)) {
      if ('key' in reference) continue;
      const name = `${nameOf(item)} ${attribute}`;
      possible.push(name);
      if (named[index]?.action !== 'blocked' && !references.includes(name))
        return `the plan does not contain the message that ${name} refers to`;
    }
  const unexpectedReference = references.find((name) => !possible.includes(name));
  return unexpectedReference === undefined
    ? undefined
    : `the plan records a message for ${unexpectedReference}, but in the campaign file, ${unexpectedReference} refers to no message`;
}

function inSteps(plan: Plan): string | undefined {
  const named = stepsOfItems(plan.steps);
  for (const [index, item] of itemsOfPlan(plan).entries()) {
    const step = named[index];
    const fault = step && inStep(plan, step, item);
    if (fault !== undefined) return `${nameOf(item)} ${fault}`;
  }
  return undefined;
}

function inStep(plan: Plan, step: Step, item: WantedItem): string | undefined {
  const { action, id, name, changes = [], size, credits, time } = step;
  if (name !== item.name) return 'has another name in its step than in the file';
  const found = plan.observed.items[nameOf(item)] ?? [];
  const needsRecord = HAVING_RECORD.includes(action);
  if (needsRecord && !found.some((each) => each.id === id))
    return `has a step for record ${id ?? 'without an id'}, which the plan did not observe`;
  if (action === 'create' && (id !== undefined || changes.length > 0))
    return 'is to be created, but its step has the id or the changes of an existing record';
  const misnamed = renameFault(plan, step, item);
  if (misnamed !== undefined) return misnamed;
  const wrong = changes.find((change) => !isWanted(change, item, step));
  if (wrong) return `has a step that changes ${wrong.attribute} to a value that the file does not contain`;
  if (item.kind !== 'task')
    return time === undefined && size === undefined && credits === undefined
      ? undefined
      : 'is not a task, but has a time or a size';
  const isElsewhere = changes.some(({ attribute }) => attribute === 'list_id' || attribute === 'search_id');
  if ((action === 'create' || isElsewhere) && (size ?? credits ?? null) !== null)
    return 'has a size before the service has counted it';
  return timeFault(plan, step, item, found.length > 0);
}

const HAVING_RECORD: readonly string[] = ['change', 'replace', 'rename', 'keep'];

/** People approve that a record is renamed, and from what. */
function renameFault({ inputs: { wanted } }: Plan, step: Step, item: WantedItem): string | undefined {
  const { action, renamedFrom: { key, campaign } = {}, changes = [] } = step;
  if (key !== undefined && !item.renamedFrom?.includes(key))
    return `has a step that renames key ${JSON.stringify(key)}, which the file does not name`;
  if (campaign !== undefined && !wanted.renamedFrom?.includes(campaign))
    return `has a step that renames campaign ${JSON.stringify(campaign)}, which the file does not name`;
  if (action === 'create' && step.renamedFrom !== undefined)
    return 'is to be created, but its step renames an existing record';
  if (action !== 'rename') return undefined;
  const keys = messageReferences(item).flatMap(([, reference]) =>
    'key' in reference ? [reference.key] : [],
  );
  const isRenamed =
    step.renamedFrom !== undefined ||
    wanted.items.some((each) => each.kind === 'message' && keys.includes(each.key) && each.renamedFrom);
  if (!isRenamed || changes.length > 0)
    return 'is to be renamed, but the file gives it no earlier key, or its step has changes';
  return undefined;
}

function timeFault(
  { made, inputs }: Plan,
  step: Step,
  item: WantedTask,
  isMade: boolean,
): string | undefined {
  const { action, changes, time } = step;
  const needsTime =
    action === 'create' || action === 'replace' || (action === 'change' && changes !== undefined);
  if (time === undefined) return needsTime ? 'has no time' : undefined;
  if (isMade && isRelativeTime(item.at)) return undefined;
  const read = parseTimePhrase(item.at, { now: made, zone: inputs.options.zone });
  return read.ok && read.time === time ? undefined : `has another send time in its step than "${item.at}"`;
}

function isWanted({ attribute, to }: AttributeChange, item: WantedItem, step: Step): boolean {
  if (attribute === 'name') return to === item.name;
  switch (item.kind) {
    case 'folder':
      return false;
    case 'message':
      return Object.hasOwn(item.values, attribute) && to === item.values[attribute];
    case 'task': {
      const wanted: Readonly<Record<string, Value | undefined>> = {
        ...{ at: item.at, scheduledtime: step.time, rate: item.rate },
        ...{ list_id: item.list, search_id: item.search },
      };
      return Object.hasOwn(wanted, attribute) && to === wanted[attribute];
    }
    case 'automation': {
      if (attribute === 'paused') return to === item.paused || to === false;
      if (Object.hasOwn(item.values, attribute)) return to === item.values[attribute];
      const reference = Object.hasOwn(item.references, attribute) ? item.references[attribute] : undefined;
      if (reference === undefined) return false;
      return 'id' in reference
        ? to === reference.id
        : to === PLACEHOLDER_ID_OF_PLANNED_MESSAGE || /^[0-9]+$/.test(String(to));
    }
  }
}

const nameOf = ({ kind, key, id }: Pick<Step, 'kind' | 'key' | 'id'>): string => `${kind} ${key ?? id}`;
