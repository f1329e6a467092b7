import { asSentence, type LintFinding, type LintRule, type Severity } from './finding.ts';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

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

/** A relative path gives a relative URI. */
function uriOf(file: string): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  if (path.startsWith('/')) return `file://${path}`;
  return /^[a-z]%3A\//i.test(path) ? `file:///${path.replace('%3A', ':')}` : path;
}

interface JunitOptions {
  /** Name of the suite: `svc email lint`. */
  readonly suite: string;
  readonly strict: boolean;
}

/**
 * An error is a failure. A warning is a failure only with `strict`. Other findings pass, and their text is the output of the case. Without
 * findings, the report has one passing case, because some servers reject an empty report.
 */
export function junitReport(findings: readonly LintFinding[], { suite, strict }: JunitOptions): string {
  const cases = findings.map((finding) => caseOf(finding, suite, isFailure(finding, strict)));
  if (cases.length === 0)
    cases.push(`<testcase${attributesForXml({ classname: suite, name: 'no findings' })}/>`);
  const failures = findings.filter((finding) => isFailure(finding, strict)).length;
  const counts = attributesForXml({ name: suite, tests: cases.length, failures, errors: 0, skipped: 0 });
  const totals = attributesForXml({ name: suite, tests: cases.length, failures, errors: 0 });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    `  <testsuite${counts}>`,
    ...cases.map((each) => `    ${each}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const isFailure = ({ severity }: LintFinding, strict: boolean): boolean =>
  severity === 'error' || (strict && severity === 'warning');

function caseOf(finding: LintFinding, suite: string, fails: boolean): string {
  const { rule, severity, message, file, line, column, instead } = finding;
  const place = [file, line, column].filter((each) => each !== null).join(':');
  const text = [place === '' ? message : `${place}: ${message}`, instead].filter(Boolean).join('\n');
  const name = place === '' ? rule : `${rule} ${place}`;
  const inside = fails
    ? `<failure${attributesForXml({ message, type: severity })}>${escapeForXml(text)}</failure>`
    : `<system-out>${escapeForXml(`${severity}: ${text}`)}</system-out>`;
  return `<testcase${attributesForXml({ classname: suite, name, file, line })}>${inside}</testcase>`;
}

export const attributesForXml = (values: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        ` ${name}="${escapeForXml(String(value)).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`,
    )
    .join('');

/** Replaces characters that XML 1.0 forbids, such as control characters and halves of surrogate pairs, with U+FFFD. */
export const escapeForXml = (text: string): string =>
  text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

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
