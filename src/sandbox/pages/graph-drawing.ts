/** Draws a graph of rules as inline SVG. Triggers are to the left of the rules that they trigger; loops are marked. */
import type { RuleGraph } from '../../service/automations/graph.ts';
import { type Html, html } from './parts.ts';

interface GraphNodeBox {
  readonly name: string;
  readonly about: string;
  readonly href: string | undefined;
  readonly isGone: boolean;
}

/** Sizes of a box and of the space around it, in pixels. */
const WIDTH = 180;
const HEIGHT = 48;
const APART = { x: 32, y: 16 };
const MARGIN = 16;
/** Pixels between the parallel lines below the boxes, for edges that do not lead to the right. */
const BACK_LINE_DISTANCE = 12;
/** Maximum number of these lines. Further edges share a line. */
const BACK_LINES = 8;
const ROUND = 10;
const SWEEPS = 4;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** @param boxOf returns the text and the link of a node */
export function drawRuleGraph(
  { nodes, edges }: Pick<RuleGraph, 'nodes' | 'edges'>,
  boxOf: (id: string) => GraphNodeBox,
): Html {
  const ids = nodes.map(({ id }) => id);
  const layers = layersOf(ids, edges);
  const places = placesOf(layers);
  const deepest = Math.max(0, ...[...places.values()].map(({ y }) => y + HEIGHT));
  const back = edges.filter(({ from, to }) => (places.get(from)?.x ?? 0) >= (places.get(to)?.x ?? 0));
  const size = {
    width: layers.length * (WIDTH + APART.x) - APART.x + 2 * MARGIN,
    height: deepest + MARGIN + Math.min(back.length, BACK_LINES) * BACK_LINE_DISTANCE,
  };
  return html`<svg class="graph" role="group" aria-label="Graph of lists, rules and messages" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0 8 4 0 8z"/></marker><marker id="loop-tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<g aria-hidden="true">${edges.map((edge) => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (from === undefined || to === undefined) return null;
    const lane = back.indexOf(edge);
    const along = deepest + ((lane % BACK_LINES) + 1) * BACK_LINE_DISTANCE;
    const d = lane < 0 ? pathOf(from, to) : backEdgePath(from, to, along, APART.x / 2 - (lane % BACK_LINES));
    const names = [
      'edge',
      ...(edge.loop ? ['loop'] : []),
      ...(edge.kind === 'removefromlist' ? ['takes'] : []),
    ];
    return html`<path class="${names.join(' ')}" d="${d}" marker-end="url(#${edge.loop ? 'loop-tip' : 'tip'})"/>`;
  })}</g>
${nodes.map(({ id, kind, rule }) => {
  const { x, y } = places.get(id) ?? { x: 0, y: 0 };
  const { name, about, href, isGone } = boxOf(id);
  const isLoop = edges.some((edge) => edge.loop && (edge.from === id || edge.to === id));
  const names = [
    'box',
    kind === 'rule' ? 'doer' : kind,
    ...(rule?.paused ? ['paused'] : []),
    ...(isLoop ? ['loop'] : []),
    ...(isGone ? ['gone'] : []),
  ];
  // The browser cuts a name that is too long for its box, whatever the font.
  const box = html`<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="${kind === 'rule' ? 8 : 24}"/><title>${name}</title><foreignObject x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}"><div class="label"><span class="name">${name}</span><span class="about">${about}</span></div></foreignObject>`;
  return href === undefined
    ? html`<g class="${names.join(' ')}">${box}</g>`
    : html`<a class="${names.join(' ')}" href="${href}">${box}</a>`;
})}
</svg>`;
}

type Edge = RuleGraph['edges'][number];

/** Assigns nodes to layers: each node is one layer to the right of its predecessors. Edges that close a cycle are ignored. */
function layersOf(ids: readonly string[], edges: readonly Edge[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order = ordered(ids, next);
  const rank = new Map(order.map((id, at) => [id, at]));
  const isForward = ({ from, to }: Edge): boolean => (rank.get(from) ?? 0) < (rank.get(to) ?? 0);
  const forward = edges.filter(isForward);
  const layer = new Map<string, number>();
  for (const id of order) {
    const before = forward.filter(({ to }) => to === id).map(({ from }) => layer.get(from) ?? 0);
    layer.set(id, before.length === 0 ? 0 : Math.max(...before) + 1);
  }
  const layers: string[][] = [];
  for (const id of ids) {
    const at = layer.get(id) ?? 0;
    while (layers.length <= at) layers.push([]);
    layers[at]?.push(id);
  }
  return minimizeCrossings(layers, forward);
}

/** Sorts nodes topologically, except where cycles prevent it: the reverse post-order of a depth-first search. */
function ordered(ids: readonly string[], next: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>();
  const left: string[] = [];
  const led = new Set([...next.values()].flat());
  // Starts with nodes that have no predecessor, so that the edges that lead back close the cycles.
  for (const start of [...ids.filter((id) => !led.has(id)), ...ids]) {
    const stack: { readonly id: string; readonly rest: string[] }[] = [];
    const enter = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      stack.push({ id, rest: [...(next.get(id) ?? [])] });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const following = top.rest.shift();
      if (following !== undefined) enter(following);
      else {
        left.push(top.id);
        stack.pop();
      }
    }
  }
  return left.toReversed();
}

/** Orders the nodes of each layer by the average position of their neighbours, so that few edges cross. */
function minimizeCrossings(
  layers: readonly (readonly string[])[],
  edges: readonly Edge[],
): readonly (readonly string[])[] {
  const own = layers.map((layer) => [...layer]);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const at = new Map(own.flatMap((layer) => layer.map((id, index) => [id, index / layer.length] as const)));
    for (const layer of own) {
      const wish = new Map(
        layer.map((id) => {
          const near = edges.flatMap(({ from, to }) => (to === id ? [from] : from === id ? [to] : []));
          const sum = near.reduce((total, each) => total + (at.get(each) ?? 0), 0);
          return [id, near.length === 0 ? (at.get(id) ?? 0) : sum / near.length];
        }),
      );
      layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    }
  }
  return own;
}

function placesOf(layers: readonly (readonly string[])[]): ReadonlyMap<string, Place> {
  const step = HEIGHT + APART.y;
  const tallest = Math.max(0, ...layers.map((layer) => layer.length));
  return new Map(
    layers.flatMap((layer, column) =>
      layer.map((id, row) => {
        const y = MARGIN + ((tallest - layer.length) * step) / 2 + row * step;
        return [id, { x: MARGIN + column * (WIDTH + APART.x), y }] as const;
      }),
    ),
  );
}

/** Returns the SVG path of an edge that leads to the right: from the right side of one box to the left side of the other. */
function pathOf(from: Place, to: Place): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x - 2, to.y + HEIGHT / 2];
  const bend = APART.x * 0.6;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** Returns the path of an edge that leads back or to its own node, between the columns and along `bottom`, below all boxes. */
function backEdgePath(from: Place, to: Place, bottom: number, side: number): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x - 2, to.y + HEIGHT / 2];
  const [right, left] = [x1 + side, to.x - side];
  return [
    `M${x1} ${y1}H${right - ROUND}Q${right} ${y1} ${right} ${y1 + ROUND}V${bottom - ROUND}Q${right} ${bottom} ${right - ROUND} ${bottom}`,
    `H${left + ROUND}Q${left} ${bottom} ${left} ${bottom - ROUND}V${y2 + ROUND}Q${left} ${y2} ${left + ROUND} ${y2}H${x2}`,
  ].join('');
}
