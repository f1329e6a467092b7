/** Finds the opt-in links in the HTML of a message (interface, emailMessage, "Content rules"). */
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import {
  HIDDEN_ELEMENTS,
  type HtmlVisitor,
  type Span,
  visitHtml,
  visitHtmlInSlices,
} from '../../../kit/text/html-tokens.ts';

interface OptInLink {
  readonly start: Span;
  readonly end: Span;
  /** True if the element has the name that the interface requires, and encloses a text. The alternative text of a picture counts. */
  readonly isComplete: boolean;
}

/** Looks for a complete opt-in link in slices, before the transaction that stores the message. `pause` lets other requests run meanwhile. */
export async function findOptIn(html: string, words: ContentMarkupNames, pause: () => Promise<void>) {
  let hasOptIn = false;
  const visitor = optInVisitor(words, ({ isComplete }) => {
    hasOptIn ||= isComplete;
  });
  if (mayHaveOptIn(html, words))
    await visitHtmlInSlices(html, visitor, async () => {
      await pause();
      return !hasOptIn;
    });
  return { html, hasOptIn };
}

/** Replaces the tags of each opt-in link with those of a link to `uri`. The content between them stays unchanged. */
export function replaceOptInLinks(html: string, words: ContentMarkupNames, uri: string): string {
  if (!mayHaveOptIn(html, words)) return html;
  const links: OptInLink[] = [];
  visitHtml(
    html,
    optInVisitor(words, (link) => links.push(link)),
  );
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end } of links) {
    pieces.push(
      html.slice(copied, start.start),
      `<a href="${uri}">`,
      html.slice(start.end, end.start),
      '</a>',
    );
    copied = end.end;
  }
  return pieces.join('') + html.slice(copied);
}

const mayHaveOptIn = (html: string, { linkElement }: ContentMarkupNames): boolean =>
  html.toLowerCase().includes(`<${linkElement.toLowerCase()}`);

/** Returns a visitor that reports closed elements with the opt-in tag. Like a browser, finds none in comments, styles, titles and texts. */
function optInVisitor(words: ContentMarkupNames, onLink: (link: OptInLink) => void): HtmlVisitor {
  const element = words.linkElement.toLowerCase();
  let open: { readonly start: Span; readonly isNamed: boolean } | undefined;
  let text = '';
  let hidden = '';
  return {
    onStartTag: (tag) => {
      if (HIDDEN_ELEMENTS.has(tag.name)) hidden = tag.name;
      if (tag.name === 'img' && open) text += tag.attribute('alt') ?? '';
      if (tag.name !== element || tag.attribute('value') !== words.optInTag) return;
      open = { start: { start: tag.start, end: tag.end }, isNamed: tag.attribute('name') === 'opt-in' };
      text = '';
    },
    onEndTag: ({ name, start, end }) => {
      if (name === hidden) hidden = '';
      if (name !== element || open === undefined) return;
      onLink({ start: open.start, end: { start, end }, isComplete: open.isNamed && text.trim() !== '' });
      open = undefined;
    },
    onText: (piece) => {
      if (open && hidden === '') text += piece;
    },
  };
}
