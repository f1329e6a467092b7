/** Reads style sheets and `style` attributes, as tokens and declarations of CSS Syntax Level 3. Takes one pass over any text. */

export interface CssToken {
  /** `other` is one character without a meaning of its own, such as `:` or a digit. `space` is white space or a comment. */
  readonly kind: 'ident' | 'function' | 'at-keyword' | 'string' | 'url' | 'space' | 'other';
  /** The value with its escapes decoded. A string has no quotation marks, a function has no parenthesis, an at-keyword has no `@`. */
  readonly value: string;
  readonly start: number;
  /** First offset after the token, in UTF-16 units. */
  readonly end: number;
}

interface CssDeclaration {
  readonly kind: 'declaration';
  /** Name in lower case. Empty for a text that is no declaration, such as one without a colon. */
  readonly property: string;
  /** The value as it is written, without comments. */
  readonly value: string;
  readonly tokens: readonly CssToken[];
  readonly at: number;
}

interface CssAtRule {
  readonly kind: 'at-rule';
  /** Name in lower case, without `@`. */
  readonly name: string;
  readonly tokens: readonly CssToken[];
  readonly at: number;
}

/**
 * Returns the declarations and at-rules of a style sheet or of the value of a `style` attribute. No declaration begins or ends inside
 * comments, quoted texts, parentheses or brackets. Selectors are left out.
 */
export function parseCssDeclarations(css: string): readonly (CssDeclaration | CssAtRule)[] {
  const found: (CssDeclaration | CssAtRule)[] = [];
  let piece: CssToken[] = [];
  let depth = 0;
  const end = (by: string): void => {
    const [first, ...rest] = piece;
    if (first?.kind === 'at-keyword')
      found.push({ kind: 'at-rule', name: first.value.toLowerCase(), tokens: rest, at: first.start });
    // Text that ends in a brace is a selector: `a:hover`.
    else if (first !== undefined && by !== '{') found.push(declarationOf(css, piece, first.start));
    piece = [];
    depth = 0;
  };
  for (const token of cssTokens(css)) {
    const sign = token.kind === 'other' ? token.value : '';
    if (depth === 0 && (sign === ';' || sign === '{' || sign === '}')) {
      end(sign);
      continue;
    }
    if (sign === '(' || sign === '[' || token.kind === 'function') depth += 1;
    if (sign === ')' || sign === ']') depth = Math.max(0, depth - 1);
    if (piece.length > 0 || token.kind !== 'space') piece.push(token);
  }
  end('');
  return found;
}

function declarationOf(css: string, piece: readonly CssToken[], at: number): CssDeclaration {
  const colon = piece.findIndex(({ kind, value }) => kind === 'other' && value === ':');
  const names = piece.slice(0, Math.max(0, colon)).filter(({ kind }) => kind !== 'space');
  const [name] = names;
  const isNamed = names.length === 1 && name?.kind === 'ident';
  const tokens = piece.slice(colon + 1);
  const isComment = (token: CssToken): boolean => token.kind === 'space' && token.value === '';
  const value = tokens.map((token) => (isComment(token) ? '' : css.slice(token.start, token.end))).join('');
  return {
    kind: 'declaration',
    property: isNamed ? name.value.toLowerCase() : '',
    value: value.trim(),
    tokens,
    at,
  };
}

const NAME_START = /[a-z_\u0080-\uffff]/i;
const NAME = /[a-z0-9_\u0080-\uffff-]/i;
const SPACE = /[ \t\n\r\f]/;

function* cssTokens(css: string): Generator<CssToken> {
  let at = 0;
  while (at < css.length) {
    const token = readToken(css, at);
    yield token;
    at = token.end;
  }
}

