/**
 * The kinds of automation rule (interface, "Automation rules"). All code that depends on the kind reads this table, so the compiler reports
 * what a new kind lacks (CONTRIBUTING.md, "Add a kind of automation rule").
 */
import type { Json, RecordOf, Resource } from '../../kit/schema/resource.ts';
import { keysOf } from '../../kit/text/json-object.ts';
import { capitalizeFirstLetter, joinOr } from '../../kit/text/words.ts';
import { smsAutomation } from './sms-automation.ts';
import type { Channel } from './task.ts';
import {
  clickAutomation,
  dateAutomation,
  openAutomation,
  subscriptionAutomation,
} from './timed-automations.ts';

/** Attributes of a rule that say which event triggers the rule. */
interface Trigger {
  readonly link?: string | null;
  readonly keyword?: string | null;
}

interface Kind<R extends Resource<string>> {
  /** Declaration of the kind's resource. Its fields give the flags, the unit of the offset and the records that a rule refers to. */
  readonly resource: R;
  /** Noun for the event that triggers rules of this kind, such as `click`. */
  readonly event: string;
  /** Words before the time of an event in a forecast: `automation click:3 (Welcome), for a click at Tue 2026-12-01`. */
  readonly forecast: string;
  /** Describes the trigger in a sentence. `source` is the title of its list or message. */
  readonly trigger: (rule: Trigger, source: string) => string;
  /** Says what triggers the rule, such as `when it is opened`, if the title of its list or message is not enough. */
  readonly detail: (rule: Trigger) => string | undefined;
  /** Heading of the rules of this kind in the graph of rules. Undefined for rules that the graph shows under a list or message. */
  readonly heading?: string;
  /** Attributes of trigger, action and target. Rules with equal values do the same, perhaps after different delays. */
  readonly definedBy: readonly string[];
  /** Flags of `automation create` that work in the sandbox's demo company. */
  readonly example: string;
}

/** Attributes of a rule that hold the id of what it watches. Each kind has some of them. */
interface WatchedIds {
  readonly link_id?: number | null;
  readonly message_id?: number | null;
  readonly list_id?: number | null;
}

/** Kind of rule with an action and an offset. */
interface TimedKindOf<R extends Resource<string>, W extends Readonly<Record<string, string>>>
  extends Kind<R> {
  /** Members of an event by attribute of a rule, such as `{ link_id: 'linkId' }`. The rule matches if a pair has equal values. */
  readonly watches: W;
  /** Returns a phrase that describes the event, such as a click. The action `notify` sends this phrase by e-mail. */
  readonly happened: (event: Readonly<Record<W[keyof W], number>>) => string;
  /** Describes the event for which a rule waits. Shown to explain why another event did not trigger the rule. */
  readonly waitsFor: (rule: WatchedIds) => string;
}

const timed = <const R extends Resource<string>, const W extends Readonly<Record<string, string>>>(
  kind: TimedKindOf<R, W>,
) => kind;

const ACTION = ['actiontype', 'actiontarget'] as const;

