/** Writes the two parts of one e-mail message as files, and compares them in the same way as a campaign's. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { foundMessageContents, wantedMessageContent } from '../content.ts';
import { contentOf } from './drafts.ts';

export interface Parts {
  readonly html: string;
  readonly text: string;
}

/**
 * Returns the parts as they were before the service rewrote their links, and what could not be restored.
 * @param links of the message
 */
export function originalParts(
  record: JsonObject,
  links: readonly JsonObject[],
): Parts & { readonly warnings: readonly string[] } {
  const html = contentOf('email', 'html', String(record['html'] ?? ''), links);
  const text = contentOf('email', 'text', String(record['text'] ?? ''), links);
  return { html: html.text, text: text.text, warnings: [...html.warnings, ...text.warnings] };
}

/** Returns whether links of the text are tracked. Only the list of links shows it. */
export const tracksText = (links: readonly JsonObject[]): boolean =>
  links.some(({ type }) => type === 'text');

/** Returns the possible contents of a message's parts, ignoring all its other attributes, the one to write first. */
export const foundParts = (record: JsonObject, links: readonly JsonObject[]): readonly string[] =>
  foundMessageContents('email', '', { html: record['html'] ?? '', text: record['text'] ?? '' }, links);

/**
 * Returns the content of the parts as files have them.
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
