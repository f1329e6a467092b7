/**
 * Wraps long lines at spaces. The caller escapes control characters first (`terminal.ts`). A file of its own, because notes load it only
 * when a line is too long, and most users of `display-width.ts` need it at once.
 */
import { fillLines } from './display-width.ts';

/**
 * Breaks a text at spaces into lines of at most `width` columns. A word that is wider than `width` stays whole, on a line of its own.
 * Indents all lines except the first by two spaces.
 */
export const wrapWithHangingIndent = (text: string, width: number): string =>
  fillLines(text.split(' '), (index) => (index === 0 ? width : width - INDENT.length)).join(`\n${INDENT}`);

const INDENT = '  ';
