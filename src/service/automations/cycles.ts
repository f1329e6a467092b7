/** Finds the parts of a directed graph in which every node leads to every other one. */

/** Edges of a directed graph: maps each node to the nodes to which its edges lead. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/** Returns the strongly connected components that have at least two nodes. */
export function findStronglyConnectedParts(
  nodes: readonly string[],
  edges: Edges,
): readonly (readonly string[])[] {
  const inside = new Set(nodes);
  const nextOf = (node: string) => (edges.get(node) ?? []).filter((next) => inside.has(next));
  // This is Tarjan's algorithm with an explicit stack, because a chain may be longer than the call stack allows.
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const parts: string[][] = [];
  for (const root of nodes) {
    if (order.has(root)) continue;
    const work: { readonly node: string; readonly left: string[] }[] = [];
    const enter = (node: string): void => {
      order.set(node, order.size);
      low.set(node, order.size - 1);
      open.push(node);
      isOpen.add(node);
      work.push({ node, left: [...nextOf(node)].reverse() });
    };
    const lower = (node: string, to = Number.POSITIVE_INFINITY): void => {
      low.set(node, Math.min(low.get(node) ?? 0, to));
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { node, left } = top;
      const next = left.pop();
      if (next !== undefined) {
        if (!order.has(next)) enter(next);
        else if (isOpen.has(next)) lower(node, order.get(next));
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above !== undefined) lower(above.node, low.get(node));
      if (low.get(node) !== order.get(node)) continue;
      const part = open.splice(open.indexOf(node));
      for (const each of part) isOpen.delete(each);
      if (part.length > 1) parts.push(part);
    }
  }
  return parts;
}
