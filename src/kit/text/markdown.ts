/** Writes texts of others as Markdown, for comments in pull requests and summaries of jobs. */
import { escapeForTerminal } from './terminal.ts';

/** Returns the text on one line, without a meaning in Markdown or HTML. Shows characters as escapes as a terminal does, among them bidirectional ones. */
export const escapeMarkdown = (text: string): string =>
  escapeForTerminal(text.replace(/\s+/g, ' ')).replace(/[\\`*_{}[\]<>#|&@~]/g, '\\$&');

/** Returns the lines of a code block with the text. The fence has more backticks than any line of the text. */
export function markdownCodeBlock(text: string, language: string): readonly string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...escapeForTerminal(text.trimEnd(), { newlines: true }).split('\n'), fence];
}
