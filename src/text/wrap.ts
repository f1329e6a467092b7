/** Wraps long lines. The caller escapes control characters first (`terminal.ts`). */
import { displayWidth } from './display-width.ts';

/** Returns lines of at most `width` columns, broken at blanks. A longer word stays whole, as an address should. */
export function wrapped(text: string, width: number): readonly string[] {
  if (text.length <= width && displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const piece of text.split(/(?<= )(?=[^ ])/)) {
    const taken = displayWidth(piece.trimEnd());
    if (used > 0 && used + taken > width) {
      lines.push(line.trimEnd());
      line = '';
      used = 0;
    }
    line += piece;
    used += displayWidth(piece);
  }
  return [...lines, line.trimEnd()];
}
