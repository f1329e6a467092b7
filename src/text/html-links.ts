/** Finds the links of a message and puts others in their place; everything else stays octet for octet. */
import { readHtml } from './html-tokens.ts';

export interface FoundLink {
  /** As a browser would read it: entities are decoded. */
  readonly href: string;
  /** The attribute `name`, else `data-name`. */
  readonly name: string | null;
}

/** The address to put in place of a link's; undefined leaves it as it is. */
export type ReplaceLink = (link: FoundLink) => string | undefined;

/**
 * Every `<a>` and `<area>` with an `href`, in order, as a browser finds them without scripts: those in comments, scripts,
 * styles and titles are none. Nothing but the values of their `href` is written anew.
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
 * Every address in a plain text that begins with http:// or https://, without the punctuation that follows it. It may
 * hold `{{ … }}`, and ends where dynamic content begins.
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