/** The kinds with an action and an offset, the time between the event and the action. */
const TIMED = {
  click: timed({
    resource: clickAutomation,
    event: 'click',
    forecast: 'for a click at',
    trigger: ({ link }, source) =>
      link == null ? `Someone clicks any link of ${source}` : `Someone clicks link ${link} of ${source}`,
    detail: ({ link }) =>
      link == null ? 'when any of its links is clicked' : `when link ${link} is clicked`,
    definedBy: ['link_id', 'message_id', ...ACTION],
    example: '--link 1 --action add-to-list --target 2 --after 1d --weekends',
    watches: { link_id: 'linkId', message_id: 'messageId' },
    happened: ({ linkId, messageId }) => `clicked link ${linkId} of e-mail message ${messageId}`,
    waitsFor: ({ link_id, message_id }) =>
      link_id === null ? `waits for a click on a link of message ${message_id}` : `waits for link ${link_id}`,
  }),
  open: timed({
    resource: openAutomation,
    event: 'open',
    forecast: 'for an open at',
    trigger: (_, source) => `Someone opens ${source}`,
    detail: () => 'when it is opened',
    definedBy: ['message_id', ...ACTION],
    example: '--message 1 --action notify --target ada@example.com',
    watches: { message_id: 'messageId' },
    happened: ({ messageId }) => `opened e-mail message ${messageId}`,
    waitsFor: ({ message_id }) => `waits for message ${message_id}`,
  }),
  subscription: timed({
    resource: subscriptionAutomation,
    event: 'subscription',
    forecast: 'for a subscription at',
    trigger: (_, source) => `Someone joins ${source}`,
    detail: () => undefined,
    definedBy: ['list_id', ...ACTION],
    example: '--list 1 --action autoresponder --target 1 --after 2h --weekends',
    watches: { list_id: 'listId' },
    happened: ({ listId }) => `was subscribed to list ${listId}`,
    waitsFor: ({ list_id }) => `waits for list ${list_id}`,
  }),
  date: timed({
    resource: dateAutomation,
    event: 'date',
    forecast: 'for the date',
    trigger: () => 'A subscriber reaches a date, such as a birthday',
    detail: () => undefined,
    heading: "A subscriber's date",
    // The trigger of a date rule is its distance to the date.
    definedBy: ['actiontimediff', ...ACTION],
    example: '--action autoresponder --target 1 --before 1d --weekends',
    watches: { id: 'ruleId' },
    happened: () => 'reached the date',
    waitsFor: () => 'waits for a date of this rule, but the event set a date of another rule',
  }),
};

const INBOUND = {
  sms: {
    resource: smsAutomation,
    event: 'SMS',
    forecast: 'for an SMS at',
    trigger: ({ keyword }) =>
      keyword == null
        ? 'An SMS arrives that no other rule matches'
        : `An SMS arrives with the keyword ${keyword}`,
    detail: ({ keyword }) =>
      keyword == null ? 'any keyword that no other rule matches' : `keyword ${keyword}`,
    heading: 'An incoming SMS',
    definedBy: [
      'keyword',
      'list_id',
      'email_list_id',
      'message_id',
      'notifyemail',
      'notifymsisdn',
      'notifyurl',
    ],
    example: '--list 1 --keyword JOIN --message 1',
  } satisfies Kind<typeof smsAutomation>,
};

/** Kind of rule that has an action and an offset: `click`, `open`, `date` or `subscription`. */
export type TimedKind = keyof typeof TIMED;
/** Kind of rule: a timed kind, or `sms`. */
export type RuleKind = TimedKind | keyof typeof INBOUND;

/** Table in which the resource of each kind is named after the kind: `clickAutomation` for `click`. */
type Table<K extends string> = {
  readonly [Each in K]: { readonly resource: { readonly name: `${Each}Automation` } };
};

/** The kinds of rule that have an action and an offset, with their properties. */
export const TIMED_RULE_DEFINITIONS = TIMED satisfies Table<TimedKind>;
export const RULE_DEFINITIONS = { ...TIMED, ...INBOUND } satisfies Table<RuleKind>;

export type RuleResource = (typeof RULE_DEFINITIONS)[RuleKind]['resource'];
/** A rule of kind `K`. Without `K`, a rule of any kind, with the attributes that all kinds have. */
export type RuleRecord<K extends RuleKind = RuleKind> = RecordOf<(typeof RULE_DEFINITIONS)[K]['resource']>;
/** A rule whose kind is only known at run time. Each kind has some of these attributes. */
export type AnyRule = { readonly [A in { [K in RuleKind]: keyof RuleRecord<K> }[RuleKind]]?: Json };

export const TIMED_RULE_KINDS = keysOf(TIMED_RULE_DEFINITIONS);
/** All kinds of rule, in the order in which they are shown. */
export const RULE_KINDS = keysOf(RULE_DEFINITIONS);

/** Descriptions of the nouns on the command line that several resources share, such as `automation`. */
export const multiResourceNounDescriptions: Readonly<Record<string, string>> = {
  automation: `A rule that acts on a ${joinOr(Object.values(RULE_DEFINITIONS).map(({ event }) => event))}`,
};

