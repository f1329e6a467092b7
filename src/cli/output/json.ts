import type { Json } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { OutputStream } from '../outside/context.ts';
import { buffered } from './buffered.ts';
import { escapeJson } from './json-text.ts';
import { picked, type View } from './view.ts';

/** As `jq .` would write it: an array for a list, streamed, an object for one item. */
export async function writeJson(view: View, out: OutputStream): Promise<void> {
  const safe = safeFor(out);
  await buffered(out, async (write) => {
    let before = view.one ? '' : '[\n  ';
    for await (const page of view.pages) {
      for (const row of page) {
        const text = safe(formatJson(picked(row, view.chosen), 2));
        await write(view.one ? text : before + text.replaceAll('\n', '\n  '));
        before = ',\n  ';
      }
    }
    if (view.one) await write('\n');
    else await write(view.first === undefined ? '[]\n' : '\n]\n');
  });
}

/** A row a line, those of a page together, each page at once: a reader sees a row as soon as it is known. */
export async function writeNdjson(view: View, out: OutputStream): Promise<void> {
  const safe = safeFor(out);
  for await (const page of view.pages) {
    let text = '';
    for (const row of page) {
      text += `${safe(formatJson(picked(row, view.chosen)))}\n`;
      if (text.length < FULL) continue;
      await out.write(text);
      text = '';
    }
    if (text !== '') await out.write(text);
  }
}

const FULL = 64 * 1024;

/** Any JSON value; for `ndjson` the items of an array one a line. */
export function jsonText(value: Json, format: 'json' | 'ndjson', out: OutputStream): string {
  const safe = safeFor(out);
  if (format === 'json') return `${safe(formatJson(value, 2))}\n`;
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  return items.map((item) => `${safe(formatJson(item))}\n`).join('');
}

const safeFor = (out: OutputStream): ((text: string) => string) => (out.isTTY ? escapeJson : (text) => text);
