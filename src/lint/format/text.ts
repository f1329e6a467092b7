/** Findings as lines for people, and for editors that jump to `file:line:column`. */
import { escapeForTerminal } from '../../text/terminal.ts';
import type { LintFinding, Severity } from '../finding.ts';

/** Puts colour around a text that is safe already. */
export type PaintSeverity = (severity: Severity, text: string) => string;

/**
 * `sale.html:12:5: warning: The image … has no alt. [image-without-alt]`, and under it what to write instead. A finding without a file begins
 * with its line and column, or with its severity. What a terminal would obey is escaped.
 */
export function textLines(findings: readonly LintFinding[], paint: PaintSeverity): string {
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

/** `2 errors, 1 warning, 3 infos`; `no problems` where there is none. */
export function countsOf(findings: readonly LintFinding[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`];
  });
  return counts.length === 0 ? 'no problems' : counts.join(', ');
}
