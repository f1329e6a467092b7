/** The targets come from the service's records of the links, which may be incomplete. svc saves the restored texts in files. */

import { compareNumbers } from '../../kit/schema/integer.ts';
import { replaceHtmlLinks, replaceTextLinks } from '../../kit/text/html-links.ts';
import type { Channel } from '../../service/resources/task.ts';
import type { LinkRecord } from './model.ts';

export interface RestoredPart {
  readonly text: string;
  readonly isComplete: boolean;
  /** Wrong if someone changed the message. */
  readonly isGuessed: boolean;
}

export function restoreLinks(
  content: string,
  links: readonly LinkRecord[],
  type: 'html' | 'text',
): RestoredPart {
  const rows = links.filter((link) => link.type === type);
  if (rows.length === 0) return { text: content, isComplete: true, isGuessed: false };
  const replace = type === 'html' ? replaceHtmlLinks : replaceTextLinks;
  const hrefs = new Set<string>();
  replace(content, ({ href }) => {
    if (/^https?:\/\//i.test(href)) hrefs.add(href);
    return undefined;
  });
  const { targets, isByOrder } = targetsOf([...hrefs], rows);
  const text = replace(content, ({ href }) => targets.get(href));
  return { text, isComplete: [...hrefs].every((href) => targets.has(href)), isGuessed: isByOrder };
}

/** Skips the host, because the host may be a numeric address. */
const wordsInAddress = (href: string): ReadonlySet<string> =>
  new Set(href.replace(/^https?:\/\/[^/?#]*/i, '').split(/[^0-9A-Za-z]+/));

function targetsOf(
  hrefs: readonly string[],
  rows: readonly LinkRecord[],
): { readonly targets: ReadonlyMap<string, string>; readonly isByOrder: boolean } {
  const byId = new Map(rows.map(({ id, target }) => [String(id), target]));
  const words = new Map(hrefs.map((href) => [href, wordsInAddress(href)]));
  // A word that occurs in all addresses identifies no link.
  const isCommon = (word: string): boolean =>
    hrefs.length > 1 && hrefs.every((href) => words.get(href)?.has(word));
  const named = new Map<string, string>();
  for (const [href, own] of words) {
    const [id, ...others] = [...own].filter((word) => byId.has(word) && !isCommon(word));
    if (id !== undefined && others.length === 0) named.set(href, id);
  }
  const isTelling = new Set(named.values()).size === named.size;
  if (isTelling && named.size === hrefs.length)
    return { targets: new Map([...named].map(([href, id]) => [href, byId.get(id) ?? ''])), isByOrder: false };
  if (hrefs.length === rows.length) {
    const sorted = rows.toSorted((a, b) => compareNumbers(a.id, b.id));
    return { targets: new Map(hrefs.map((href, at) => [href, sorted[at]?.target ?? ''])), isByOrder: true };
  }
  const some = isTelling ? [...named] : [];
  return { targets: new Map(some.map(([href, id]) => [href, byId.get(id) ?? ''])), isByOrder: false };
}

export function restoreOriginalContent(
  channel: Channel,
  attribute: string,
  stored: string,
  links: readonly LinkRecord[],
): { readonly text: string; readonly warnings: readonly string[] } {
  if (channel === 'sms') return { text: withByteOrderMark(smsFileText(stored)), warnings: [] };
  const type = attribute === 'html' ? 'html' : 'text';
  const { text, isComplete, isGuessed } = restoreLinks(stored.replaceAll('\r\n', '\n'), links, type);
  const warnings: string[] = [];
  if (!isComplete)
    warnings.push(`the service rewrote some links in ${attribute}, so svc cannot tell where they lead`);
  if (isGuessed)
    warnings.push(
      `svc guessed the targets of the links in ${attribute} from the order of the links; check these targets`,
    );
  return { text: withByteOrderMark(text), warnings };
}

/** Reading an SMS file removes a line end. */
const smsFileText = (text: string): string => (text.endsWith('\r') ? `${text}\r\n` : `${text}\n`);

/** Reading the file removes the first mark. */
const withByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? `\ufeff${text}` : text);

export interface HtmlAndText {
  readonly html: string;
  readonly text: string;
}

export function restoreLinksInHtmlAndText(
  record: Partial<HtmlAndText>,
  links: readonly LinkRecord[],
): HtmlAndText & { readonly warnings: readonly string[] } {
  const html = restoreOriginalContent('email', 'html', String(record.html ?? ''), links);
  const text = restoreOriginalContent('email', 'text', String(record.text ?? ''), links);
  return { html: html.text, text: text.text, warnings: [...html.warnings, ...text.warnings] };
}

export const hasTrackedTextLinks = (links: readonly LinkRecord[]): boolean =>
  links.some(({ type }) => type === 'text');
