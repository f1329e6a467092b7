/** What a check of a message found, as `lint` prints it (contract, "Insight"). */

export type Severity = 'error' | 'warning' | 'info';

export interface LintFinding {
  /** In kebab-case; `svc help lint` tells what each stands for. */
  readonly rule: string;
  readonly severity: Severity;
  /** A whole sentence. */
  readonly message: string;
  /** Of the content, as it was named; null where it came from the service or from a flag. */
  readonly file: string | null;
  /** From 1; null where the finding has no place in a text. */
  readonly line: number | null;
  /** From 1, in characters. */
  readonly column: number | null;
  /** What to write instead; null where nothing serves. */
  readonly instead: string | null;
}
