/** Finds the elements that `customoptin` needs in a message (interface, "Content rules"). */
import type { ContentMarkupNames, Finding } from '../schema/resource.ts';

/** Returns the finding for HTML without the opt-in link. */
export const missingOptInLink = (words: ContentMarkupNames): Finding => ({
  attribute: 'html',
  reason: 'has no opt-in link, which customoptin needs',
  instead: `add <${words.linkElement} value="${words.optInTag}" name="opt-in">Confirm</${words.linkElement}>`,
});

/**
 * Reports whether the HTML seems to have the opt-in link: a tag with the value and name that the interface requires, and content after it.
 * Only the service parses the HTML, because a parser is too large for the start of the command line. So a link in a comment passes here.
 */
export function hasOptInLink(html: string, words: ContentMarkupNames): boolean {
  const closing = `</${words.linkElement.toLowerCase()}`;
  const lower = html.toLowerCase();
  for (const { attributes, end } of tagsNamed(html, lower, words.linkElement)) {
    if (attributes.get('value') !== words.optInTag || attributes.get('name') !== 'opt-in') continue;
    const close = lower.indexOf(closing, end);
    if (close === -1) return false;
    if (html.slice(end + 1, close).trim() !== '') return true;
  }
  return false;
}

export function hasOptInName(text: string, words: ContentMarkupNames): boolean {
  for (const { attributes } of tagsNamed(text, text.toLowerCase(), words.nameElement))
    if (attributes.get('value') === 'optin' && attributes.get('alt') === '') return true;
  return false;
}

/** Tag with its attributes, and the position of the `>` that ends the tag. */
interface Tag {
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

/** Yields the opening tags with this name. The search uses no regular expressions, so that no text can make it slow. */
function* tagsNamed(source: string, lower: string, name: string): Generator<Tag> {
  const open = `<${name.toLowerCase()}`;
  for (let at = lower.indexOf(open); at !== -1; ) {
    const end = endOfTag(source, at);
    if (end !== undefined && /[\s/>]/.test(source.charAt(at + open.length)))
      yield { attributes: readAttributes(source.slice(at + open.length, end)), end };
    at = lower.indexOf(open, end ?? at + MAX_TAG_LENGTH);
  }
}

/** Maximum length of a tag, in UTF-16 units. Longer tags are not read, so that no text can make the search slow. */
const MAX_TAG_LENGTH = 2_000;

/** Returns the position of the `>` that ends the tag at `from`. A `>` in a quoted value does not end it. */
function endOfTag(source: string, from: number): number | undefined {
  let quote = '';
  for (let at = from; at < Math.min(source.length, from + MAX_TAG_LENGTH); at += 1) {
    const character = source.charAt(at);
    if (quote === '' && character === '>') return at;
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return undefined;
}

function readAttributes(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const match of source.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/g)) {
    found.set((match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? '');
  }
  return found;
}
