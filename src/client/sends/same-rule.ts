/** Decides which automation rules are the same: both active, they would do every action twice. */
import {
  messageAttributesOfRule,
  RULE_DEFINITIONS,
  type RuleKind,
} from '../../service/resources/rule-kinds.ts';
import type { Channel } from '../../service/resources/task.ts';

interface RuleAttributes {
  readonly keyword?: unknown;
  readonly actiontimediff?: unknown;
  readonly actionhour?: unknown;
  readonly message_actiontimediff?: unknown;
  readonly message_actionhour?: unknown;
  readonly [attribute: string]: unknown;
}

/** A rule of a file or of the service, in the form in which two rules of one kind can be compared. */
export interface ComparableRule {
  /** Attributes of the rule. Each attribute that refers to a record has the identity of that record, such as `id:7` or `key:…`. */
  readonly values: RuleAttributes;
  /**
   * Returns what recipients see of the message in an attribute, as `visibleContentHash`, or undefined if svc does not know the message.
   * Returns `deleted` for a message that the service hides: it may equal any other (interface, "States").
   */
  readonly contentOf: (attribute: string, channel: Channel) => string | undefined;
}

/** Content of a message that the service no longer shows. */
export const DELETED_MESSAGE = 'deleted';

/**
 * Reports whether two rules of a kind have the same trigger, action and target. Messages are the same if their identities are, or what
 * recipients see of them. The delay does not count: compare it with `ruleDelay`.
 */
export function hasSameEffect(kind: RuleKind, a: ComparableRule, b: ComparableRule): boolean {
  if (ruleEffect(kind, a.values) === ruleEffect(kind, b.values)) return true;
  if (!differsOnlyByMessages(kind, a.values, b.values)) return false;
  const [shownInA, shownInB] = [contentsOf(kind, a), contentsOf(kind, b)];
  const deleted = [...Object.entries(shownInA), ...Object.entries(shownInB)].filter(
    ([, content]) => content === DELETED_MESSAGE,
  );
  const any = Object.fromEntries(deleted);
  return (
    ruleEffect(kind, { ...a.values, ...shownInA, ...any }) ===
    ruleEffect(kind, { ...b.values, ...shownInB, ...any })
  );
}

/** Reports whether two rules differ at most by the messages to which they refer, so that the contents of these must be compared. */
export function differsOnlyByMessages(kind: RuleKind, a: RuleAttributes, b: RuleAttributes): boolean {
  const names = Object.keys(messageAttributesOfRule(kind, a));
  const any = Object.fromEntries(names.map((attribute) => [attribute, 'any']));
  return ruleEffect(kind, { ...a, ...any }) === ruleEffect(kind, { ...b, ...any });
}

const contentsOf = (kind: RuleKind, { values, contentOf }: ComparableRule): RuleAttributes =>
  Object.fromEntries(
    Object.entries(messageAttributesOfRule(kind, values))
      .map(([attribute, channel]) => [attribute, contentOf(attribute, channel)] as const)
      .filter(([, content]) => content !== undefined),
  );

/** Returns the trigger, action and target of a rule as one text, for comparisons (contract, "Sends and campaigns, once more"). */
export function ruleEffect(kind: RuleKind, values: RuleAttributes): string {
  // Two rules can't have the same keyword, whatever else they do (wire, "unique").
  if (kind === 'sms' && values.keyword != null) return `keyword ${String(values.keyword).toUpperCase()}`;
  return JSON.stringify(RULE_DEFINITIONS[kind].definedBy.map((attribute) => textOf(values[attribute])));
}

/** Returns the delay of a rule as text. Rules with different delays are no duplicates: they may form a series. */
export function ruleDelay(values: RuleAttributes): string {
  const { keyword, actiontimediff, actionhour, message_actiontimediff, message_actionhour } = values;
  if (keyword != null) return '';
  return `${actiontimediff ?? message_actiontimediff ?? 0} ${actionhour ?? message_actionhour ?? ''}`;
}

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
