/** Describes the content of a message for the approver of a plan. Each text is shown in full, quoted, on its own line. */
import { createHash } from 'node:crypto';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { replaceTextLinks } from '../../../kit/text/html-links.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { describeHtml } from './html-words.ts';
import { quoteOnOneLine, quoteUnlessSingleWord } from './quoting.ts';

type Values = Readonly<Record<string, unknown>>;

/** @param values the message's attributes, by their names in the interface */
export function describeMessage(
  channel: Channel,
  values: Values,
  contentWords: ContentMarkupNames,
): readonly string[] {
  if (channel === 'email') return emailWords(values, contentWords);
  const { fromname, message, ...others } = values;
  return [`SMS from ${quoteOnOneLine(fromname)}`, `text: ${quoteOnOneLine(message)}`, ...otherWords(others)];
}

function emailWords(
  { subject, fromname, fromemail, replyemail, html, text, ...others }: Values,
  words: ContentMarkupNames,
): readonly string[] {
  const source = String(html ?? '');
  const plain = String(text ?? '');
  const described = describeHtml(source, words);
  return [
    `e-mail from ${quoteOnOneLine(fromname)}, address ${quoteOnOneLine(fromemail)}`,
    `replies to: ${quoteOnOneLine(replyemail)}`,
    `subject: ${quoteOnOneLine(subject)}`,
    `HTML: ${Buffer.byteLength(source)} bytes, SHA-256 ${createHash('sha256').update(source).digest('hex')}`,
    ...described.texts,
    ...(plain === '' ? [] : ['text part:', ...quotedLines(plain)]),
    ...described.links,
    ...linksIn(plain)
      .map((address) => `link to ${quoteOnOneLine(address)}`)
      .filter((line) => !described.links.includes(line)),
    ...described.otherAddresses,
    ...otherWords(others),
  ];
}

function linksIn(text: string): readonly string[] {
  const links = new Set<string>();
  replaceTextLinks(text, ({ href }) => {
    links.add(href);
    return undefined;
  });
  return [...links];
}

/** The name, and the attributes that the service itself sets. */
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
