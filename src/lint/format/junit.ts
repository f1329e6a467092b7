/** Formats findings as a JUnit report, which CI servers show as failed tests. */
import type { LintFinding } from '../finding.ts';

export interface JunitOptions {
  /** Name of the suite: `svc email lint`. */
  readonly suite: string;
  /** True if warnings are failures too. */
  readonly strict: boolean;
}

/**
 * Returns a report with a test case for each finding. An error is a failure. A warning is a failure only with `strict`. Other findings
 * pass, and their text is the output of the case. Without findings, the report has one passing case, because some servers reject an empty
 * report.
 */
export function junitReport(findings: readonly LintFinding[], { suite, strict }: JunitOptions): string {
  const cases = findings.map((finding) => caseOf(finding, suite, isFailure(finding, strict)));
  if (cases.length === 0) cases.push(`<testcase${attributes({ classname: suite, name: 'no findings' })}/>`);
  const failures = findings.filter((finding) => isFailure(finding, strict)).length;
  const counts = attributes({ name: suite, tests: cases.length, failures, errors: 0, skipped: 0 });
  const totals = attributes({ name: suite, tests: cases.length, failures, errors: 0 });
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
    ? `<failure${attributes({ message, type: severity })}>${escaped(text)}</failure>`
    : `<system-out>${escaped(`${severity}: ${text}`)}</system-out>`;
  return `<testcase${attributes({ classname: suite, name, file, line })}>${inside}</testcase>`;
}

const attributes = (values: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(String(value)).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`,
    )
    .join('');

/**
 * Escapes a text for XML. Replaces characters that XML 1.0 forbids, such as control characters and halves of surrogate pairs, with U+FFFD.
 */
const escaped = (text: string): string =>
  text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
