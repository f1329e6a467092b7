/** Contract, "Insight", `task report --html`: bars as inline SVG. */
import { describe, expect, it } from 'vitest';
import { htmlTable } from '../../src/kit/report/html-page.ts';
import { parsePage, textOf } from '../support/web-page.ts';

const chart = (...bars: readonly number[]) =>
  parsePage(
    `<!doctype html><title>x</title>${
      htmlTable({
        kind: 'table',
        caption: '<b>',
        columns: [{ title: '<i>' }, { title: '"' }],
        rows: [['<i>', { lines: ['"&'], bars }]],
      }).html
    }`,
  );
const attribute = (node: ReturnType<typeof chart>['nodes'][number], name: string) =>
  node.attrs?.find((each) => each.name === name)?.value;

describe('the bars of a cell', () => {
  it.each([
    [0, []],
    [Number.NaN, []],
    [0.000_01, ['0.5%']],
    [0.25, ['25%']],
    [0.999_99, ['99.5%']],
    [1, ['100%']],
    [3, ['100%']],
  ])(
    'a share of %s shows at least a part if it is above 0, and only 100 % fills the bar',
    (share, widths) => {
      const bars = chart(share).nodes.filter((node) => attribute(node, 'class') === 'bar');
      expect(bars.map((node) => attribute(node, 'width'))).toEqual(widths);
    },
  );

  it('escapes inserted text', () => {
    const { nodes, faults } = chart(0.5);
    expect(faults).toEqual([]);
    expect(nodes.filter(({ nodeName }) => ['b', 'i'].includes(nodeName))).toEqual([]);
    expect(nodes.filter(({ nodeName }) => nodeName === 'td').map(textOf)).toEqual(['"&']);
  });

  it('is as high as its bars, which do not overlap', () => {
    const { nodes } = chart(0.1, 0.2, 0.3);
    const tops = nodes
      .filter((node) => attribute(node, 'class') === 'track')
      .map((node) => Number(attribute(node, 'y')));
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    const svg = nodes.find(({ nodeName }) => nodeName === 'svg');
    expect(Number(svg && attribute(svg, 'height'))).toBeGreaterThan(Math.max(...tops) + 6);
  });
});
