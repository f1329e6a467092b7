import type { RuleKind } from '../../../resources/automation.ts';

/** On whose behalf an action is done, and when. */
export interface Cause {
  readonly accountId: number;
  readonly ruleKind: RuleKind;
  readonly ruleId: number;
  /** Unix seconds. */
  readonly now: number;
}

/** `click 3`. */
export const nameOf = ({ ruleKind, ruleId }: Cause): string => `${ruleKind} ${ruleId}`;
