/** A rule as declared in a table. `svc help lint` and SARIF are generated from it. */

import { capital } from '../text/words.ts';
import type { Severity } from './finding.ts';

export interface LintRule {
  /** Name of the rule in kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** Content that the rule finds, as a phrase for a table, without a full stop. */
  readonly finds: string;
  /** Advice, without a full stop. */
  readonly instead: string;
}

/** Rules by name, in the order in which help lists them. */
export type RuleTable<N extends string = string> = Readonly<Record<N, Omit<LintRule, 'rule'>>>;

export const rulesIn = (table: RuleTable): readonly LintRule[] =>
  Object.entries(table).map(([rule, more]) => ({ rule, ...more }));

/** Returns the phrase of a table as a sentence. */
export const asSentence = (text: string): string => `${capital(text)}.`;
