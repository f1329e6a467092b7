/** Finds the links of a message and replaces their addresses. All other octets stay unchanged. */
import { type HtmlVisitor, visitHtml, visitHtmlInSlices } from './html-tokens.ts';

export interface FoundLink {
  readonly href: string;
  /** Value of the attribute `name`, or of `data-name` if there is no `name`. Null if the link has neither. */
  readonly name: string | null;
}

/** Returns the new address of a link, or undefined to leave it unchanged. */
export type ReplaceLink = (link: FoundLink) => string | undefined;

export interface HtmlLink extends FoundLink {
  /** Offsets of the value of `href`, quotes included, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces links in every `<a>` and `<area>` with an `href`, in order, as a browser without scripts finds them. Links in comments, scripts,
 * styles and titles do not count. Only the values of `href` change.
 */
export function replaceHtmlLinks(html: string, replace: ReplaceLink): string {
  const found: HtmlLink[] = [];
  visitHtml(
    html,
    linkVisitor(html, (link) => found.push(link)),
  );
  return replaceFoundLinks(html, found, replace);
}

interface LinkSearchOptions {
  readonly isWanted: (link: FoundLink) => boolean;
  /** Maximum number of links. The search ends soon after it has found more. */
  readonly maxLinks: number;
  /** Called after each slice of the text but the last, so that the process can do other work. */
  readonly pause: () => Promise<void>;
  /** Number of UTF-16 code units that the search reads before each pause. Default: `HTML_SLICE_UTF16_UNITS`. */
  readonly slice?: number;
}

/**
 * Returns the links that `replaceHtmlLinks` would replace, if `isWanted` accepts them. Reads the text in slices, so that a large text does
 * not block the process.
 */
export async function findHtmlLinks(
  html: string,
  { isWanted, maxLinks, pause, slice }: LinkSearchOptions,
): Promise<readonly HtmlLink[]> {
  const found: HtmlLink[] = [];
  const visitor = linkVisitor(html, (link) => {
    if (isWanted(link)) found.push(link);
  });
  const goOn = async (): Promise<boolean> => {
    if (found.length > maxLinks) return false;
    await pause();
    return true;
  };
  await visitHtmlInSlices(html, visitor, goOn, slice);
  return found;
}

/** Replaces the links that `findHtmlLinks` found in the same text. */
export function replaceFoundLinks(html: string, links: readonly HtmlLink[], replace: ReplaceLink): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const link of links) {
    const target = replace({ href: link.href, name: link.name });
    if (target === undefined) continue;
    pieces.push(html.slice(copied, link.start), `"${escapeHtmlAttribute(target)}"`);
    copied = link.end;
  }
  return pieces.join('') + html.slice(copied);
}

const linkVisitor = (html: string, onLink: (link: HtmlLink) => void): HtmlVisitor => ({
  onStartTag: (tag) => {
    if (tag.name !== 'a' && tag.name !== 'area') return;
    const at = tag.spanOf('href');
    const before = /^href\s*=\s*/i.exec(html.slice(at?.start ?? 0, at?.end ?? 0));
    if (at === undefined || before === null) return;
    onLink({
      href: tag.attribute('href')?.trim() ?? '',
      name: tag.attribute('name') ?? tag.attribute('data-name') ?? null,
      start: at.start + before[0].length,
      end: at.end,
    });
  },
});

/**
 * Replaces every web address in a plain text. An address begins with http:// or https://. Punctuation after an address, such as a full
 * stop, stays unchanged. An address may contain personalisation (`{{…}}`), and ends where dynamic content (`{%…%}`) begins.
 */
export function replaceTextLinks(text: string, replace: ReplaceLink): string {
  return text.replace(/https?:\/\/(?:\{\{[^{}\n]{1,200}\}\}|(?!\{[{%])[^\s<>"]){1,2000}/gi, (found) => {
    const href = found.replace(/[.,;:!?'\])]{1,20}$/, '');
    const target = replace({ href, name: null });
    return target === undefined ? found : target + found.slice(href.length);
  });
}

export function escapeHtmlAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
