/** Defines a lint rule, and the tables that declare lint rules. `svc help lint` and SARIF output are generated from these tables. */

import { capitalizeFirstLetter } from '../text/words.ts';
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

/** Returns a phrase of a rule table as a sentence: `an empty subject` -> `An empty subject.` */
export const asSentence = (text: string): string => `${capitalizeFirstLetter(text)}.`;
