/** Finds every address that a tag names, whether a mail program opens it after a click or loads it at once. */
import type { HtmlTagContent } from './html-tree.ts';

/**
 * Use of an address by a mail program. It opens a `link` or a `form` after a click, and a `refresh` or a `frame` at once. It loads an `image` or
 * a `style`. It completes other addresses with a `base`. `other` is an address in an attribute without a known use.
 */
export type AddressKind = 'link' | 'form' | 'refresh' | 'base' | 'frame' | 'image' | 'style' | 'other';

export interface TagAddress {
  readonly kind: AddressKind;
  /** The address as it is written, with entities decoded. */
  readonly address: string;
}

/** Returns the addresses of a tag in the order of its attributes. Addresses in its styles are not included. */
export function findTagAddresses(tag: HtmlTagContent): readonly TagAddress[] {
  return [...tag.attributes].flatMap(([name, value]) =>
    addressesIn(tag, name, value).map(({ kind, address }) => ({ kind, address: address.trim() })),
  );
}

export const localName = (attribute: string): string =>
  attribute.slice(attribute.indexOf(':') + 1).toLowerCase();

function addressesIn(tag: HtmlTagContent, attribute: string, value: string): readonly TagAddress[] {
  const element = tag.name.toLowerCase();
  const name = localName(attribute);
  switch (name) {
    case 'href':
      return [{ kind: LINK_KINDS[element] ?? 'link', address: value }];
    case 'action':
    case 'formaction':
      return [{ kind: 'form', address: value }];
    case 'src':
      return [
        { kind: FRAMES.has(element) ? 'frame' : element === 'script' ? 'other' : 'image', address: value },
      ];
    case 'srcset':
    case 'imagesrcset':
      return candidatesIn(value).map((address) => ({ kind: 'image', address }));
    case 'background':
    case 'poster':
    case 'lowsrc':
    case 'dynsrc':
      return [{ kind: 'image', address: value }];
    case 'data':
    case 'classid':
    case 'code':
    case 'codebase':
    case 'archive':
      return FRAMES.has(element) ? [{ kind: 'frame', address: value }] : otherAddress(value);
    case 'ping':
      return value
        .split(/[ \t\n\f\r]/)
        .filter(Boolean)
        .map((address) => ({ kind: 'other', address }));
    case 'cite':
    case 'longdesc':
    case 'manifest':
    case 'profile':
      return [{ kind: 'other', address: value }];
    case 'content':
      if (element !== 'meta') return otherAddress(value);
      if (tag.attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') return refreshAddress(value);
      return otherAddress(value);
    default:
      return attribute.startsWith('xmlns') || SHOWN.has(name) ? [] : otherAddress(value);
  }
}

/** Elements whose `href` is no link to click. */
const LINK_KINDS: Readonly<Record<string, AddressKind>> = {
  base: 'base',
  feimage: 'image',
  filter: 'image',
  image: 'image',
  lineargradient: 'image',
  link: 'style',
  mpath: 'image',
  pattern: 'image',
  radialgradient: 'image',
  script: 'other',
  textpath: 'image',
  use: 'image',
};

const FRAMES: ReadonlySet<string> = new Set([
  ...['applet', 'embed', 'fencedframe', 'frame', 'iframe', 'object', 'portal'],
]);

/** Attributes that are read in another way, or whose value is a text. */
const SHOWN: ReadonlySet<string> = new Set(['alt', 'srcdoc', 'style', 'title']);

const otherAddress = (value: string): readonly TagAddress[] =>
  /:[\\/]{2}|^[\s\0-\x1f]{0,100}[\\/]{2}/.test(value) ? [{ kind: 'other', address: value }] : [];

/** Returns the addresses of `a.png 1x, b.png 2x`. */
const candidatesIn = (srcset: string): readonly string[] =>
  srcset
    .split(/[ \t\n\f\r]/)
    .map((word) => withoutCommas(word.replace(/^[\d.]{1,20}[wxh],/i, '')))
    .filter((word) => word !== '' && !/^[\d.]{1,20}[wxh]$/i.test(word));

function withoutCommas(word: string): string {
  let start = 0;
  let end = word.length;
  while (word[start] === ',') start += 1;
  while (end > start && word[end - 1] === ',') end -= 1;
  return word.slice(start, end);
}

/** Returns the address of `5; url=https://…`. Without an address, the page only reloads itself. */
function refreshAddress(content: string): readonly TagAddress[] {
  const address = content
    .replace(/^[\s\d.]+/, '')
    .replace(/^[;,]/, '')
    .trimStart()
    .replace(/^url\s{0,20}=/i, '')
    .trim()
    .replace(/^["']|["']$/g, '');
  return address === '' ? [] : [{ kind: 'refresh', address }];
}

/**
 * Returns the address that opens if it is not the one that is written: for a relative address, and for one that browsers read otherwise, such
 * as `https:\\a.example` or `https://a.example@b.example`. The result has no user name and no password. Returns undefined for all others, and for an address that personalisation completes.
 * @param base the address that completes relative ones, if the message has one
 */
export function openedAddress(address: string, base: string | undefined): string | undefined {
  if (/\{[{%]/.test(address) || /^(?:data|mailto|tel|sms|cid):/i.test(address)) return undefined;
  const url = readAddress(address, base);
  if (url === undefined || url.host === '') return undefined;
  const start = `${url.protocol}//${url.host}`;
  const isAsWritten =
    address.toLowerCase().startsWith(start) && /^[:/?#]?$/.test(address.charAt(start.length));
  url.username = '';
  url.password = '';
  return isAsWritten ? undefined : url.href;
}

function readAddress(address: string, base: string | undefined): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
