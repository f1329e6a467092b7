/** Finds what styles add to a message: text, and addresses that they load. */
import { type CssToken, parseCssDeclarations } from './css.ts';

export interface StyleEffects {
  /** Texts in quotation marks, each declaration as one text. Includes only texts that a style can show. */
  readonly texts: readonly string[];
  /** Declarations that show text which depends on other values, such as counters, as they are written. */
  readonly uncomputed: readonly string[];
  /** Names of the attributes whose values the styles show, in lower case. */
  readonly attributes: readonly string[];
  readonly addresses: readonly string[];
}

/** Returns the effects of a style sheet, or of the value of a `style` attribute. Selectors and conditions are ignored. */
export function findStyleEffects(css: string): StyleEffects {
  const texts = new Set<string>();
  const uncomputed = new Set<string>();
  const attributes = new Set<string>();
  const addresses = new Set<string>();
  for (const found of parseCssDeclarations(css)) {
    const parts = partsOf(found.tokens);
    for (const address of parts.addresses) addresses.add(address);
    for (const name of parts.attributes) attributes.add(name);
    if (found.kind === 'at-rule') {
      if (found.name === 'import') for (const address of parts.strings) addresses.add(address);
      continue;
    }
    const { property, value } = found;
    if (!(parts.isSimple && SILENT.test(property))) texts.add(parts.strings.join(''));
    else
      for (const text of parts.strings) if (property === 'src' || text.includes('://')) addresses.add(text);
    if (DEPENDENT.test(property) && parts.hasOther) uncomputed.add(`${property}: ${value}`);
    else if (ALWAYS_DEPENDENT.test(property)) uncomputed.add(`${property}: ${value}`);
    else if (property === 'unicode-bidi' && parts.isReversed) uncomputed.add(`${property}: ${value}`);
  }
  const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
  return {
    texts: [...texts].filter(isVisible),
    uncomputed: [...uncomputed],
    attributes: [...attributes],
    addresses: [...addresses].filter(isVisible),
  };
}

/** Properties whose texts in quotation marks are names of fonts, styles or areas. All other properties may show them. */
const SILENT =
  /^(?:font|font-family|src|font-feature-settings|font-variation-settings|font-language-override|format|grid|grid-template|grid-template-areas|syntax|behavior|mso-[a-z-]{0,40}font[a-z-]{0,40}|mso-style-[a-z-]+|mso-number-format|panose-1)$/;

/** Properties that show text which svc cannot compute if their value has more than texts, addresses and single words. */
const DEPENDENT = /^(?:content|list-style|list-style-type|quotes)$/;

/** Properties that set counters or define signs of a list. */
const ALWAYS_DEPENDENT =
  /^(?:counter-reset|counter-set|counter-increment|symbols|additive-symbols|negative|prefix|suffix|pad|mso-level-text)$/;

interface ValueParts {
  readonly strings: readonly string[];
  readonly addresses: readonly string[];
  readonly attributes: readonly string[];
  /** True if the value has no brackets except those of functions that name a font or an address. */
  readonly isSimple: boolean;
  /** True if the value has a function or a word that inserts other text. */
  readonly hasOther: boolean;
  /** True if a word of the value makes letters run in the opposite direction. */
  readonly isReversed: boolean;
}

/** Functions whose text in quotation marks is an address. */
const ADDRESS_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['url', 'src', 'image', 'image-set', '-webkit-image-set', 'cross-fade', '-webkit-cross-fade'],
]);
/** Functions whose text in quotation marks is never shown. */
const SILENT_FUNCTIONS: ReadonlySet<string> = new Set(['format', 'local', 'tech', 'type', 'selector']);

function partsOf(tokens: readonly CssToken[]): ValueParts {
  const strings: string[] = [];
  const addresses: string[] = [];
  const attributes: string[] = [];
  const open: string[] = [];
  let isSimple = true;
  let hasOther = false;
  let isReversed = false;
  for (const [index, { kind, value }] of tokens.entries()) {
    const inside = open.at(-1) ?? '';
    if (kind === 'url') addresses.push(value);
    else if (kind === 'string') {
      if (ADDRESS_FUNCTIONS.has(inside)) addresses.push(value);
      else if (!SILENT_FUNCTIONS.has(inside)) strings.push(value);
    } else if (kind === 'function') {
      open.push(value);
      if (value === 'attr') attributes.push(...firstName(tokens, index + 1));
      const isKnown = ADDRESS_FUNCTIONS.has(value) || SILENT_FUNCTIONS.has(value);
      isSimple &&= isKnown;
      hasOther ||= !isKnown && !value.endsWith('gradient');
    } else if (kind === 'ident') {
      hasOther ||= /^(?:no-)?(?:open|close)-quote$/i.test(value);
      isReversed ||= /^(?:bidi|isolate)-override$/i.test(value);
    } else if (kind === 'other') {
      if (value === '(' || value === '[') open.push('');
      if (value === ')' || value === ']') open.pop();
      isSimple &&= !/[()[\]{};]/.test(value) || value === ')';
    }
  }
  return { strings, addresses, attributes, isSimple, hasOther, isReversed };
}

/** Returns the name after `attr(`. A namespace before it, as in `attr(xlink|href)`, is left out. */
function firstName(tokens: readonly CssToken[], from: number): readonly string[] {
  const names: string[] = [];
  for (const { kind, value } of tokens.slice(from, from + 8)) {
    if (kind === 'ident') names.push(value.toLowerCase());
    else if (kind !== 'space' && value !== '|') break;
    if (names.length > 0 && kind === 'space') break;
  }
  return names.slice(-1);
}
