/**
 * Whether a plan still stands: what was observed is unchanged where it matters, or was changed by an earlier apply of the very
 * same plan, on this machine or another.
 */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import {
  foundMessageContents,
  wantedMessageContent,
  wantedRuleContent,
  wantedTaskContent,
} from '../content.ts';
import { CampaignError } from '../errors.ts';
import { GAVE_WAY, SET_ASIDE } from '../marks.ts';
import type { Reference, Step, WantedItem } from '../model.ts';
import { idOf } from './messages.ts';
import type { Planned } from './plan.ts';
import { messageAttributes } from './rule-references.ts';
import { halfMade, resolveReferences } from './rules.ts';
import { identityOfResolved, type Own, resolveMessage, type Situation } from './situation.ts';
import { wordsOf } from './task-time.ts';

/** What a plan keeps of what it saw: plain JSON. */
export interface ObservedState {
  /** The campaign's own records of each item, by `kind key`; those that the file doesn't name by `kind id`. */
  readonly items: Readonly<Record<string, readonly OwnState[]>>;
  /** Messages that others made and the file refers to, by `kind key attribute`. */
  readonly references: Readonly<Record<string, { readonly id: string; readonly content: string }>>;
}

export interface OwnState {
  readonly id: string;
  readonly written: string | null;
  readonly found: string | null;
  readonly state: string;
}

export function observedState({ situation, steps }: Planned): ObservedState {
  const named = situation.campaign.items.map(({ kind, key }): [string, readonly OwnState[]] => [
    `${kind} ${key}`,
    situation.own(kind, key).map(stateOf),
  ]);
  const taken = steps.filter(({ key }) => key === undefined).map(({ id }) => id);
  const unnamed = situation.unnamed
    .filter((own) => taken.includes(idOf(own)))
    .map((own): [string, readonly OwnState[]] => [`${own.kind} ${idOf(own)}`, [stateOf(own)]]);
  return { items: Object.fromEntries([...named, ...unnamed]), references: referencesIn(situation) };
}

function stateOf(own: Own): OwnState {
  const { record, mark, found, name } = own;
  return { id: idOf(own), written: mark.content ?? null, found: found ?? name, state: wordFor(record) };
}

/** Of a task and of a message; a rule's is in its content. */
function wordFor(record: JsonObject): string {
  if (record['completed'] === true) return 'completed';
  if (record['cancelled'] === true) return 'cancelled';
  return Number(record['editable'] ?? 1) === 1 ? 'open' : 'locked';
}

function referencesIn(situation: Situation): ObservedState['references'] {
  const found: Record<string, { id: string; content: string }> = {};
  for (const item of situation.campaign.items)
    for (const [attribute, reference, channel] of messageReferences(item)) {
      const resolved = resolveMessage(situation, reference, channel);
      if (!('id' in resolved) || resolved.channel === undefined) continue;
      const rows = situation.observed.messages[resolved.channel];
      const record = rows.find(({ id }) => String(id) === resolved.id);
      if (!record) continue;
      const [content = ''] = foundMessageContents(resolved.channel, String(record['name']), record, []);
      found[`${item.kind} ${item.key} ${attribute}`] = { id: resolved.id, content };
    }
  return found;
}

function messageReferences(item: WantedItem): readonly [string, Reference, 'email' | 'sms' | undefined][] {
  if (item.kind === 'task') return [['message', item.message, item.channel ?? undefined]];
  if (item.kind !== 'automation') return [];
  const channels = messageAttributes(item.rule, item.values);
  return Object.entries(item.references).flatMap(([attribute, reference]) =>
    channels[attribute] === undefined ? [] : [[attribute, reference, channels[attribute]] as const],
  );
}

/** Why a plan can't be applied any more, in whole sentences; none where it still stands. */
export function changesSince(
  before: { readonly observed: ObservedState; readonly steps: readonly Step[] },
  now: Planned,
): readonly string[] {
  const observed = observedState(now);
  const steps = new Map(before.steps.map((step) => [nameOf(step), step]));
  const contents = contentsIn(now);
  const items = Object.entries(before.observed.items).flatMap(([name, then]) => {
    const step = steps.get(name);
    if (step?.action === 'blocked') return [];
    return itemChanges(name, step, then, observed.items[name] ?? [], contents.get(name) ?? []);
  });
  const references = Object.entries(before.observed.references).flatMap(([name, then]) => {
    const found = observed.references[name];
    if (found?.id === then.id && found.content === then.content) return [];
    return [`The message that ${name} refers to is another one, or was changed`];
  });
  return [...items, ...references];
}

