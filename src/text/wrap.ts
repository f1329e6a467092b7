/** Long lines as several. What a terminal would obey is escaped before (`terminal.ts`). */
import { displayWidth } from './display-width.ts';

/** Lines of at most `width` columns, broken at blanks; a word that is longer stays whole, as an address should. */
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
