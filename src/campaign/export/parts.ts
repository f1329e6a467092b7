/** Writes the two parts of one e-mail message as files. Compares them in the same way as the parts of a campaign's message. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { foundMessageContents, wantedMessageContent } from '../content.ts';
import { contentOf } from './drafts.ts';

export interface Parts {
  readonly html: string;
  readonly text: string;
}

/**
 * Returns the parts as they were before the service rewrote their links, and the parts that could not be restored.
 * @param links links of the message
 */
export function originalParts(
  record: JsonObject,
  links: readonly JsonObject[],
): Parts & { readonly warnings: readonly string[] } {
  const html = contentOf('email', 'html', String(record['html'] ?? ''), links);
  const text = contentOf('email', 'text', String(record['text'] ?? ''), links);
  return { html: html.text, text: text.text, warnings: [...html.warnings, ...text.warnings] };
}

/** Returns whether the service tracks links of the message's text. Only the list of links shows it. */
export const tracksText = (links: readonly JsonObject[]): boolean =>
  links.some(({ type }) => type === 'text');

/** Returns the possible contents of a message's parts, without its other attributes. The first one is the content to write. */
export const foundParts = (record: JsonObject, links: readonly JsonObject[]): readonly string[] =>
  foundMessageContents('email', '', { html: record['html'] ?? '', text: record['text'] ?? '' }, links);

/**
 * Returns the content of the parts as files hold them.
 * @param tracked as `tracksText` returns it
 */
export const wantedParts = ({ html, text }: Parts, tracked: boolean): string =>
  wantedMessageContent({
    kind: 'message',
    key: '',
    channel: 'email',
    name: '',
    values: { html, text, tracktextlinks: tracked },
    files: {},
  });
