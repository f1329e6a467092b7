/** Finds the cycles of a directed graph. A cycle is a path along the edges that returns to its first node. */

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

/**
 * Returns the cycles that visit no node twice, each once, as lists of nodes that begin anywhere. There must be no edge from a node to
 * itself. A graph can have a huge number of cycles: `reachedMaxCycles` is true if it has more than `maxCycles`.
 */
export function findSimpleCycles(
  nodes: readonly string[],
  edges: Edges,
  maxCycles: number,
): { readonly cycles: readonly (readonly string[])[]; readonly reachedMaxCycles: boolean } {
  const cycles: (readonly string[])[] = [];
  const parts = [...findStronglyConnectedParts(nodes, edges)];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [start, ...others] = part;
    if (start === undefined) continue;
    for (const cycle of cyclesThrough(start, new Set(part), edges)) {
      if (cycles.length === maxCycles) return { cycles, reachedMaxCycles: true };
      cycles.push(cycle);
    }
    parts.push(...findStronglyConnectedParts(others, edges));
  }
  return { cycles, reachedMaxCycles: false };
}

/**
 * Yields the elementary cycles that contain the node `start`: cycles that visit no node twice. All nodes of these cycles are in `inside`.
 * The function uses Johnson's algorithm, which extends a path from `start` node by node, but never to a blocked node. A node is blocked
 * while it is in the path. After that, the node stays blocked as long as each way from the node to `start` leads through the path.
 */
function* cyclesThrough(
  start: string,
  inside: ReadonlySet<string>,
  edges: Edges,
): Generator<readonly string[]> {
  const nextOf = (node: string) => (edges.get(node) ?? []).filter((next) => inside.has(next));
  const blocked = new Set([start]);
  const waiting = new Map<string, Set<string>>();
  const closed = new Set<string>();
  const path = [start];
  const work = [{ node: start, left: [...nextOf(start)].reverse() }];
  const unblock = (first: string): void => {
    const free = [first];
    for (let node = free.pop(); node !== undefined; node = free.pop()) {
      if (!blocked.delete(node)) continue;
      free.push(...(waiting.get(node) ?? []));
      waiting.delete(node);
    }
  };
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const { node, left } = top;
    const next = left.pop();
    if (next === start) {
      yield [...path];
      for (const each of path) closed.add(each);
    } else if (next !== undefined && !blocked.has(next)) {
      path.push(next);
      work.push({ node: next, left: [...nextOf(next)].reverse() });
      closed.delete(next);
      blocked.add(next);
    } else if (next === undefined) {
      if (closed.has(node)) unblock(node);
      else for (const each of nextOf(node)) waiting.set(each, (waiting.get(each) ?? new Set()).add(node));
      work.pop();
      path.pop();
    }
  }
}
