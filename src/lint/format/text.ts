/** Formats findings as lines for people, and for editors that jump to `file:line:column`. */
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatCountWithNoun } from '../../text/words.ts';
import type { LintFinding, Severity } from '../finding.ts';

/** Returns the text in the colour of the severity. The caller must first escape terminal control characters in the text. */
type PaintSeverity = (severity: Severity, text: string) => string;

/**
 * Returns `sale.html:12:5: warning: The image … has no alt. [image-without-alt]`, with the advice on the next line. A finding without a
 * file begins with its line and column, or with its severity. Terminal control characters are escaped.
 */
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

/** Returns `2 errors, 1 warning, 3 infos`, or `no problems` without findings. */
export function formatFindingCounts(findings: readonly LintFinding[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [formatCountWithNoun(count, severity)];
  });
  return counts.length === 0 ? 'no problems' : counts.join(', ');
}