const nameOf = ({ kind, key, id }: Step): string => `${kind} ${key ?? id}`;

function itemChanges(
  name: string,
  step: Step | undefined,
  then: readonly OwnState[],
  now: readonly OwnState[],
  ours: readonly (string | null)[],
): readonly string[] {
  const isSame = (a: OwnState, b: OwnState): boolean =>
    a.written === b.written && a.found === b.found && a.state === b.state;
  const changed = now.filter((each) => {
    const earlier = then.find(({ id }) => id === each.id);
    if (earlier && isSame(earlier, each)) return false;
    // What an apply of this plan has set aside, or written.
    if (each.written === SET_ASIDE || each.written === GAVE_WAY)
      return earlier === undefined || earlier.state === 'completed';
    return (
      !(each.written === each.found || each.written === null) || !ours.includes(each.written ?? each.found)
    );
  });
  const gone = then.filter(({ id }) => !now.some((each) => each.id === id));
  return [
    ...changed.map(({ id }) => `${name}: ${id} is not as it was when the plan was made`),
    ...(step?.action === 'cancel'
      ? []
      : gone.map(({ id }) => `${name}: ${id} is gone since the plan was made`)),
  ];
}

/** What an apply of the plan writes for each item, by `kind key`. */
function contentsIn(planned: Planned): ReadonlyMap<string, readonly (string | null)[]> {
  const times = new Map(planned.steps.map(({ kind, key, time }) => [`${kind} ${key}`, time]));
  return new Map(
    planned.situation.campaign.items.map((item) => {
      const name = `${item.kind} ${item.key}`;
      return [name, contentsOf(planned, item, times.get(name))];
    }),
  );
}

function contentsOf(
  { situation, messages }: Planned,
  item: WantedItem,
  time: number | undefined,
): readonly (string | null)[] {
  switch (item.kind) {
    case 'folder':
      return [item.name];
    case 'message':
      return [wantedMessageContent(item)];
    case 'task': {
      const found = resolveMessage(situation, item.message, item.channel ?? undefined);
      if ('fault' in found) return [];
      const identity = identityOfResolved(situation, found);
      return [wantedTaskContent(item, identity, time ?? Number(item.at))];
    }
    case 'automation': {
      const references = resolveReferences(situation, item, messages);
      return [
        wantedRuleContent(item, references.identities, item.paused),
        halfMade(item, references) ?? null,
      ];
    }
  }
}

/**
 * Refuses to do what the plan doesn't show: people have read its steps. What an earlier apply has begun may go on.
 * @throws CampaignError `drift`
 */
export function approvedSteps(planned: readonly Step[], now: readonly Step[]): void {
  for (const step of now) {
    if (!DOING.includes(step.action)) continue;
    const shown = planned.find((each) => nameOf(each) === nameOf(step));
    const goesOn = shown !== undefined && (CONTINUES[shown.action] ?? []).includes(step.action);
    const isTimely = step.kind !== 'task' || step.action === 'cancel' || shown?.time === step.time;
    if (goesOn && isTimely) continue;
    throw new CampaignError(
      'drift',
      `${nameOf(step)}: the plan says ${shown?.action ?? 'nothing'}, and by now it would be ${step.action}; nothing was sent`,
      {
        hint: 'svc plan shows how things are now.',
      },
    );
  }
}

const DOING: readonly string[] = ['create', 'change', 'replace', 'cancel'];

/** What may be left of a step that was cut off. */
const CONTINUES: Readonly<Partial<Record<Step['action'], readonly Step['action'][]>>> = {
  create: ['create', 'change'],
  change: ['change'],
  replace: ['replace', 'create', 'change'],
  cancel: ['cancel'],
};

/** The file's items with the times that the plan has: its words may count from now. */
export function withPlannedTimes(
  items: readonly WantedItem[],
  steps: readonly Step[],
): readonly WantedItem[] {
  const times = new Map(steps.flatMap(({ kind, key, time }) => (kind === 'task' ? [[key, time]] : [])));
  return items.map((item) => {
    if (item.kind !== 'task') return item;
    const time = times.get(item.key);
    if (time === undefined) return item;
    const words = wordsOf(item);
    return { ...item, at: String(time), ...(words === undefined ? {} : { words }) };
  });
}

/** For a plan's `observed`, which is plain JSON. */
export const toJson = (state: ObservedState): Json => state as unknown as Json;
