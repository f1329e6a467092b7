/**
 * Computes what recipients see of a message, so that two messages with different ids can be compared. Addresses of links are left out,
 * because the service rewrites them (interface, emailMessage).
 */
import { createHash } from 'node:crypto';
import { replaceHtmlLinks, replaceTextLinks } from '../../kit/text/html-links.ts';
import type { Channel } from '../../service/resources/task.ts';

type Values = Readonly<Record<string, unknown>>;

/** HTML or text of a message, with the placeholder `link:` instead of each tracked web address. */
export interface MaskedText {
  readonly masked: string;
  readonly targets: readonly string[];
}

/** Replaces the web addresses that the service tracks. Normalizes line ends, because the service may change them. */
export function maskLinks(part: unknown, type: 'html' | 'text'): MaskedText {
  const replaceLinks = type === 'html' ? replaceHtmlLinks : replaceTextLinks;
  const targets = new Set<string>();
  const text = replaceLinks(withUnixLineEnds(String(part ?? '')), ({ href }) => {
    if (type === 'html' && !isTracked(href)) return undefined;
    targets.add(href);
    return 'link:';
  });
  return { masked: text, targets: [...targets].sort() };
}

export const withUnixLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Reports whether the service rewrites the address (interface, emailMessage: "links are rewritten to tracking URIs"). */
const isTracked = (href: string): boolean => /^https?:\/\//i.test(href);

/** Returns a hash of what recipients see of a message. */
export function visibleContentHash(channel: Channel, values: Values): string {
  const { fromname, fromemail, subject, html, text, message } = values;
  const parts =
    channel === 'sms'
      ? [message]
      : [fromemail, subject, maskLinks(html, 'html').masked, maskLinks(text, 'text').masked];
  const shown = [fromname, ...parts].map((part) => withUnixLineEnds(String(part ?? '')));
  return createHash('sha256')
    .update(JSON.stringify([channel, ...shown]), 'utf8')
    .digest('hex');
}
