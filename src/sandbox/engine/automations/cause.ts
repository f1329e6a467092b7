import type { RuleKind } from '../../../resources/rule-kinds.ts';
import type { Step } from '../step.ts';

/** The rule that causes an action, its account, and the time. */
export interface Cause {
  readonly accountId: number;
  readonly ruleKind: RuleKind;
  readonly ruleId: number;
  /** Unix seconds. */
  readonly now: number;
}

/** Returns the kind and id of the rule, such as `click 3`. */
export const nameOf = ({ ruleKind, ruleId }: Cause): string => `${ruleKind} ${ruleId}`;

/** The step and time in which something happens. */
export interface EngineContext {
  readonly step: Step;
  /** Unix seconds. */
  readonly now: number;
}
