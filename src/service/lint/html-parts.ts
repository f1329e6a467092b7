/** Parses the HTML of a message once for most checks: its elements, links, images, texts and styles with their positions. */
import { HIDDEN_ELEMENTS, type HtmlTag, type Span, visitHtml } from '../../kit/text/html-tokens.ts';

export interface ParsedHtml {
  readonly source: string;
  readonly tags: readonly HtmlTag[];
  readonly links: readonly ParsedLink[];
  /** Styles and scripts are not included. */
  readonly texts: readonly HtmlText[];
  readonly title: string | undefined;
  readonly styles: readonly HtmlText[];
  readonly faults: readonly HtmlFault[];
}

interface ParsedLink {
  /** Undefined if the link has no `href`. */
  readonly href: string | undefined;
  readonly text: string;
  readonly at: number;
}

interface HtmlText {
  readonly text: string;
  readonly at: number;
  /** True if `text` is the value of an HTML attribute. An offset in such a value does not match an offset in the HTML source. */
  readonly isValue?: true;
}

interface HtmlFault {
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

/** Without their end tag, the content that follows becomes part of the element. */
const NEED_END: ReadonlySet<string> = new Set([
  ...['a', 'b', 'big', 'blockquote', 'center', 'div', 'em', 'font', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['i', 'ol', 's', 'small', 'span', 'strong', 'style', 'sub', 'sup', 'table', 'title', 'u', 'ul'],
]);
