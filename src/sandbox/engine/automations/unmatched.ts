/** Lists the rules that an event did not trigger, with the reasons. A rehearsal of an event shows them. */
import { type RuleKind, waitsForWords, watchedBy } from '../../../resources/rule-kinds.ts';
import { smsRulesOf, type Trigger, timedRulesOf, type WaitingRule } from '../../store/automations.ts';
import type { Db } from '../../store/open.ts';

export interface UnmatchedRule {
  readonly kind: RuleKind;
  readonly ruleId: number;
  readonly name: string;
  readonly why: string;
}

/** Returns the company's other rules of the trigger's kind. A date belongs to one rule, so only that rule is considered. */
export async function unmatchedRules(
  db: Db,
  accountId: number,
  trigger: Trigger,
  matched: ReadonlySet<number>,
): Promise<readonly UnmatchedRule[]> {
  const rules = await timedRulesOf(db, accountId, trigger.kind);
  return rules
    .filter(({ id }) => !matched.has(id) && (trigger.kind !== 'date' || id === trigger.ruleId))
    .map((rule) => ({
      kind: trigger.kind,
      ruleId: rule.id,
      name: rule.name,
      why: reasonOf(rule, waitsForOther(rule, trigger)),
    }));
}

/** Returns the company's sms rules that did not match. @param word the sub-keyword of the SMS, as it was written */
export async function unmatchedSmsRules(
  db: Db,
  accountId: number,
  word: string,
  matched: ReadonlySet<number>,
): Promise<readonly UnmatchedRule[]> {
  const rules = await smsRulesOf(db, accountId);
  return rules
    .filter(({ id }) => !matched.has(id))
    .map((rule) => ({
      kind: 'sms',
      ruleId: rule.id,
      name: rule.name,
      why: reasonOf(rule, otherKeyword(rule.keyword, word, matched.size > 0)),
    }));
}

/** Joins the reasons: a paused rule that would not match either has both. */
const reasonOf = ({ paused }: { readonly paused: number }, other: string | undefined): string =>
  [...(paused === 1 ? ['paused'] : []), ...(other === undefined ? [] : [other])].join(', ');

/** Returns what the rule waits for instead; undefined if it waits for this trigger. */
function waitsForOther(rule: WaitingRule, trigger: Trigger): string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...rule };
  const isMatch = Object.entries(watchedBy(trigger)).some(([column, value]) => values[column] === value);
  return isMatch ? undefined : waitsForWords(trigger.kind, rule);
}

function otherKeyword(keyword: string | null, word: string, isTaken: boolean): string | undefined {
  if (keyword === null) return isTaken ? 'takes only SMS that no keyword matches' : undefined;
  return keyword.toLowerCase() === word.toLowerCase() ? undefined : `waits for the keyword ${keyword}`;
}
