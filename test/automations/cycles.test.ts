import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Edges, findStronglyConnectedParts } from '../../src/service/automations/cycles.ts';

const graphOf = (...pairs: readonly string[]): Edges => {
  const edges = new Map<string, string[]>();
  for (const [from = '', to = ''] of pairs) edges.set(from, [...(edges.get(from) ?? []), to]);
  return edges;
};

const nodesOf = (edges: Edges): readonly string[] => [
  ...new Set([...edges].flatMap(([from, to]) => [from, ...to])),
];

const partsOf = (edges: Edges): readonly string[] =>
  findStronglyConnectedParts(nodesOf(edges), edges)
    .map((part) => [...part].sort().join(''))
    .sort();

it.each([
  ['none', ['ab', 'bc'], []],
  ['one of two', ['ab', 'ba'], ['ab']],
  ['two that share a node', ['ab', 'ba', 'bc', 'cb'], ['abc']],
  ['one within another', ['ab', 'bc', 'ca', 'ba'], ['abc']],
  ['apart from each other', ['ab', 'ba', 'cd', 'dc', 'bc'], ['ab', 'cd']],
])('%s', (_, pairs, parts) => {
  expect(partsOf(graphOf(...pairs))).toEqual(parts);
});

it('finds the nodes that lead to each other, as a search of every path does', async () => {
  const pair = fc.tuple(fc.constantFrom(...'abcdef'), fc.constantFrom(...'abcdef'));
  const graph = fc.uniqueArray(
    pair.filter(([from, to]) => from !== to).map(([from, to]) => from + to),
    { maxLength: 14 },
  );
  await fc.assert(
    fc.property(graph, (pairs) => {
      const edges = graphOf(...pairs);
      const reached = (from: string): ReadonlySet<string> => {
        const seen = new Set<string>();
        const walk = (node: string): void => {
          for (const next of edges.get(node) ?? []) if (!seen.has(next)) walk(seen.add(next) && next);
        };
        walk(from);
        return seen;
      };
      const expected = new Set(
        nodesOf(edges)
          .map((node) =>
            nodesOf(edges).filter((other) => reached(node).has(other) && reached(other).has(node)),
          )
          .map((part) => part.sort().join(''))
          .filter((part) => part.length > 1),
      );
      expect(partsOf(edges)).toEqual([...expected].sort());
    }),
  );
});

it('follows a chain of many rules to its end', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
  const edges = new Map(names.map((name, index) => [name, [names[index + 1] ?? names[0] ?? '']]));
  expect(findStronglyConnectedParts(names, edges).map(({ length }) => length)).toEqual([20_000]);
});
