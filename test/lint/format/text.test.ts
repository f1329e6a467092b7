import { expect, it } from 'vitest';
import { formatFindingCounts, formatFindingsAsText } from '../../../src/service/lint/finding.ts';
import { FINDINGS } from './findings.ts';

it('prints a line that editors can follow, the replacement, and no control sequences', () => {
  expect(formatFindingsAsText(FINDINGS, (severity, text) => `<${severity}>${text}`)).toBe(
    [
      'mails/spring sale, 100%.html:12:5: <warning>warning: The image has no alt. [image-without-alt]',
      '    Write alt="".',
      '<error>error: Ends in 100%\\xd\\xa::error::no, "<b>" & ]]> \\x7\\u{d800},: [sender]',
      'a.txt: <warning>warning: None. [no-unsubscribe]',
      '1:1: <info>info: None. [no-title]',
      '',
    ]
      .join('\n')
      .replaceAll('\\xd\\xa', '\\x0d\\x0a')
      .replaceAll('\\x7', '\\x07'),
  );
});

it('counts each severity', () => {
  expect(formatFindingCounts(FINDINGS)).toBe('1 error, 2 warnings, 1 info');
  expect(formatFindingCounts([])).toBe('no problems');
});
