/** Finds the links of a message and puts others in their place; everything else stays octet for octet. */

export interface FoundLink {
  /** As a browser would read it: entities are decoded. */
  readonly href: string;
  /** The attribute `name`, else `data-name`. */
  readonly name: string | null;
}

/** The address to put in place of a link's; undefined leaves it as it is. */
export type ReplaceLink = (link: FoundLink) => string | undefined;

/** Every `<a>` and `<area>` with an `href`, in order; those in comments, scripts and styles are none. */
export function replaceHtmlLinks(html: string, replace: ReplaceLink): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const skipped = endOfSkipped(html, at);
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const tag = /^<(a|area)(?=[\s/])/i.exec(html.slice(at, at + 6));
    if (!tag) {
      at += 1;
      continue;
    }
    const { attributes, end } = readAttributes(html, at + tag[0].length);
    at = end;
    const href = attributes.get('href');
    if (!href || html[end] !== '>') continue;
    const name = attributes.get('name') ?? attributes.get('data-name');
    const target = replace({
      href: decodeEntities(href.value).trim(),
      name: name ? decodeEntities(name.value) : null,
    });
    if (target === undefined) continue;
    pieces.push(html.slice(copied, href.start), `"${encodeAttribute(target)}"`);
    copied = href.end;
  }
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

interface Attribute {
  readonly value: string;
  /** Of the value with its quotes. */
  readonly start: number;
  readonly end: number;
}

/** The attributes up to the `>` of the tag. Tags of personalisation inside values are passed over whole. */
function readAttributes(
  html: string,
  from: number,
): { readonly attributes: ReadonlyMap<string, Attribute>; readonly end: number } {
  const attributes = new Map<string, Attribute>();
  let at = from;
  while (at < html.length && html[at] !== '>') {
    const name = takeWhile(html, at, (character) => !/[\s=>/]/.test(character));
    if (name === at) {
      at += 1;
      continue;
    }
    const equals = takeWhile(html, name, isSpace);
    if (html[equals] !== '=') {
      at = name;
      continue;
    }
    const start = takeWhile(html, equals + 1, isSpace);
    const quote = html[start];
    const isQuoted = quote === '"' || quote === "'";
    const end = isQuoted ? endOfQuoted(html, start + 1, quote) : endOfBare(html, start);
    const value = isQuoted ? html.slice(start + 1, end - 1) : html.slice(start, end);
    const key = html.slice(at, name).toLowerCase();
    if (!attributes.has(key)) attributes.set(key, { value, start, end });
    at = end;
  }
  return { attributes, end: at };
}

const isSpace = (character: string): boolean => /\s/.test(character);

function takeWhile(html: string, from: number, holds: (character: string) => boolean): number {
  let at = from;
  while (at < html.length && holds(html[at] ?? '')) at += 1;
  return at;
}

/** After the closing quote. */
function endOfQuoted(html: string, from: number, quote: string): number {
  let at = from;
  while (at < html.length && html[at] !== quote) at = pastTag(html, at);
  return Math.min(at + 1, html.length);
}

function endOfBare(html: string, from: number): number {
  let at = from;
  while (at < html.length && !/[\s>]/.test(html[at] ?? '')) at = pastTag(html, at);
  return at;
}

/** One character on, or past the `{{ … }}` or `{% … %}` that begins here. */
function pastTag(html: string, at: number): number {
  const opening = html.slice(at, at + 2);
  if (opening !== '{{' && opening !== '{%') return at + 1;
  const end = html.slice(at, at + 1000).indexOf(opening === '{{' ? '}}' : '%}');
  return end === -1 ? at + 1 : at + end + 2;
}

/** Where a comment, a script or a style that begins here ends; undefined when none does. */
function endOfSkipped(html: string, at: number): number | undefined {
  if (html.startsWith('<!--', at)) return endAfter(html, '-->', at);
  const raw = /^<(script|style)[\s>]/i.exec(html.slice(at, at + 8));
  if (!raw) return undefined;
  const closing = new RegExp(`</${raw[1]}`, 'gi');
  closing.lastIndex = at;
  return closing.exec(html) ? closing.lastIndex : html.length;
}

function endAfter(html: string, closing: string, from: number): number {
  const end = html.indexOf(closing, from);
  return end === -1 ? html.length : end + closing.length;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(amp|quot|apos|lt|gt)|#([0-9]{1,6})|#x([0-9a-f]{1,6}));/gi,
    (whole, name, dec, hex) => {
      if (name) return ENTITIES[String(name).toLowerCase()] ?? whole;
      const code = dec ? Number(dec) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
