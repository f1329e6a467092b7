/**
 * Finds the sequence of a rule from the rules alone, by the names that svc gives to the rules of steps. The campaign file is not needed, so
 * the sandbox can say it too.
 */

import { isMarkedAsSetAside, removeMarks } from '../resources/campaign-mark.ts';
import { parseStepName, SEQUENCE_RULE_KIND } from '../resources/step-names.ts';
import type { AutomationRule, TimedRule } from './rules.ts';

export interface RuleSequence {
  readonly name: string;
  readonly list: string | null;
  /** Sorted by the time at which people get their messages. */
  readonly steps: readonly { readonly step: string; readonly rule: TimedRule }[];
}

/** Returns the sequence of each rule that is a step of one, by `ref`. A rule alone is no sequence. */
export function findRuleSequences(rules: readonly AutomationRule[]): ReadonlyMap<string, RuleSequence> {
  const groups = new Map<string, RuleSequence & { readonly steps: { step: string; rule: TimedRule }[] }>();
  for (const rule of rules) {
    if (!mayBeStep(rule)) continue;
    const { sequence: name, step } = parseStepName(removeMarks(rule.name)) ?? {};
    if (name === undefined || step === undefined || isMarkedAsSetAside(rule.name)) continue;
    const key = JSON.stringify([name, rule.list]);
    const group = groups.get(key) ?? { name, list: rule.list, steps: [] };
    group.steps.push({ step, rule });
    groups.set(key, group);
  }
  const found = new Map<string, RuleSequence>();
  for (const { steps, ...group } of groups.values()) {
    if (steps.length < 2) continue;
    const sequence = { ...group, steps: steps.toSorted((a, b) => compareTimes(a.rule, b.rule)) };
    for (const { rule } of steps) found.set(rule.ref, sequence);
  }
  return found;
}

/** Reports whether the rule has the form of a step. */
export const mayBeStep = (rule: AutomationRule): rule is TimedRule =>
  rule.kind === SEQUENCE_RULE_KIND &&
  rule.actiontype.endsWith('_autoresponder') &&
  parseStepName(removeMarks(rule.name)) !== undefined;

const compareTimes = (a: TimedRule, b: TimedRule): number =>
  a.actiontimediff - b.actiontimediff || (a.actionhour ?? '').localeCompare(b.actionhour ?? '');

/**
 * Returns `Step tips is number 2 of 3 in the sequence “Club welcome” of list 2. It follows step hello (subscription:7).`
 * @param sequence the one that `findRuleSequences` has for the rule
 */
export function describePlaceInSequence(
  { ref }: Pick<AutomationRule, 'ref'>,
  { name, list, steps }: RuleSequence,
): string {
  const index = steps.findIndex(({ rule }) => rule.ref === ref);
  const [own, before] = [steps[index], steps[index - 1]];
  const follows =
    before === undefined ? 'No step is before it' : `It follows step ${before.step} (${before.rule.ref})`;
  return `Step ${own?.step} is number ${index + 1} of ${steps.length} in the sequence “${name}” of list ${list}. ${follows}.`;
}
