/** The two parts of one e-mail message as files, compared as a campaign's are. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { foundMessageContents, wantedMessageContent } from '../content.ts';
import { contentOf } from './drafts.ts';

export interface Parts {
  readonly html: string;
  readonly text: string;
}

/** As they were before the service rewrote their links, and what is not so. @param links of the message */
export function originalParts(
  record: JsonObject,
  links: readonly JsonObject[],
): Parts & { readonly warnings: readonly string[] } {
  const html = contentOf('email', 'html', String(record['html'] ?? ''), links);
  const text = contentOf('email', 'text', String(record['text'] ?? ''), links);
  return { html: html.text, text: text.text, warnings: [...html.warnings, ...text.warnings] };
}

/** Whether links of the text are tracked, which the service tells by nothing else. */
export const tracksText = (links: readonly JsonObject[]): boolean =>
  links.some(({ type }) => type === 'text');

/** What the parts of a message come to, whatever else is changed in it; the first is written. */
export const foundParts = (record: JsonObject, links: readonly JsonObject[]): readonly string[] =>
  foundMessageContents('email', '', { html: record['html'] ?? '', text: record['text'] ?? '' }, links);

/** What they come to as files have them. @param tracked as `tracksText` tells */
export const wantedParts = ({ html, text }: Parts, tracked: boolean): string =>
  wantedMessageContent({
    kind: 'message',
    key: '',
    channel: 'email',
    name: '',
    values: { html, text, tracktextlinks: tracked },
    files: {},
  });
