/** Finds texts for people in the attributes of a tag. */
import { localName } from './html-addresses.ts';
import type { HtmlTagContent } from './html-tree.ts';

const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['abbr', 'aria-description', 'aria-label', 'aria-placeholder', 'aria-roledescription', 'aria-valuetext'],
  ...['label', 'placeholder', 'prompt', 'standby', 'string', 'summary', 'title'],
]);
/** Elements that show their value, or send it. */
const VALUE_ELEMENTS: ReadonlySet<string> = new Set(['button', 'input', 'isindex', 'option', 'param']);
/** Names of `<meta>` that have no text for people. */
const TECHNICAL_META =
  /^(?:color-scheme|supported-color-schemes|format-detection|generator|origin|progid|referrer|robots|viewport|x-apple-disable-message-reformatting)$/i;

/**
 * Returns the texts in the attributes of a tag that a mail program may show or read aloud. The `alt` of an
 * image is usually part of the text of the message.
 * @param includesAlt true to include it here
 */
export function findAttributeTexts(tag: HtmlTagContent, includesAlt: boolean) {
  const { name: element, attributes } = tag;
  const isShown = (name: string): boolean =>
    TEXT_ATTRIBUTES.has(name) ||
    (name === 'alt' && (includesAlt || element !== 'img')) ||
    (name === 'value' && VALUE_ELEMENTS.has(element)) ||
    (name === 'dir' && element === 'bdo') ||
    (name === 'content' && isMetaText(tag));
  return [...attributes]
    .map(([name, value]) => ({ name: localName(name), text: value.trim().replace(/\s+/g, ' ') }))
    .filter(({ name, text }) => text !== '' && isShown(name));
}

function isMetaText({ name, attributes }: HtmlTagContent): boolean {
  const names = ['name', 'property', 'itemprop'].flatMap((each) => attributes.get(each) ?? []);
  return name === 'meta' && names.some((each) => !TECHNICAL_META.test(each.trim()));
}
