/** Checks whether dynamic content can change the tags of HTML, so that some people get texts that the HTML itself hides. */
import { findContentTags } from './dynamic-content.ts';
import { readComment } from './html-comments.ts';
import { findMaskedTags, type HtmlTag, type Span, visitHtml } from './html-tokens.ts';

const MAX_LEVELS = 8;

/**
 * Returns false if every person gets tags, comments and texts that the HTML has. This holds if each tag of dynamic content is in a text, a
 * comment or a quoted value of an attribute. A choice that begins in a comment or a value must also end there. Returns true for all other HTML, such as
 * `<!-- --{% if email %}>{% endif %} hidden -->`.
 */
export function hasDynamicMarkup(html: string, level = 0): boolean {
  const tags = findContentTags(html);
  if (tags.length === 0) return findMaskedTags(html).length > 0;
  if (level > MAX_LEVELS || !areEqual(tags, findMaskedTags(html))) return true;
  const places = findSafePlaces(html, level);
  let at = 0;
  for (const place of places) {
    const inside: Span[] = [];
    for (; at < tags.length && (tags[at]?.start ?? 0) < place.end; at += 1) inside.push(tags[at] ?? place);
    if (inside.some(({ start, end }) => start < place.start || end > place.end)) return true;
    if (place.isClosed && !isBalanced(html, inside)) return true;
  }
  return at < tags.length;
}

const areEqual = (some: readonly Span[], others: readonly Span[]): boolean =>
  some.length === others.length &&
  some.every(({ start, end }, at) => start === others[at]?.start && end === others[at]?.end);

interface SafePlace extends Span {
  /** True if a choice that begins here must end here. */
  readonly isClosed: boolean;
}

/** Returns the places, in order, in which a tag of dynamic content changes no tag of the HTML. */
function findSafePlaces(html: string, level: number): readonly SafePlace[] {
  const places: SafePlace[] = [];
  let raw: string | undefined;
  const isSafeText = (text: string): boolean =>
    raw === undefined ? !/<\/?\{[{%]/.test(text) : !text.includes('<');
  visitHtml(html, {
    onStartTag: (tag) => {
      if (RAW_ELEMENTS.has(tag.name)) raw = tag.name;
      for (const place of quotedValues(html, tag)) places.push(place);
    },
    onEndTag: ({ name }) => {
      if (name === raw) raw = undefined;
    },
    onText: (_, span) => {
      if (isSafeText(html.slice(span.start, span.end))) places.push({ ...span, isClosed: raw !== undefined });
    },
    onComment: (text, span) => {
      const meaning = readComment(text);
      const isTouched = /[>!-]\{[{%]|[%}]\}[>!-]/.test(text);
      if (isTouched || (meaning.kind === 'conditional' && hasDynamicMarkup(meaning.html, level + 1))) return;
      places.push({ ...span, isClosed: true });
    },
  });
  return places;
}

const RAW_ELEMENTS: ReadonlySet<string> = new Set([
  ...['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp'],
]);

const quotedValues = (html: string, tag: HtmlTag): readonly SafePlace[] =>
  tag.attributeNames
    .flatMap((name) => {
      const span = tag.spanOf(name);
      const before = /^[^=]*=\s*(?=["'])/.exec(html.slice(span?.start, span?.end));
      return span && before ? [{ start: span.start + before[0].length, end: span.end, isClosed: true }] : [];
    })
    .sort((a, b) => a.start - b.start);

function isBalanced(html: string, tags: readonly Span[]): boolean {
  let depth = 0;
  for (const { start, end } of tags) {
    const [, word] = /^\{%\s{0,100}(\w{1,10})/.exec(html.slice(start, end)) ?? [];
    if (word === 'if') depth += 1;
    else if (word !== undefined && depth === 0) return false;
    if (word === 'endif') depth -= 1;
  }
  return depth === 0;
}
