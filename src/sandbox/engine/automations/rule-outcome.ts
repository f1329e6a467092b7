/** Defines the outcome that an event has for each rule that it triggers. The caller that caused the event gets it. */
import type { RuleKind } from '../../../resources/rule-kinds.ts';
import type { TimedRow } from '../../store/automations.ts';

/** The outcome of one action of one rule: queued, done at once, or neither. */
export interface RuleOutcome {
  readonly kind: RuleKind;
  readonly ruleId: number;
  readonly name: string;
  /** The rule's `actiontype`. An sms rule has several actions, such as `addtolist` or `notifyurl`. */
  readonly action: string;
  readonly target: string;
  /** Unix seconds of the due time; null if the action was not queued. */
  readonly queued: number | null;
  readonly done: boolean;
  /** The reason why the action was neither queued nor done. */
  readonly why: string | null;
}

type Fate = Partial<Pick<RuleOutcome, 'queued' | 'done' | 'why'>>;

/** Returns the outcome of a click, open, subscription or date rule. */
export const timedOutcome = (
  kind: RuleKind,
  { id, name, actiontype, actiontarget }: TimedRow,
  { queued = null, done = false, why = null }: Fate,
): RuleOutcome => ({
  kind,
  ruleId: id,
  name,
  action: actiontype,
  target: actiontarget,
  queued,
  done,
  why,
});

/** Returns the outcome of one action of an sms rule. */
export const smsOutcome = (
  { id, name }: { readonly id: number; readonly name: string },
  action: string,
  target: string | number,
  { queued = null, done = false, why = null }: Fate,
): RuleOutcome => ({
  kind: 'sms',
  ruleId: id,
  name,
  action,
  target: String(target),
  queued,
  done,
  why,
});

/** Returns that the action was done. With an obstacle, returns the obstacle as the reason why it was not done. */
export const doneUnless = (obstacle: string | undefined): Fate =>
  obstacle === undefined ? { done: true } : { why: obstacle };
