/** Wraps long lines at spaces. The caller escapes control characters first (`terminal.ts`). */
import { displayWidth } from './display-width.ts';

/**
 * Breaks a text at spaces into lines of at most `width` columns. A word that is wider than `width` stays whole, on a line of its own.
 * Indents all lines except the first by two spaces.
 */
export function wrapWithHangingIndent(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    const indent = lines.length === 0 ? 0 : 2;
    if (line === '' || displayWidth(longer) + indent <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].join('\n  ');
}
