/** Findings with every text that is hard to represent in another format. */
import type { LintFinding } from '../../../src/service/lint/finding.ts';

export const HOSTILE = 'Ends in 100%\r\n::error::no, "<b>" & ]]> \u0007\ud800,:';

export const FINDINGS: readonly LintFinding[] = [
  {
    rule: 'image-without-alt',
    severity: 'warning',
    message: 'The image has no alt.',
    file: 'mails/spring sale, 100%.html',
    line: 12,
    column: 5,
    instead: 'Write alt="".',
  },
  {
    rule: 'sender',
    severity: 'error',
    message: HOSTILE,
    file: null,
    line: null,
    column: null,
    instead: null,
  },
  {
    rule: 'no-unsubscribe',
    severity: 'warning',
    message: 'None.',
    file: 'a.txt',
    line: null,
    column: null,
    instead: null,
  },
  { rule: 'no-title', severity: 'info', message: 'None.', file: null, line: 1, column: 1, instead: null },
];
