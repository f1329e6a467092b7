/** Breaks the lines of notes and errors at words, because a terminal breaks them within words. */
import { wrapShellCommand } from '../../kit/text/words.ts';
import type { OutputStream } from '../outside/context.ts';

/**
 * Does not break a longer word, so that the user can copy an address.
 * @param text sanitized and redacted; redaction after wrapping would miss a secret that is split over two lines
 */
export async function wrapNoteText(
  { isTTY, columns }: Pick<OutputStream, 'isTTY' | 'columns'>,
  text: string,
): Promise<string> {
  if (!isTTY || !columns) return text;
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= columns && PLAIN.test(line))) return text;
  const wrapping = await import('../../kit/text/wrapped.ts');
  return lines.map((line) => indented(line, wrapping, columns)).join('\n');
}

/** Maximum length, in characters, of a line that is searched for a command. The search takes quadratic time. */
const MAX_SEARCHED_LINE = 2000;
const COMMAND_AT_END = /^(.*:) (svc [^:]* --?[^:]*(?::\S[^:]*)*)$/;
type Wrapping = typeof import('../../kit/text/wrapped.ts');
const PLAIN = /^[\x20-\x7e]*$/;

/** A command at the end of the line gets lines of its own, so that the user can copy it. */
function indented(line: string, wrapping: Wrapping, columns: number): string {
  const isSearched = line.length > columns && line.length <= MAX_SEARCHED_LINE;
  const [, before, command] = (isSearched && COMMAND_AT_END.exec(line)) || [];
  if (before !== undefined && command !== undefined && wrapping.isOneCommand(command))
    return `${indented(before, wrapping, columns)}\n${wrapShellCommand(`  ${command}`, columns)}`;
  const indent = /^ */.exec(line)?.[0] ?? '';
  // A placeholder keeps the width of the indentation, which wrapping would drop.
  const held = '\u00b7'.repeat(indent.length);
  return `${indent}${wrapping.wrapWithHangingIndent(`${held}${line.slice(indent.length)}`, columns).slice(indent.length)}`;
}
