/**
 * Breaks a command into lines as a shell reads it: after a backslash at the end of the line, and never within quotes.
 * @param columns of the terminal; a longer word exceeds them
 */
export function continuedCommand(command: string, columns: number): string {
  if (command.length <= columns) return command;
  const indent = /^ */.exec(command)?.[0] ?? '';
  const [first = '', ...words] = command.match(/(?:"[^"]*"|'[^']*'|[^ "'])+|["']/g) ?? [];
  const lines: string[] = [];
  let line = `${indent}${first}`;
  for (const [index, word] of words.entries()) {
    const room = columns - (index === words.length - 1 ? 0 : BACKSLASH.length);
    if (line.length + 1 + word.length <= room) line += ` ${word}`;
    else {
      lines.push(`${line}${BACKSLASH}`);
      line = `${indent}  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

const BACKSLASH = ' \\';
