/** The nodes of a page. */
import { parse } from 'parse5';

export interface Node {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
}

export const nodesIn = (node: Node): readonly Node[] => [node, ...(node.childNodes ?? []).flatMap(nodesIn)];

export const textOf = (node: Node): string =>
  nodesIn(node)
    .map(({ value = '' }) => value)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the nodes of a page, and the faults that a parser finds in it. */
export function parsePage(text: string): {
  readonly nodes: readonly Node[];
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const root = parse(text, { onParseError: ({ code }) => faults.push(code) }) as unknown as Node;
  return { nodes: nodesIn(root), faults };
}
