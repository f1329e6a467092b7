/** Defines a lint rule as the tables declare it. `svc help lint` and SARIF output are generated from the tables. */

import { capital } from '../text/words.ts';
import type { Severity } from './finding.ts';

export interface LintRule {
  /** Name of the rule in kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** Phrase that names the fault that the rule finds, without a full stop. */
  readonly finds: string;
  /** Advice on what to write instead, without a full stop. */
  readonly instead: string;
}

/** Rules by name, in the order in which help lists them. */
export type RuleTable<N extends string = string> = Readonly<Record<N, Omit<LintRule, 'rule'>>>;

export const rulesOfTable = (table: RuleTable): readonly LintRule[] =>
  Object.entries(table).map(([rule, more]) => ({ rule, ...more }));

/** Returns the phrase of a table as a sentence. */
export const asSentence = (text: string): string => `${capital(text)}.`;
