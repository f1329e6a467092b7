/** Finds the links of a message and replaces their addresses. All other octets stay unchanged. */
import { readHtml } from './html-tokens.ts';

export interface FoundLink {
  /** Address as a browser would read it, with entities decoded. */
  readonly href: string;
  /** Value of the attribute `name`. Without it, the value of `data-name`. */
  readonly name: string | null;
}

/** Returns the new address of a link, or undefined to leave it unchanged. */
export type ReplaceLink = (link: FoundLink) => string | undefined;

/**
 * Replaces links in every `<a>` and `<area>` with an `href`, in order, as a browser without scripts finds them. Links in comments, scripts,
 * styles and titles do not count. Only the values of `href` change.
 */
export function replaceHtmlLinks(html: string, replace: ReplaceLink): string {
  const pieces: string[] = [];
  let copied = 0;
  readHtml(html, {
    onStartTag: (tag) => {
      if (tag.name !== 'a' && tag.name !== 'area') return;
      const at = tag.spanOf('href');
      const before = /^href\s*=\s*/i.exec(html.slice(at?.start ?? 0, at?.end ?? 0));
      if (at === undefined || before === null) return;
      const target = replace({
        href: tag.attribute('href')?.trim() ?? '',
        name: tag.attribute('name') ?? tag.attribute('data-name') ?? null,
      });
      if (target === undefined) return;
      pieces.push(html.slice(copied, at.start), before[0], `"${encodeAttribute(target)}"`);
      copied = at.end;
    },
  });
  return pieces.join('') + html.slice(copied);
}

/**
 * Replaces every address in a plain text that begins with http:// or https://, without the punctuation after it. An address may hold `{{ …
 * }}`, and ends where dynamic content begins.
 */
export function replaceTextLinks(text: string, replace: ReplaceLink): string {
  return text.replace(/https?:\/\/(?:\{\{[^{}\n]{1,200}\}\}|(?!\{[{%])[^\s<>"]){1,2000}/gi, (found) => {
    const href = found.replace(/[.,;:!?'\])]{1,20}$/, '');
    const target = replace({ href, name: null });
    return target === undefined ? found : target + found.slice(href.length);
  });
}

export function encodeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
