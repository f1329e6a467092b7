/** What an event comes to for the rules it sets off, so that whoever made it happen can be told. */
import type { RuleKind } from '../../../resources/automation.ts';
import type { TimedRow } from '../../store/automations.ts';

/** One action of one rule: queued, done at once, or neither. */
export interface RuleOutcome {
  readonly kind: RuleKind;
  readonly ruleId: number;
  readonly name: string;
  /** The rule's `actiontype`; of an sms rule what it does with the SMS, such as `addtolist` or `notifyurl`. */
  readonly action: string;
  readonly target: string;
  /** Unix seconds; null where nothing was queued. */
  readonly queued: number | null;
  readonly done: boolean;
  /** Why it was neither queued nor done. */
  readonly why: string | null;
}

type Fate = Partial<Pick<RuleOutcome, 'queued' | 'done' | 'why'>>;

/** Of a click, open, subscription or date rule. */
export const timedOutcome = (kind: RuleKind, rule: TimedRow, fate: Fate): RuleOutcome => ({
  ...NOTHING,
  kind,
  ruleId: rule.id,
  name: rule.name,
  action: rule.actiontype,
  target: rule.actiontarget,
  ...fate,
});

/** Of one of the things that an sms rule does. */
export const smsOutcome = (
  rule: { readonly id: number; readonly name: string },
  action: string,
  target: string | number,
  fate: Fate,
): RuleOutcome => ({
  ...NOTHING,
  kind: 'sms',
  ruleId: rule.id,
  name: rule.name,
  action,
  target: String(target),
  ...fate,
});

/** Done, unless something stood in its way. */
export const doneUnless = (obstacle: string | undefined): Fate =>
  obstacle === undefined ? { done: true } : { why: obstacle };

const NOTHING = { queued: null, done: false, why: null } as const;
