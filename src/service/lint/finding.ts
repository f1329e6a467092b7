/** Defines the rules of `lint` and its findings, with their severity and their text for people (contract, "Insight"). */
import type { ContentMarkupNames } from '../../kit/schema/resource.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { capitalizeFirstLetter, formatCountWithNoun } from '../../kit/text/words.ts';

export type Severity = 'error' | 'warning' | 'info';

export interface LintFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Null if the content came from the service or from a flag. */
  readonly file: string | null;
  /** Null if the finding does not concern a place in a text. */
  readonly line: number | null;
  /** Null if `line` is null. */
  readonly column: number | null;
  readonly instead: string | null;
}

export interface LintRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly finds: string;
  readonly instead: string;
}

export const asSentence = (text: string): string => `${capitalizeFirstLetter(text)}.`;

/** Attributes that were not given are left out. */
export type MessageContent = Readonly<Record<string, unknown>>;

export interface ContentOrigin {
  readonly files: Readonly<Record<string, string>>;
  /** Links in these attributes are tracking addresses (interface, "emailMessage"). */
  readonly stored: ReadonlySet<string>;
  /**
   * Names that the deployment uses for opt-in elements, such as `svc_link`. An opt-in element shows where a message contains the link that
   * confirms an opt-in.
   */
  readonly words: ContentMarkupNames;
  readonly postalAddress?: string;
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}

/** Callers must escape terminal control characters first. */
type PaintSeverity = (severity: Severity, text: string) => string;

/** A finding without a file begins with its line and column, or with its severity. */
export function formatFindingsAsText(findings: readonly LintFinding[], paint: PaintSeverity): string {
  return findings.flatMap((finding) => linesOf(finding, paint)).join('');
}

function linesOf(finding: LintFinding, paint: PaintSeverity): readonly string[] {
  const { rule, severity, message, file, line, column, instead } = finding;
  const place = [file, line, column].filter((each) => each !== null).join(':');
  const start = place === '' ? '' : `${escapeForTerminal(place)}: `;
  return [
    `${start}${paint(severity, severity)}: ${escapeForTerminal(message)} [${rule}]\n`,
    ...(instead === null ? [] : [`    ${escapeForTerminal(instead)}\n`]),
  ];
}

export function formatFindingCounts(findings: readonly LintFinding[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [formatCountWithNoun(count, severity)];
  });
  return counts.length === 0 ? 'no problems' : counts.join(', ');
}
