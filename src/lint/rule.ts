/** What a table of rules says of one: `svc help lint` and SARIF are made of it. */
import type { Severity } from './finding.ts';

export interface LintRule {
  /** In kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** What it finds, for a table: no full stop. */
  readonly finds: string;
  /** What to do about it: no full stop. */
  readonly instead: string;
}

/** By their names, in the order in which help lists them. */
export type RuleTable<N extends string = string> = Readonly<Record<N, Omit<LintRule, 'rule'>>>;

export const rulesIn = (table: RuleTable): readonly LintRule[] =>
  Object.entries(table).map(([rule, more]) => ({ rule, ...more }));

/** What a table says in a few words, as a sentence. */
export const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
