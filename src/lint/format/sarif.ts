/** Formats findings as SARIF 2.1.0 (OASIS), which code scanning and editors read. */
import type { LintFinding, Severity } from '../finding.ts';
import { asSentence, type LintRule } from '../rule.ts';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/**
 * Returns the SARIF log as an object.
 * @param version version of svc, such as `1.2.0`
 */
export function createSarifLog(
  findings: readonly LintFinding[],
  rules: readonly LintRule[],
  version: string,
): object {
  const names = rules.map(({ rule }) => rule);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'svc',
            version,
            rules: rules.map(({ rule, severity, finds, instead }) => ({
              id: rule,
              shortDescription: { text: asSentence(finds) },
              help: { text: asSentence(instead) },
              defaultConfiguration: { level: LEVELS[severity] },
            })),
          },
        },
        columnKind: 'unicodeCodePoints',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: names.indexOf(finding.rule),
          level: LEVELS[finding.severity],
          message: { text: [finding.message, finding.instead].filter(Boolean).join(' ') },
          ...placeOf(finding),
        })),
      },
    ],
  };
}

function placeOf({ file, line, column }: LintFinding): object {
  if (file === null) return {};
  const region = line === null ? {} : { region: { startLine: line, ...(column && { startColumn: column }) } };
  return { locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }] };
}

/** Returns the URI of a file (RFC 3986). It is relative if the path is relative. */
function uriOf(file: string): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  if (path.startsWith('/')) return `file://${path}`;
  return /^[a-z]%3A\//i.test(path) ? `file:///${path.replace('%3A', ':')}` : path;
}