/** The resources behind the noun `automation`: one for each kind of rule. */
export const automations: readonly RuleResource[] = Object.values(RULE_DEFINITIONS).map(
  ({ resource }) => resource,
);

/** Ids of an event that triggers rules of kind `K`, as its `watches` lists them: `linkId` and `messageId` of a click. */
export type TriggerEventIds<K extends TimedKind> = {
  readonly [P in (typeof TIMED)[K]['watches'][keyof (typeof TIMED)[K]['watches']] & string]: number;
};

/** Returns the attribute values of which a rule needs at least one to match: `{ link_id: 3, message_id: 12 }`. */
export function findRuleAttributesMatchingEvent<K extends TimedKind>(
  event: { readonly kind: K } & TriggerEventIds<NoInfer<K>>,
): Readonly<Record<string, number>> {
  const values: Readonly<Record<string, unknown>> = event;
  const { watches } = TIMED_RULE_DEFINITIONS[event.kind];
  return Object.fromEntries(
    Object.entries(watches).map(([attribute, property]) => [attribute, Number(values[property])]),
  );
}

/** Returns a phrase that describes the event, such as a click. The action `notify` sends this phrase by e-mail. */
export function describeTriggerEvent<K extends TimedKind>(
  event: { readonly kind: K } & TriggerEventIds<NoInfer<K>>,
): string {
  const kinds: {
    readonly [Each in TimedKind]: { readonly happened: (event: TriggerEventIds<Each>) => string };
  } = TIMED;
  return kinds[event.kind].happened(event);
}

/** Returns for which event the rule waits, which explains why another event did not trigger it. */
export const describeAwaitedEvent = (kind: TimedKind, rule: WatchedIds): string =>
  TIMED_RULE_DEFINITIONS[kind].waitsFor(rule);

/** Maps the resource of each timed kind to the result of `rowOf`: `clickAutomation` for `click`. */
export const mapTimedRuleKinds = <T>(rowOf: (kind: TimedKind) => T) => ({
  clickAutomation: rowOf('click'),
  openAutomation: rowOf('open'),
  subscriptionAutomation: rowOf('subscription'),
  dateAutomation: rowOf('date'),
});

/** Returns the resource of a kind of rule: `clickAutomation` for `click`. */
export const ruleResource = (kind: RuleKind): Resource<string, `${RuleKind}Automation`> =>
  RULE_DEFINITIONS[kind].resource;

export function messageAttributesOfRule(
  rule: RuleKind,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Channel>> {
  const { actiontype } = values;
  return {
    ...messageAttributesOfKind(rule),
    ...(actiontype === 'email_autoresponder' ? { actiontarget: 'email' as const } : {}),
    ...(actiontype === 'sms_autoresponder' ? { actiontarget: 'sms' as const } : {}),
  };
}

/** Returns the attributes with ids of messages and their channels, whatever the action is: `{ message_id: 'email' }`. */
function messageAttributesOfKind(rule: RuleKind): Readonly<Record<string, Channel>> {
  const { fields } = ruleResource(rule);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([attribute, { refersTo }]) => {
      const channel = refersTo === 'emailMessage' ? 'email' : refersTo === 'smsMessage' ? 'sms' : undefined;
      return channel === undefined ? [] : [[attribute, channel]];
    }),
  );
}

/** Returns a kind as the first word of a label: `Click`, `SMS`. */
export const ruleKindLabel = (kind: RuleKind): string => capitalizeFirstLetter(RULE_DEFINITIONS[kind].event);

/** Identifies a rule. The kind is necessary, because rules of different kinds can have the same id. */
interface RuleReference {
  readonly kind: RuleKind;
  readonly id: number;
}

/** Reads a reference to a rule: `click:12` is the click rule with id 12. Returns undefined for any other text. */
export function readRuleReference(text: string): RuleReference | undefined {
  const [, word, digits = ''] = /^([a-z]+):0*([1-9][0-9]{0,14})$/.exec(text) ?? [];
  const kind = RULE_KINDS.find((each) => each === word);
  return kind && { kind, id: Number(digits) };
}
