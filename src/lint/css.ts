/** Finds the declarations and at-rules of CSS with their positions, without checking the values. */

export type CssDeclarationOrAtRule =
  | { readonly kind: 'declaration'; readonly property: string; readonly value: string; readonly at: number }
  | { readonly kind: 'at-rule'; readonly name: string; readonly at: number };

/**
 * Reads a style sheet, or the value of a `style` attribute, in one pass. No declaration begins or ends inside comments, quoted texts or
 * parentheses. Names are in lower case.
 */
export function parseCssDeclarations(css: string): readonly CssDeclarationOrAtRule[] {
  const found: CssDeclarationOrAtRule[] = [];
  let piece = '';
  let start = -1;
  let depth = 0;
  const end = (by: string): void => {
    const text = piece.trim();
    if (text.startsWith('@')) {
      const name = /^@([a-z-]+)/i.exec(text)?.[1]?.toLowerCase();
      if (name !== undefined) found.push({ kind: 'at-rule', name, at: start });
    } else if (by !== '{') {
      // Text that ends in a brace is a selector: `a:hover`.
      const colon = text.indexOf(':');
      const property = text.slice(0, colon).trim().toLowerCase();
      if (colon > 0 && /^-{0,2}[a-z][a-z0-9-]*$/.test(property))
        found.push({ kind: 'declaration', property, value: text.slice(colon + 1).trim(), at: start });
    }
    piece = '';
    start = -1;
    depth = 0;
  };
  for (let at = 0; at < css.length; at += 1) {
    const character = css[at] ?? '';
    if (character === '/' && css[at + 1] === '*') {
      const close = css.indexOf('*/', at + 2);
      at = close === -1 ? css.length : close + 1;
      continue;
    }
    if (character === '"' || character === "'") {
      const close = endOfString(css, at, character);
      piece += css.slice(at, close + 1);
      if (start === -1) start = at;
      at = close;
      continue;
    }
    if (depth === 0 && (character === ';' || character === '{' || character === '}')) {
      end(character);
      continue;
    }
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (start === -1 && character.trim() !== '') start = at;
    piece += character;
  }
  end('');
  return found;
}

function endOfString(css: string, from: number, quote: string): number {
  for (let at = from + 1; at < css.length; at += 1) {
    if (css[at] === '\\') at += 1;
    else if (css[at] === quote || css[at] === '\n') return at;
  }
  return css.length - 1;
}
