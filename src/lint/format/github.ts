/** Formats findings as commands of GitHub Actions, which shows them next to the lines of a pull request. */
import type { LintFinding, Severity } from '../finding.ts';

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** Returns a line for each finding, and an empty text without findings. */
export function formatFindingsForGithub(findings: readonly LintFinding[]): string {
  return findings.map((finding) => `${commandOf(finding)}\n`).join('');
}

function commandOf({ rule, severity, message, file, line, column, instead }: LintFinding): string {
  const properties = Object.entries({
    file,
    line: file === null ? null : line,
    col: file === null ? null : column,
    title: rule,
  }).filter(([, value]) => value !== null);
  const written = properties.map(([name, value]) => `${name}=${inProperty(String(value))}`).join(',');
  return `::${COMMANDS[severity]} ${written}::${inMessage([message, instead].filter(Boolean).join(' '))}`;
}

/** Escapes a message as @actions/core does. A line end would begin another command. */
const inMessage = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const inProperty = (text: string): string => inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