function readToken(css: string, start: number): CssToken {
  const character = css[start] ?? '';
  if (character === '/' && css[start + 1] === '*') {
    const close = css.indexOf('*/', start + 2);
    return { kind: 'space', value: '', start, end: close === -1 ? css.length : close + 2 };
  }
  if (SPACE.test(character)) {
    let end = start + 1;
    while (SPACE.test(css[end] ?? '')) end += 1;
    return { kind: 'space', value: ' ', start, end };
  }
  if (character === '"' || character === "'") return { kind: 'string', start, ...readString(css, start) };
  if (character === '@' && startsName(css, start + 1))
    return { kind: 'at-keyword', start, ...readName(css, start + 1) };
  if (!startsName(css, start)) return { kind: 'other', value: character, start, end: start + 1 };
  const { value, end } = readName(css, start);
  if (css[end] !== '(') return { kind: 'ident', value, start, end };
  if (value.toLowerCase() === 'url') {
    let inner = end + 1;
    while (SPACE.test(css[inner] ?? '')) inner += 1;
    if (!/["']/.test(css[inner] ?? '')) return { kind: 'url', start, ...readBareUrl(css, inner) };
  }
  return { kind: 'function', value: value.toLowerCase(), start, end: end + 1 };
}

function startsName(css: string, at: number): boolean {
  const character = css[at] ?? '';
  if (character === '-') return /[a-z_\u0080-\uffff-]/i.test(css[at + 1] ?? '') || startsEscape(css, at + 1);
  return NAME_START.test(character) || startsEscape(css, at);
}

const startsEscape = (css: string, at: number): boolean =>
  css[at] === '\\' && at + 1 < css.length && !/[\n\r\f]/.test(css[at + 1] ?? '');

interface ReadValue {
  readonly value: string;
  readonly end: number;
}

function readName(css: string, start: number): ReadValue {
  const pieces: string[] = [];
  let at = start;
  for (;;) {
    if (NAME.test(css[at] ?? '')) {
      pieces.push(css[at] ?? '');
      at += 1;
    } else if (startsEscape(css, at)) {
      const { value, end } = readEscape(css, at);
      pieces.push(value);
      at = end;
    } else return { value: pieces.join(''), end: at };
  }
}

/** Reads a text in quotation marks. A line break ends it, because the quotation mark is missing. */
function readString(css: string, start: number): ReadValue {
  const quote = css[start];
  const pieces: string[] = [];
  let at = start + 1;
  while (at < css.length) {
    const character = css[at] ?? '';
    if (character === quote) return { value: pieces.join(''), end: at + 1 };
    if (/[\n\r\f]/.test(character)) break;
    if (startsEscape(css, at)) {
      const { value, end } = readEscape(css, at);
      pieces.push(value);
      at = end;
    } else if (character === '\\') at += css.startsWith('\r\n', at + 1) ? 3 : 2;
    else {
      pieces.push(character);
      at += 1;
    }
  }
  return { value: pieces.join(''), end: Math.min(at, css.length) };
}

function readBareUrl(css: string, start: number): ReadValue {
  const pieces: string[] = [];
  let at = start;
  while (at < css.length && css[at] !== ')') {
    const { value, end } = startsEscape(css, at)
      ? readEscape(css, at)
      : { value: css[at] ?? '', end: at + 1 };
    pieces.push(value);
    at = end;
  }
  return { value: pieces.join('').trim(), end: Math.min(at + 1, css.length) };
}

/** Reads `\41 `: up to six hexadecimal digits and one white space, or else one character. */
function readEscape(css: string, start: number): ReadValue {
  const digits = /^[0-9a-f]{1,6}/i.exec(css.slice(start + 1, start + 7))?.[0];
  if (digits === undefined) {
    const character = String.fromCodePoint(css.codePointAt(start + 1) ?? 0xfffd);
    return { value: character, end: start + 1 + character.length };
  }
  const code = Number.parseInt(digits, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  const end = start + 1 + digits.length;
  const space = css.startsWith('\r\n', end) ? 2 : SPACE.test(css[end] ?? '') ? 1 : 0;
  return { value: isCharacter ? String.fromCodePoint(code) : '\ufffd', end: end + space };
}
