import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Edges, findSimpleCycles, findStronglyConnectedParts } from '../../src/automations/cycles.ts';

const graphOf = (...pairs: readonly string[]): Edges => {
  const edges = new Map<string, string[]>();
  for (const [from = '', to = ''] of pairs) edges.set(from, [...(edges.get(from) ?? []), to]);
  return edges;
};

const nodesOf = (edges: Edges): readonly string[] => [
  ...new Set([...edges].flatMap(([from, to]) => [from, ...to])),
];

/** Rotates a cycle so that it begins at its smallest node, which makes two walks of one cycle equal. */
function turned(circle: readonly string[]): string {
  const first = circle.indexOf([...circle].sort()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first)].join('');
}
const circlesOf = (edges: Edges, most = 10_000) =>
  findSimpleCycles(nodesOf(edges), edges, most).cycles.map(turned).sort();

it.each([
  ['none', ['ab', 'bc'], []],
  ['one of two', ['ab', 'ba'], ['ab']],
  ['two that share a node', ['ab', 'ba', 'bc', 'cb'], ['ab', 'bc']],
  ['one within another', ['ab', 'bc', 'ca', 'ba'], ['ab', 'abc']],
  ['apart from each other', ['ab', 'ba', 'cd', 'dc', 'bc'], ['ab', 'cd']],
])('%s', (_, pairs, circles) => {
  expect(circlesOf(graphOf(...pairs))).toEqual(circles);
});

it('stops at the requested maximum, and reports that it stopped', () => {
  const pairs = [...'abcdefgh'].flatMap((from) =>
    [...'abcdefgh'].filter((to) => to !== from).map((to) => from + to),
  );
  const edges = graphOf(...pairs);
  expect(findSimpleCycles(nodesOf(edges), edges, 5)).toMatchObject({
    reachedMaxCycles: true,
    cycles: { length: 5 },
  });
});

it('finds the same cycles as a search of every path', async () => {
  const pair = fc.tuple(fc.constantFrom(...'abcdef'), fc.constantFrom(...'abcdef'));
  const graph = fc.uniqueArray(
    pair.filter(([from, to]) => from !== to).map(([from, to]) => from + to),
    { maxLength: 14 },
  );
  await fc.assert(
    fc.property(graph, (pairs) => {
      const edges = graphOf(...pairs);
      const found = new Set<string>();
      const walk = (path: readonly string[]): void => {
        for (const next of edges.get(path.at(-1) ?? '') ?? []) {
          if (next === path[0]) found.add(turned(path));
          else if (!path.includes(next)) walk([...path, next]);
        }
      };
      for (const node of nodesOf(edges)) walk([node]);
      expect(circlesOf(edges)).toEqual([...found].sort());
      const inParts = new Set(findStronglyConnectedParts(nodesOf(edges), edges).flat());
      expect(inParts).toEqual(new Set([...found].flatMap((circle) => [...circle])));
    }),
  );
});

it('follows a chain of many rules to its end', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
  const edges = new Map(names.map((name, index) => [name, [names[index + 1] ?? names[0] ?? '']]));
  expect(findSimpleCycles(names, edges, 10).cycles.map(({ length }) => length)).toEqual([20_000]);
});
