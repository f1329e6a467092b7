/**
 * Checks an e-mail message, whether or not the service already stores the message. Pure: the caller passes facts about the account together
 * with the content.
 */

import { sayFinding, sayReason } from '../../kit/schema/reason.ts';
import type { Values } from '../../kit/schema/resource.ts';
import { checkPayload, checkValidationRules } from '../../kit/schema/validator.ts';
import { mentionsPostalAddress } from '../../kit/text/address.ts';
import { countOctetsInWindows1252 } from '../../kit/text/windows-1252.ts';
import { capitalizeFirstLetter, formatCountWithNoun } from '../../kit/text/words.ts';
import { emailMessage } from '../resources/email-message.ts';
import { type FindingDraft, quoted, toLintFindings } from './drafts.ts';
import { EMAIL_LINT_RULE_TABLE, type EmailLintRuleName } from './email-rules.ts';
import {
  asSentence,
  type ContentOrigin,
  type LinkTarget,
  type LintFinding,
  type MessageContent,
} from './finding.ts';
import { unsupportedFeatureFindings } from './html-clients.ts';
import { type ParsedHtml, parseHtml } from './html-parts.ts';
import { readerFindings } from './html-readers.ts';
import { findTextPartLinkProblems, imageFindings, linkFindings, linkTargetFindings } from './links.ts';
import {
  dynamicContentFindings,
  findVisiblePlaceholders,
  longLineFindings,
  MESSAGE_PART_NAMES,
  type MessagePart,
  placeholderFindings,
  windows1252Findings,
  wrongEncodingFindings,
} from './texts.ts';

/**
 * Does not check an attribute that `content` lacks, with one exception: reports HTML without a text part. See the interface, "emailMessage"
 * and its content rules, and the contract, "Insight".
 */
export function lintEmail(content: MessageContent, origin: ContentOrigin): readonly LintFinding[] {
  const { subject, fromname, html, text } = content;
  const drafts: readonly FindingDraft[] = [
    ...(typeof subject === 'string' ? [...anyText('subject', subject), ...ofSubject(subject)] : []),
    ...(typeof fromname === 'string' ? ofName(fromname) : []),
    ...(typeof html === 'string' ? [...anyText('html', html), ...ofHtml(html, content, origin)] : []),
    ...(typeof text === 'string' ? [...anyText('text', text), ...ofText(text, content, origin)] : []),
    ...(typeof html === 'string' && typeof text !== 'string' ? noTextPart(html) : []),
    ...linkTargetFindings(targetsIn(origin)),
    ...optInFindings(content, origin),
  ];
  const told = new Set(
    drafts.filter(({ rule }) => EMAIL_LINT_RULE_TABLE[rule].severity === 'error').map(({ part }) => part),
  );
  const disallowed = disallowedValueFindings(content, origin, told);
  return toLintFindings([...drafts, ...disallowed], content, origin);
}

function noTextPart(html: string): readonly FindingDraft[] {
  if (html.trim() === '') return [];
  return [
    {
      ...{ rule: 'no-text-part', part: 'text' },
      message: 'The message has HTML but no text part. Some mail programs and spam filters need a text part.',
      instead: 'Add --text-file, or --text-from-html.',
    },
  ];
}

/** Includes only links in parts of the message that were read from the service, because only these parts contain tracking addresses. */
const targetsIn = ({ targets = [], stored }: ContentOrigin): readonly LinkTarget[] =>
  targets.filter(({ part }) => stored.has(part));

const anyText = (part: MessagePart, source: string): readonly FindingDraft[] => [
  ...windows1252Findings(part, source),
  ...dynamicContentFindings(part, source),
  ...wrongEncodingFindings(part, source),
];

function ofSubject(subject: string): readonly FindingDraft[] {
  if (subject.trim() === '') return [empty('subject', 'The subject is empty.')];
  return [...placeholderFindings('subject', subject), ...subjectFindings(subject)];
}

function ofName(name: string): readonly FindingDraft[] {
  if (name.trim() !== '') return placeholderFindings('fromname', name);
  const message = 'The sender has no name.';
  return [{ rule: 'sender', part: 'fromname', message, instead: 'Add a sender name that readers know.' }];
}

