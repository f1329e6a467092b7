/**
 * Restores the HTML and the text of a stored e-mail message as the author wrote them, without the service's tracking links. svc saves the
 * restored parts in files. This module also computes hashes, with which callers compare such files with the message in the service.
 */
import type { JsonObject } from '../../protocol/envelope.ts';
import { computePossibleHashesOfMessage, computeWantedMessageHash } from '../content.ts';
import { restoreOriginalContentForExport } from './drafts.ts';

export interface HtmlAndText {
  readonly html: string;
  readonly text: string;
}

/**
 * Returns the HTML and text as they were before the service rewrote their links, with warnings about links that could not be restored.
 * @param links links of the message
 */
export function restoreLinksInHtmlAndText(
  record: JsonObject,
  links: readonly JsonObject[],
): HtmlAndText & { readonly warnings: readonly string[] } {
  const html = restoreOriginalContentForExport('email', 'html', String(record['html'] ?? ''), links);
  const text = restoreOriginalContentForExport('email', 'text', String(record['text'] ?? ''), links);
  return { html: html.text, text: text.text, warnings: [...html.warnings, ...text.warnings] };
}

/** Returns whether the service tracks links of the message's text part. The message itself does not show this, but its links do. */
export const hasTrackedTextLinks = (links: readonly JsonObject[]): boolean =>
  links.some(({ type }) => type === 'text');

/**
 * Returns the hashes that the original HTML and text of a message may have had, most likely first. The service rewrites their links, so the
 * original cannot be known for sure.
 */
export const computePossibleHashesOfEmailBody = (
  record: JsonObject,
  links: readonly JsonObject[],
): readonly string[] =>
  computePossibleHashesOfMessage(
    'email',
    '',
    { html: record['html'] ?? '', text: record['text'] ?? '' },
    links,
  );

/**
 * Returns the hash of the HTML and the text that a campaign file refers to. The caller compares it with the hash of the message in the
 * service.
 * @param tracked true if the service tracks links of the text, as `hasTrackedTextLinks` returns it
 */
export const computeHashOfWantedEmailBody = ({ html, text }: HtmlAndText, tracked: boolean): string =>
  computeWantedMessageHash({
    kind: 'message',
    key: '',
    channel: 'email',
    name: '',
    values: { html, text, tracktextlinks: tracked },
    files: {},
  });
