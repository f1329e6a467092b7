/** Contract, "Rehearse" and "Campaigns as files": comments in pull requests. */
import { expect, it } from 'vitest';
import { formatMarkdownPage } from '../../src/kit/report/markdown-page.ts';
import type { Report, ReportBlock } from '../../src/kit/report/report.ts';
import { formatTextPageLines } from '../../src/kit/report/text-page.ts';

const TABLE: ReportBlock = {
  kind: 'table',
  caption: 'Not in a comment',
  columns: [{ title: '' }, { title: 'Name' }, { title: 'Count', isNumber: true }],
  rows: [
    ['+', 'a | b\nc', { lines: ['1', '<b>'], bars: [1] }],
    ['-', '', '20'],
  ],
};
const REPORT: Report = {
  title: 'Sale *now*',
  verdict: { severity: 'error', strong: '1 error', text: ', 0 warnings.' },
  facts: [{ term: 'Made', text: 'today' }],
  sections: [
    { title: 'Steps', blocks: [TABLE, { kind: 'diff', of: 'spring', part: 'html', unified: '-a\n+```\n' }] },
    {
      title: 'Findings',
      blocks: [{ kind: 'findings', findings: [{ severity: 'error', text: 'no @link' }] }],
    },
    { title: 'Nothing', blocks: [{ kind: 'findings', findings: [] }] },
    { title: 'Not known', blocks: [{ kind: 'points', texts: ['a_b'] }], folded: '1 limit' },
    { title: 'Command', blocks: [{ kind: 'command', line: 'svc next' }] },
  ],
};

it('writes the verdict first, tables without a heading, and each text without a meaning in Markdown', () => {
  expect(formatMarkdownPage(REPORT)).toBe(`### Sale \\*now\\*

**1 error**, 0 warnings.

| | Name | Count |
| --- | --- | --- |
| + | a \\| b c | 1<br>\\<b\\> |
| - |  | 20 |

**spring**, html:

\`\`\`\`diff
-a
+\`\`\`
\`\`\`\`

**Findings**

- error: no \\@link

**Not known**

- a\\_b

\`\`\`text
  $ svc next
\`\`\`
`);
});

it('aligns a table on a terminal, unless it has sentences', () => {
  const lines = (block: ReportBlock) =>
    formatTextPageLines({ title: 'T', sections: [{ title: 'S', blocks: [block] }] }, 40)
      .slice(3)
      .map(({ text }) => text);
  expect(lines(TABLE)).toEqual([
    '     Name         Count',
    '  +  a | b\\x0ac  1, <b>',
    '  -                  20',
  ]);
  expect(lines({ ...TABLE, sentences: [{ term: 'One', text: 'sentence' }] })).toEqual(['  One  sentence']);
});
