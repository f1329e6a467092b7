/** Writes a report as Markdown, for a comment in a pull request or the summary of a job. */
import { escapeMarkdown, markdownCodeBlock } from '../text/markdown.ts';
import { linesOfCell, type Report, type ReportBlock, type ReportTable } from './report.ts';
import { formatTextBlock } from './text-page.ts';

/**
 * Without facts, because a comment has a time and an author of its own. A page with a verdict is short, so that only its lists have
 * headings. Text that other people wrote is in code blocks, so that none of it is Markdown.
 */
export function formatMarkdownPage({ title, verdict, sections }: Report): string {
  const { strong = '', text = '' } = verdict ?? {};
  const first = `${strong === '' ? '' : `**${escapeMarkdown(strong)}**`}${escapeMarkdown(text)}`;
  const parts = sections.flatMap(({ title: heading, blocks }) => {
    const written = blocks.map(linesOfBlock).filter((lines) => lines.length > 0);
    const isNamed = blocks.some(({ kind }) => kind === 'points' || kind === 'findings');
    if (written.length === 0 || (verdict !== undefined && !isNamed)) return written;
    const named = escapeMarkdown(heading);
    return [[verdict === undefined ? `#### ${named}` : `**${named}**`], ...written];
  });
  return [[`### ${escapeMarkdown(title)}`], ...(first === '' ? [] : [[first]]), ...parts]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function linesOfBlock(block: ReportBlock): readonly string[] {
  switch (block.kind) {
    case 'paragraph':
      return [escapeMarkdown(block.text)];
    case 'points':
      return block.texts.map((text) => `- ${escapeMarkdown(text)}`);
    case 'findings':
      return block.findings.map(({ severity, text }) => `- ${escapeMarkdown(`${severity}: ${text}`)}`);
    case 'diff':
      return [
        `**${escapeMarkdown(block.of)}**, ${escapeMarkdown(block.part)}:`,
        '',
        ...markdownCodeBlock(block.unified, 'diff'),
      ];
    case 'table':
      return linesOfTable(block);
    case 'message':
      return [];
    default:
      return markdownCodeBlock(formatTextBlock(block, Number.POSITIVE_INFINITY).join('\n'), 'text');
  }
}

const linesOfTable = ({ columns, rows }: ReportTable): readonly string[] => [
  `|${columns.map(({ title }) => (title === '' ? ' ' : ` ${escapeMarkdown(title)} `)).join('|')}|`,
  `|${columns.map(() => ' --- ').join('|')}|`,
  ...rows.map(
    (row) => `|${row.map((cell) => ` ${linesOfCell(cell).map(escapeMarkdown).join('<br>')} `).join('|')}|`,
  ),
];
