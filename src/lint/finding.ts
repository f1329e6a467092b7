/** Defines the findings that `lint` prints, with their severity (contract, "Insight"). */

export type Severity = 'error' | 'warning' | 'info';

export interface LintFinding {
  /** Name of the rule in kebab-case. `svc help lint` explains each rule. */
  readonly rule: string;
  readonly severity: Severity;
  /** Description of the finding: a complete sentence. */
  readonly message: string;
  /** Path of the file that holds the content, as the user wrote it. Null if the content came from the service or from a flag. */
  readonly file: string | null;
  /** Line number, counted from 1. Null if the finding does not concern a place in a text. */
  readonly line: number | null;
  /** Column number in the line, in characters, counted from 1. Null if `line` is null. */
  readonly column: number | null;
  /** Suggested replacement. Null if none is known. */
  readonly instead: string | null;
}
