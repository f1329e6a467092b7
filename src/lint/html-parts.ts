/** Parses the HTML of a message once for all checks: its elements, links, images and texts with their positions. Also parses CSS. */
import { HIDDEN_ELEMENTS, type HtmlTag, type Span, visitHtml } from '../text/html-tokens.ts';

export interface ParsedHtml {
  readonly source: string;
  readonly tags: readonly HtmlTag[];
  readonly links: readonly ParsedLink[];
  /** Texts that a reader sees or hears, including the `alt` and `title` attributes. Styles and scripts are not included. */
  readonly texts: readonly HtmlText[];
  /** Text of `<title>`. Undefined if the page has no title. */
  readonly title: string | undefined;
  /** CSS of `<style>` elements, as in the source, and of `style` attributes. */
  readonly styles: readonly HtmlText[];
  readonly faults: readonly HtmlFault[];
}

interface ParsedLink {
  /** Undefined if the link has no `href`. */
  readonly href: string | undefined;
  /** Text between the link's tags, including the `alt` of images. */
  readonly text: string;
  readonly at: number;
}

interface HtmlText {
  readonly text: string;
  readonly at: number;
  /** True if `text` is the value of an HTML attribute. An offset in such a value does not match an offset in the HTML source. */
  readonly isValue?: true;
}

/** Fault in the tags of the HTML, such as a missing end tag. */
interface HtmlFault {
  /** Description of the fault, as the end of a sentence that starts with "The HTML". */
  readonly problem: string;
  readonly at: number;
}

export function parseHtml(source: string): ParsedHtml {
  const tags: HtmlTag[] = [];
  const links: ParsedLink[] = [];
  const texts: HtmlText[] = [];
  const styles: HtmlText[] = [];
  const faults: HtmlFault[] = [];
  const balance = createBalance(faults);
  let title: string | undefined;
  let inside = '';
  let link: { readonly href: string | undefined; text: string; readonly at: number } | undefined;
  const endLink = (): void => {
    if (link) links.push(link);
    link = undefined;
  };
  visitHtml(source, {
    onStartTag: (tag) => {
      tags.push(tag);
      balance.open(tag);
      if (HIDDEN_ELEMENTS.has(tag.name)) inside = tag.name;
      if (tag.name === 'a') {
        endLink();
        // An anchor that is only a target of other links has no address on purpose.
        if (tag.attribute('href') !== undefined || !(tag.attribute('name') ?? tag.attribute('id')))
          link = { href: tag.attribute('href')?.trim(), text: '', at: tag.start };
      }
      if (tag.name === 'area' && tag.attribute('href') !== undefined)
        links.push({ href: tag.attribute('href')?.trim(), text: tag.attribute('alt') ?? '', at: tag.start });
      for (const name of ['alt', 'title', 'aria-label']) {
        const text = tag.attribute(name);
        if (text === undefined) continue;
        texts.push({ text, at: tag.spanOf(name)?.start ?? tag.start, isValue: true });
        if (link) link.text += text;
      }
      const style = tag.attribute('style');
      if (style !== undefined)
        styles.push({ text: style, at: tag.spanOf('style')?.start ?? tag.start, isValue: true });
    },
    onEndTag: ({ name, start }) => {
      balance.close(name, start);
      if (name === inside) inside = '';
      if (name === 'a') endLink();
    },
    onText: (text, { start, end }) => {
      if (inside === 'title') title = (title ?? '') + text;
      else if (inside === 'style') styles.push({ text: source.slice(start, end), at: start });
      else if (inside === '') {
        texts.push({ text, at: start });
        if (link) link.text += text;
      }
    },
    onError: (code, span) => {
      const problem = Object.hasOwn(ERRORS, code) ? ERRORS[code] : undefined;
      if (problem !== undefined) faults.push({ problem, at: span.start });
    },
  });
  endLink();
  // `{% if %}` may open an element in one branch that another branch closes.
  if (!source.includes('{%')) balance.end();
  else faults.splice(0, faults.length, ...faults.filter(({ problem }) => !problem.startsWith(CLOSES)));
  return { source, tags, links, texts, title, styles, faults };
}

/** Parse errors of the HTML standard ("Parse errors") whose effects a reader of a message may see. */
const ERRORS: Readonly<Record<string, string>> = {
  'duplicate-attribute': 'has the same attribute twice in one tag; browsers ignore the second',
  'eof-in-comment': 'has a comment without an end, which hides the rest',
  'eof-in-tag': 'ends inside a tag',
  'eof-in-script-html-comment-like-text': 'ends inside a script',
  'invalid-first-character-of-tag-name': 'has a < that does not start a tag; write &lt;',
  'missing-attribute-value': 'has an attribute with = but no value',
  'missing-whitespace-between-attributes':
    'has no space between two attributes; a quotation mark may be missing',
  'unexpected-character-in-attribute-name': 'has a quotation mark or < in the name of an attribute',
  'unexpected-character-in-unquoted-attribute-value': 'has a quotation mark inside an unquoted value',
  'unexpected-equals-sign-before-attribute-name': 'has a = where an attribute name should start',
};

const CLOSES = 'closes';

/**
 * Creates a tracker that checks whether start tags and end tags balance: each start tag has one end tag. Adds a fault to `faults` for each
 * missing or surplus end tag. Ignores HTML elements whose end tags are optional.
 */
function createBalance(faults: HtmlFault[]): {
  readonly open: (tag: HtmlTag) => void;
  readonly close: (name: string, at: number) => void;
  readonly end: () => void;
} {
  const open = new Map<string, Span[]>();
  return {
    open: (tag) => {
      if (!NEED_END.has(tag.name)) return;
      const of = open.get(tag.name) ?? [];
      of.push(tag);
      open.set(tag.name, of);
    },
    close: (name, at) => {
      if (!NEED_END.has(name)) return;
      if (open.get(name)?.pop() === undefined)
        faults.push({ problem: `${CLOSES} a <${name}> that was never opened`, at });
    },
    end: () => {
      for (const [name, spans] of open)
        for (const { start } of spans) faults.push({ problem: `does not close this <${name}>`, at: start });
    },
  };
}

/** Elements whose end tag HTML requires. Without it, the content that follows becomes part of the element. */
const NEED_END: ReadonlySet<string> = new Set([
  ...['a', 'b', 'big', 'blockquote', 'center', 'div', 'em', 'font', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['i', 'ol', 's', 'small', 'span', 'strong', 'style', 'sub', 'sup', 'table', 'title', 'u', 'ul'],
]);

type CssDeclarationOrAtRule =
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