function ofHtml(source: string, content: MessageContent, origin: ContentOrigin): readonly FindingDraft[] {
  const html = parseHtml(source);
  const { texts, faults } = html;
  const visible = texts.map(({ text }) => text).join(' ');
  const images = html.tags.filter(({ name }) => name === 'img');
  if (visible.trim() === '' && images.length === 0)
    return [empty('html', 'The HTML contains no text and no image.')];
  return [
    ...texts.flatMap(({ text, at }) => findVisiblePlaceholders(source, text, at)),
    ...linkFindings(html, origin.stored.has('html')),
    ...imageFindings(html),
    ...faults.map(({ problem, at }) => ({
      ...({ rule: 'html-syntax', part: 'html', at } as const),
      message: `The HTML ${problem}.`,
    })),
    ...tooLarge(source),
    ...unsupportedFeatureFindings(html),
    ...readerFindings(html),
    ...language(html),
    ...unsubscribe('html', [visible, ...html.links.map(({ href = '' }) => href)].join(' '), content, origin),
    ...postalAddress('html', visible, origin),
  ];
}

function ofText(text: string, content: MessageContent, origin: ContentOrigin): readonly FindingDraft[] {
  if (text.trim() === '') return [empty('text', 'The text part is empty.')];
  const isTracked = targetsIn(origin).some(({ part }) => part === 'text');
  return [
    ...longLineFindings(text),
    ...placeholderFindings('text', text),
    ...findTextPartLinkProblems(text, isTracked),
    ...unsubscribe('text', text, content, origin),
    ...postalAddress('text', text, origin),
  ];
}

const empty = (part: MessagePart, message: string): FindingDraft => ({
  ...{ rule: 'empty-part', part, message },
  instead: `Write the ${MESSAGE_PART_NAMES[part]}.`,
});

/** Interface, emailMessage, "Content rules": both parts of an opt-in message have such an element. */
function optInFindings(
  { customoptin, html, text }: MessageContent,
  { words }: ContentOrigin,
): readonly FindingDraft[] {
  const given = Object.entries({ customoptin, html, text }).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(given) as Values;
  return checkValidationRules(emailMessage, values, words, new Set(Object.keys(values))).map(
    ({ attribute, instead }) => ({
      ...({ rule: 'opt-in-element', part: attribute } as const),
      message: `The ${attribute === 'html' ? 'HTML' : 'text part'} has no opt-in element, the place for the confirmation link. A message with customoptin needs this element.`,
      instead: instead && capitalizeFirstLetter(sayReason(instead)),
    }),
  );
}

/** Number of octets that Gmail shows of a message before it clips the rest. https://support.google.com/mail, "message clipped". */
const SHOWN_BY_GMAIL = 102 * 1024;

function tooLarge(html: string): readonly FindingDraft[] {
  if (countOctetsInWindows1252(html) <= SHOWN_BY_GMAIL) return [];
  return [
    {
      ...{ rule: 'large-html', part: 'html' },
      message: `The HTML is ${kilobytes(html)}. Gmail shows only the first 102 KB.`,
      instead: 'Shorten the HTML, or move content to a web page.',
    },
  ];
}

function language({ tags, title }: ParsedHtml): readonly FindingDraft[] {
  const root = tags.find(({ name }) => name === 'html');
  const at = root?.start ?? 0;
  const found: FindingDraft[] = [];
  if ((root?.attribute('lang') ?? '').trim() === '')
    found.push({
      ...{ rule: 'no-language', part: 'html', at },
      message: 'The HTML does not declare its language.',
      instead: 'Add a lang attribute, such as <html lang="en">.',
    });
  if ((title ?? '').trim() === '')
    found.push({
      ...{ rule: 'no-title', part: 'html', at },
      message: 'The HTML has no title.',
      instead: 'Add a <title> to the head. You can use the subject.',
    });
  return found;
}

/**
 * Matches words that mean "unsubscribe", in the most common languages whose letters are in Windows-1252. The addresses of links are also
 * searched, because they often contain the English word.
 */
const UNSUBSCRIBE =
  /unsubscri|opt[\s_-]?out|abmeld|abbestell|austragen|d[ée]s(?:abonn|inscri)|darse de baja|d[ea]rme de baja|cancelar (?:la |a |su )?(?:suscripci|subscri|inscri)|disiscri|annulla(?:re)? l.iscrizione|afmeld|uitschrij|avmeld|avregistr|avprenumer|avslutt|peruuta|(?:mail|subscription|manage|manage your) preferences|remove me/i;

