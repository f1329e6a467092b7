/** Renders a message for one recipient: personalised, with tracking links, footer and opt-in elements. */
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { mentionsPostalAddress } from '../../../kit/text/address.ts';
import { type ContentValueLookup, parseContent, renderContent } from '../../../kit/text/dynamic-content.ts';
import { escapeHtmlAttribute } from '../../../kit/text/html-links.ts';
import { visibleText } from '../../../kit/text/html-tokens.ts';
import { insertTrackingBaseUrl } from './links.ts';
import { replaceOptInLinks } from './opt-in-links.ts';

interface EmailContent {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

interface EmailRenderOptions {
  readonly lookup: ContentValueLookup;
  /** The part of each link that identifies the delivery: `t<task>-<subscriber>` or `d<delivery>`. */
  readonly recipient: string;
  readonly trackingBaseUrl: string;
  readonly words: ContentMarkupNames;
  readonly friendLink: boolean;
  readonly company: { readonly name: string; readonly address: string };
}

export const trackingUri = (
  { trackingBaseUrl, recipient }: Pick<EmailRenderOptions, 'trackingBaseUrl' | 'recipient'>,
  action: 'open' | 'unsubscribe' | 'friend' | 'opt-in',
): string => `${trackingBaseUrl}/t/${LETTERS[action]}/${recipient}`;

const LETTERS = { open: 'o', unsubscribe: 'u', friend: 'f', 'opt-in': 'i' } as const;

export function renderEmail(parts: EmailContent, options: EmailRenderOptions): EmailContent {
  return {
    subject: renderText(parts.subject, options.lookup),
    html: parts.html === '' ? '' : renderHtml(parts.html, options),
    text: parts.text === '' ? '' : renderPlain(parts.text, options),
  };
}

/** Renders personalised content. Content that does not parse is returned unchanged; it was stored before checks existed. */
export function renderText(
  content: string,
  lookup: ContentValueLookup,
  escaped?: (value: string) => string,
): string {
  const parsed = parseContent(content);
  return parsed.ok ? renderContent(parsed.nodes, lookup, escaped) : content;
}

/** The 30 characters that `subinfo` adds to an SMS (interface, smsMessage). */
export const SMS_UNSUBSCRIBE_TEXT = ' To unsubscribe reply STOP now';

function renderHtml(html: string, options: EmailRenderOptions): string {
  const body = renderText(html, options.lookup, escapeValue);
  const confirming = replaceOptInLinks(body, options.words, trackingUri(options, 'opt-in'));
  const linked = insertTrackingBaseUrl(confirming, options.trackingBaseUrl, options.recipient);
  const footer = htmlFooter(html, options);
  const end = linked.toLowerCase().lastIndexOf('</body>');
  return end === -1 ? linked + footer : linked.slice(0, end) + footer + linked.slice(end);
}

const escapeValue = (value: string): string =>
  escapeHtmlAttribute(value).replaceAll('>', '&gt;').replaceAll("'", '&#39;');

function renderPlain(text: string, options: EmailRenderOptions): string {
  const body = renderText(text, options.lookup);
  const named = body.replace(element(options.words.nameElement), (whole, attributes: string) =>
    /value\s*=\s*["']?optin/i.test(attributes) ? trackingUri(options, 'opt-in') : whole,
  );
  const linked = insertTrackingBaseUrl(named, options.trackingBaseUrl, options.recipient);
  if (options.words.footer === 'none') return linked;
  const friend = options.friendLink ? [`Send to a friend: ${trackingUri(options, 'friend')}`] : [];
  const sender = senderLine(text, options);
  const footer = [
    `Unsubscribe: ${trackingUri(options, 'unsubscribe')}`,
    ...friend,
    ...(sender === '' ? [] : [sender]),
  ];
  return `${linked}\n\n-- \n${footer.join('\n')}\n`;
}

/** Returns name and postal address for the footer; empty if the message already contains the address. */
function senderLine(shown: string, { words, company }: EmailRenderOptions): string {
  if (words.footer !== 'full' || mentionsPostalAddress(shown, company.address)) return '';
  return [company.name, company.address].filter((part) => part !== '').join(', ');
}

/** Returns a pattern for an opening tag with its attributes as the only group. Element names contain no special characters. */
const element = (name: string): RegExp => new RegExp(`<${name}((?:\\s[^<>]{0,500})?)/?>`, 'gi');

function htmlFooter(html: string, options: EmailRenderOptions): string {
  const pixel = `<img src="${escapeHtmlAttribute(trackingUri(options, 'open'))}" width="1" height="1" alt="">`;
  if (options.words.footer === 'none') return pixel;
  const friend = options.friendLink
    ? ` <a href="${escapeHtmlAttribute(trackingUri(options, 'friend'))}">Send to a friend</a>`
    : '';
  const sender = senderLine(visibleText(html), options);
  const line = sender === '' ? '' : `<br>${escapeHtmlAttribute(sender)}`;
  const unsubscribe = `<a href="${escapeHtmlAttribute(trackingUri(options, 'unsubscribe'))}">Unsubscribe</a>`;
  return `<p>${unsubscribe}${friend}${line}</p>${pixel}`;
}
