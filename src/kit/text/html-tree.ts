/**
 * Reads HTML as the tree that browsers make of it. Personalisation and dynamic content stay masked in texts (`html-tokens.ts`), so that
 * nothing breaks them.
 */
import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  Parser,
  html as standard,
  type Token,
} from 'parse5';
import { maskPersonalisationTags, restoreMaskedMarkup } from './html-tokens.ts';

export type HtmlNode = DefaultTreeAdapterTypes.Node;
export type HtmlElement = DefaultTreeAdapterTypes.Element;

export interface HtmlTagContent {
  readonly name: string;
  /** Values by name, with entities decoded and personalisation restored. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface HtmlTree {
  readonly root: DefaultTreeAdapterTypes.Document;
  /** Start tags for which browsers make no element, such as a form in a form. Other mail programs may make one. */
  readonly ignoredTags: readonly HtmlTagContent[];
}

/**
 * Parses a whole message, or a part of one. A frame set is ignored, so that the tree has the texts that mail programs without frames show.
 * Browsers before 2025 drop all tags in a `<select>` except those of options. Newer browsers keep them, and so does the tree unless
 * `dropsTagsInSelect` is true. Returns undefined if the tree would have far more elements than the text has tags: browsers repeat formatting elements that are not
 * closed, and a short text can make billions of elements in this way.
 */
export function parseHtmlTree(
  html: string,
  { dropsTagsInSelect = false }: { readonly dropsTagsInSelect?: boolean } = {},
): HtmlTree | undefined {
  const reader = new TreeReader(html.length + MIN_ELEMENTS, dropsTagsInSelect);
  try {
    reader.tokenizer.write(maskPersonalisationTags(html), true);
  } catch (error) {
    if (error instanceof TooManyElements) return undefined;
    throw error;
  }
  return { root: reader.document, ignoredTags: reader.ignoredTags() };
}

const MIN_ELEMENTS = 100_000;

class TooManyElements extends Error {}

type Attributes = Token.Attribute[];

class TreeReader extends Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  readonly #tags = new Map<Attributes, string>();

  readonly #dropsTagsInSelect: boolean;

  constructor(maxElements: number, dropsTagsInSelect: boolean) {
    let elements = 0;
    super({
      // Mail programs run no scripts, so the content of <noscript> is shown.
      scriptingEnabled: false,
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement: (name, namespace, attributes) => {
          elements += 1;
          if (elements > maxElements) throw new TooManyElements();
          this.#tags.delete(attributes);
          return defaultTreeAdapter.createElement(name, namespace, attributes);
        },
      },
    });
    this.#dropsTagsInSelect = dropsTagsInSelect;
  }

  override onStartTag(token: Token.TagToken): void {
    this.#tags.set(token.attrs, token.tagName);
    if (token.tagName !== 'frameset') super.onStartTag(this.#withoutSelect(token));
  }

  override onEndTag(token: Token.TagToken): void {
    super.onEndTag(this.#withoutSelect(token));
  }

  /** Renames `<select>`, because parse5 drops the tags in it. */
  #withoutSelect(token: Token.TagToken): Token.TagToken {
    if (token.tagName !== 'select' || this.#dropsTagsInSelect) return token;
    return Object.assign(token, { tagName: 'select-element', tagID: standard.TAG_ID.UNKNOWN });
  }

  ignoredTags(): readonly HtmlTagContent[] {
    return [...this.#tags].map(([attributes, name]) => ({ name, attributes: readAttributes(attributes) }));
  }
}

export const tagContentOf = ({ tagName, attrs }: HtmlElement): HtmlTagContent => ({
  name: tagName,
  attributes: readAttributes(attrs),
});

const readAttributes = (attributes: readonly Token.Attribute[]): ReadonlyMap<string, string> =>
  new Map(
    attributes.map(({ name, prefix, value }) => [
      prefix ? `${prefix}:${name}` : name,
      restoreMaskedMarkup(value),
    ]),
  );

interface TreeVisitor {
  /** Called before the children of an element. Returns false to leave out its children and the call of `leave`. */
  readonly enter: (element: HtmlElement) => boolean;
  readonly leave: (element: HtmlElement) => void;
  readonly text: (text: string) => void;
  readonly comment?: (data: string) => void;
}

/** Visits all nodes in order, including the content of `<template>`. Uses no recursion, so that any depth is possible. */
export function visitTree(root: HtmlNode, { enter, leave, text, comment }: TreeVisitor): void {
  const left: (() => void)[] = [];
  const visitChildren = (node: HtmlNode): void => {
    const children = childrenOf(node);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child) left.push(() => visit(child));
    }
  };
  const visit = (node: HtmlNode): void => {
    if (defaultTreeAdapter.isTextNode(node)) text(node.value);
    else if (defaultTreeAdapter.isCommentNode(node)) comment?.(node.data);
    else if (defaultTreeAdapter.isElementNode(node) && enter(node)) {
      left.push(() => leave(node));
      visitChildren(node);
    }
  };
  visitChildren(root);
  for (let next = left.pop(); next; next = left.pop()) next();
}

/** Returns the text directly inside an element. Elements such as `<title>` and `<style>` have nothing else. */
export const ownTextOf = ({ childNodes }: HtmlElement): string =>
  restoreMaskedMarkup(
    childNodes.map((node) => (defaultTreeAdapter.isTextNode(node) ? node.value : '')).join(''),
  );

const childrenOf = (node: HtmlNode): readonly HtmlNode[] => [
  ...('content' in node ? node.content.childNodes : []),
  ...('childNodes' in node ? node.childNodes : []),
];
