/** Describes the content of a message for the approver of a plan. Each text is shown in full, quoted, on its own line. */
import { createHash } from 'node:crypto';
import type { Channel } from '../../../resources/task.ts';
import type { ContentMarkupNames } from '../../../schema/resource.ts';
import { replaceHtmlLinks, replaceTextLinks } from '../../../text/html-links.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the lines that describe the message, without indentation. @param values the message's attributes, by their names in the interface
 */
export async function describeMessage(
  channel: Channel,
  values: Values,
  contentWords: ContentMarkupNames,
): Promise<readonly string[]> {
  if (channel === 'email') return emailWords(values, contentWords);
  const { fromname, message, ...others } = values;
  return [`SMS from ${quoteOnOneLine(fromname)}`, `text: ${quoteOnOneLine(message)}`, ...otherWords(others)];
}

async function emailWords(
  { subject, fromname, fromemail, replyemail, html, text, ...others }: Values,
  words: ContentMarkupNames,
): Promise<readonly string[]> {
  const { htmlToText } = await import('../../../text/html-to-text.ts');
  const source = String(html ?? '');
  const plain = String(text ?? '');
  return [
    `e-mail from ${quoteOnOneLine(fromname)}, address ${quoteOnOneLine(fromemail)}`,
    `replies to: ${quoteOnOneLine(replyemail)}`,
    `subject: ${quoteOnOneLine(subject)}`,
    `HTML: ${Buffer.byteLength(source)} bytes, SHA-256 ${createHash('sha256').update(source).digest('hex')}`,
    'HTML as text:',
    ...quotedLines(htmlToText(source, { width: 68, optIn: words })),
    ...(plain === '' ? [] : ['text part:', ...quotedLines(plain)]),
    ...targetsIn(source, plain).map((target) => `link to ${quoteOnOneLine(target)}`),
    ...otherWords(others),
  ];
}

function targetsIn(html: string, text: string): readonly string[] {
  const targets = new Set<string>();
  const add = ({ href }: { readonly href: string }): undefined => {
    targets.add(href);
  };
  replaceHtmlLinks(html, add);
  replaceTextLinks(text, add);
  return [...targets];
}

/** Attributes that the page of the plan omits: the name, and the attributes that the service itself sets. */
const OMITTED_ATTRIBUTES: readonly string[] = [
  ...['id', 'name', 'cdate', 'mdate', 'editable', 'userid', 'user_id', 'account_id'],
];

const otherWords = (values: Values): readonly string[] =>
  Object.entries(values)
    .filter(([name, value]) => value !== null && value !== undefined && !OMITTED_ATTRIBUTES.includes(name))
    .map(([name, value]) => `${quoteUnlessSingleWord(name)}: ${quoteOnOneLine(value)}`);

const quotedLines = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split(/\r\n|[\n\r]/)
    .map((line) => `  ${quoteOnOneLine(line)}`);

/** Returns the value on one line. Text is written as JSON, so that line feeds and control characters have no effect. */
export const quoteOnOneLine = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : escapeForTerminal(JSON.stringify(value) ?? 'null');

/** Returns a single word unchanged, and any other text in quotes, so that a reader sees where the text ends. */
export const quoteUnlessSingleWord = (text: string): string =>
  /^[A-Za-z0-9_@.+/-]{1,200}$/.test(text) ? text : quoteOnOneLine(text);

/** Replaces line breaks and other control characters with spaces. */
export const replaceLineBreaks = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ');