function unsubscribe(
  part: 'html' | 'text',
  shown: string,
  { customoptin }: MessageContent,
  { words }: ContentOrigin,
): readonly FindingDraft[] {
  if (words.footer !== 'none' || customoptin === true || UNSUBSCRIBE.test(shown)) return [];
  return [
    {
      ...{ rule: 'no-unsubscribe', part },
      message: `No unsubscribe link in the ${MESSAGE_PART_NAMES[part]}.`,
      instead:
        'Add an unsubscribe link. Your profile says that the service adds no link (naming.footer: none).',
    },
  ];
}

function postalAddress(
  part: 'html' | 'text',
  shown: string,
  { postalAddress: address = '', words }: ContentOrigin,
): readonly FindingDraft[] {
  if (words.footer === 'full' || address.trim() === '' || mentionsPostalAddress(shown, address)) return [];
  return [
    {
      ...{ rule: 'no-postal-address', part },
      message: `The ${MESSAGE_PART_NAMES[part]} does not contain the company's postal address, ${quoted(address)}.`,
      instead: `Add the postal address. Many countries require it, and your profile says that the service does not add it (naming.footer is ${words.footer}).`,
    },
  ];
}

export function summariseEmail({ subject, html, text }: MessageContent): string {
  const parts: string[] = [];
  if (typeof subject === 'string')
    parts.push(`subject of ${formatCountWithNoun([...subject].length, 'character')}`);
  if (typeof html === 'string') {
    const { links, tags } = parseHtml(html);
    const images = tags.filter(({ name }) => name === 'img').length;
    parts.push(
      `HTML of ${kilobytes(html)} with ${formatCountWithNoun(links.length, 'link')} and ${formatCountWithNoun(images, 'image')}`,
    );
  }
  if (typeof text === 'string') parts.push(`text of ${formatCountWithNoun([...text].length, 'character')}`);
  return parts.join(', ');
}

const kilobytes = (html: string): string => {
  const octets = countOctetsInWindows1252(html);
  return octets < 1024 ? formatCountWithNoun(octets, 'byte') : `${(octets / 1024).toFixed(1)} KB`;
};

/** Number of characters of a subject that common mail programs show. Longer subjects get a finding. */
const MAX_SUBJECT_SHOWN = 60;
/** Shorter subjects may be one word, such as a name. */
const MIN_CAPITAL_LETTERS = 8;

/** Personalisation is removed before the check. */
function subjectFindings(subject: string): readonly FindingDraft[] {
  const words = subject.replace(/\{\{[^{}]{0,1000}\}\}|\{%[^%]{0,1000}%\}/g, '').trim();
  const found: FindingDraft[] = [];
  const letters = [...words.matchAll(/\p{L}/gu)].length;
  const add = (rule: EmailLintRuleName, message: string, instead: string): void => {
    found.push({ rule, part: 'subject', message, instead });
  };
  if (letters >= MIN_CAPITAL_LETTERS && words === words.toUpperCase() && words !== words.toLowerCase())
    add('shouting-subject', 'The subject is all in capital letters.', 'Use lower case.');
  const marks = [...words.matchAll(/[!\u00a1]/g)].length;
  if (/!\s*!/.test(words) || marks > 2)
    add(
      'shouting-subject',
      `The subject has ${marks} exclamation marks.`,
      'Use at most one exclamation mark.',
    );
  const length = [...words].length;
  if (length > MAX_SUBJECT_SHOWN)
    add(
      'long-subject',
      `The subject has ${length} characters. Many mail programs show only ${MAX_SUBJECT_SHOWN}.`,
      'Put the important words first.',
    );
  return found;
}

/** @param reported attributes that already have a more helpful finding */
function disallowedValueFindings(
  content: MessageContent,
  { words }: ContentOrigin,
  reported: ReadonlySet<string>,
): readonly FindingDraft[] {
  const { findings } = checkPayload(emailMessage, 'PUT', 'company', { ...content }, words);
  return findings
    .filter(({ attribute }) => !reported.has(attribute))
    .map(({ attribute, reason, instead }) => ({
      rule: ['fromemail', 'fromname', 'replyemail'].includes(attribute) ? 'sender' : 'invalid-value',
      part: attribute,
      message: `The attribute ${sayFinding({ attribute, reason })}.`,
      instead: instead === undefined ? undefined : asSentence(sayReason(instead)),
    }));
}
