/** Pages without other files: their nodes, and their view in Debian's Chromium. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'parse5';
import { findChromium } from '../../src/cli/outside/browser.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

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

export const hasChromium = findChromium({ env: process.env, platform: process.platform }) !== undefined;

export interface Look {
  /** The width in CSS pixels. */
  readonly width: number;
  readonly isDark: boolean;
}

export interface Seen {
  /** The width of the page with its content. It scrolls if this is more than `width`. */
  readonly scrollWidth: number;
  readonly clientWidth: number;
  /** The background color, such as `rgb(13, 17, 23)`. */
  readonly background: string;
  /** The smallest text size, in pixels. */
  readonly leastFont: number;
  /** Texts of the charts that are outside the window, or over another text. */
  readonly spoiled: readonly string[];
}

/**
 * Returns the browser's view of a page. A window is at least 500 pixels wide, so the page is in a frame of the given width. The script
 * that measures is in the page around it.
 */
export async function lookAt(path: string, { width, isDark }: Look): Promise<Seen> {
  const folder = await makeTemporaryFolder('chromium');
  try {
    const page = (await readFile(path, 'utf8')).replace(
      /<meta http-equiv="Content-Security-Policy"[^>]*>/,
      '',
    );
    const measured = join(folder, 'measured.html');
    await writeFile(
      measured,
      `<!doctype html><meta charset="utf-8"><iframe width="${width}" height="900" style="border:0"></iframe><pre></pre><script>
const frame = document.querySelector('iframe');
frame.onload = () => {
  const inner = frame.contentDocument;
  const root = inner.documentElement;
  const sizes = [...inner.querySelectorAll('body *')].filter((each) => each.textContent.trim() !== '').map((each) => parseFloat(frame.contentWindow.getComputedStyle(each).fontSize));
  const texts = [...inner.querySelectorAll('svg text')].map((each) => ({ text: each.textContent, box: each.getBoundingClientRect() }));
  const isOver = (a, b) => a !== b && a.box.left < b.box.right && b.box.left < a.box.right && a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1;
  const spoiled = texts.filter((each) => each.box.left < 0 || each.box.right > root.clientWidth || texts.some((other) => isOver(each, other))).map(({ text }) => text);
  document.querySelector('pre').textContent = JSON.stringify({ scrollWidth: root.scrollWidth, clientWidth: root.clientWidth, background: frame.contentWindow.getComputedStyle(inner.body).backgroundColor, leastFont: Math.min(...sizes), spoiled });
};
frame.srcdoc = ${JSON.stringify(page).replaceAll('<', '\\u003c')};
</script>`,
    );
    const run = spawnSync(
      'chromium',
      [
        ...[
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--hide-scrollbars',
          `--user-data-dir=${join(folder, 'profile')}`,
        ],
        ...[
          `--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`,
          '--window-size=1400,1000',
          '--virtual-time-budget=2000',
        ],
        ...['--dump-dom', pathToFileURL(measured).href],
      ],
      { encoding: 'utf8', timeout: 300_000 },
    );
    const { nodes } = parsePage(run.stdout);
    const told = nodes.find(({ nodeName }) => nodeName === 'pre');
    return JSON.parse(told === undefined ? '' : textOf(told)) as Seen;
  } finally {
    await removeFolder(folder);
  }
}
