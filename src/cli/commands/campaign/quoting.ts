/** Quotes text that svc did not write, so that it cannot imitate a line of a page. */
import { escapeForTerminal } from '../../../kit/text/terminal.ts';

/** Returns the value on one line. Text is written as JSON, so that line feeds and control characters have no effect. */
export const quoteOnOneLine = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : escapeForTerminal(JSON.stringify(value) ?? 'null');

/** Returns a single word unchanged, and any other text in quotes, so that a reader sees where the text ends. */
export const quoteUnlessSingleWord = (text: string): string =>
  /^[A-Za-z0-9_@.+/-]{1,200}$/.test(text) ? text : quoteOnOneLine(text);

/** Replaces line breaks and other control characters with spaces. */
export const replaceLineBreaks = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ');
