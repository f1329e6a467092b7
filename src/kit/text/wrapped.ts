/**
 * Wraps long lines at spaces. The caller escapes control characters first (`terminal.ts`). A file of its own, because notes load it only
 * when a line is too long, and most users of `display-width.ts` need it at once.
 */
import { displayWidth, fillLines } from './display-width.ts';

/**
 * Breaks a text at spaces into lines of at most `width` columns, but not within a command such as `svc task list`. A word or a command that
 * is wider than `width` is not broken, or broken at spaces. Indents all lines except the first by two spaces, unless a word needs the room.
 */
export const wrapWithHangingIndent = (text: string, width: number): string =>
  fillLines(wordsAndCommands(text, width - INDENT.length), (index) =>
    index === 0 ? width : width - INDENT.length,
  )
    .map((line, index) => (index === 0 || displayWidth(line) > width - INDENT.length ? line : INDENT + line))
    .join('\n');

/** Breaks a text at spaces into lines of at most `width` columns, without indentation, and not within a command. */
export const wrapLinesKeepingCommands = (text: string, width: number): readonly string[] =>
  fillLines(wordsAndCommands(text, width), () => width);

const INDENT = '  ';

/** Returns the words of a text. A command of at most `width` columns is one word. */
function wordsAndCommands(text: string, width: number): readonly string[] {
  const words = text.split(' ');
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const length = commandLength(words, at);
    const command = words.slice(at, at + length).join(' ');
    const isWhole = length === 1 || displayWidth(command) <= width;
    found.push(...(isWhole ? [command] : (command.match(SHELL_WORDS) ?? [])));
    at += length;
  }
  return found;
}

const SHELL_WORDS = /(?:"[^"]*"|'[^']*'|[^ "'])+|["']/g;

/** Reports whether the whole text is one command, and not a sentence that begins with one. */
export function isOneCommand(text: string): boolean {
  const words = [':', ...text.split(' ')];
  return commandLength(words, 1) === words.length - 1;
}

/** Returns the number of words of the command that begins at this word, or 1 if none does. */
function commandLength(words: readonly string[], at: number): number {
  const before = words[at - 1] ?? '';
  if (words[at] !== 'svc' || !(before.endsWith(':') || INTRODUCES_COMMAND.test(before))) return 1;
  let quote = '';
  let length = 1;
  for (const word of words.slice(at + 1)) {
    if (quote === '' && (word === '' || ENDS_COMMAND.test(word))) break;
    length += 1;
    for (const [mark] of word.matchAll(/["']/g)) quote = quote === '' ? mark : quote === mark ? '' : quote;
    if (quote === '' && /[.,;:)?!]$/.test(word)) break;
  }
  return length;
}

/** Words before a command in the texts of svc. After any other word, `svc` is the subject of a sentence. */
const INTRODUCES_COMMAND = /^(run|see|use|with|or|by|try|write|writes|is|example)$/i;
const ENDS_COMMAND =
  /^(to|and|or|if|for|on|in|of|at|as|is|it|its|with|when|which|that|then|again|once|first|instead|without|shows?|lists?|prints?|says|adds?|takes?|exits|explains|checks|names|removes|cancels|creates|makes|writes|reads|asks|sends|also|ends|stops|works|has|can|does|the|a|an|this|each|every)[.,;:)?!]*$/;
