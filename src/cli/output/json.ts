import type { Json } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { OutputStream } from '../outside/context.ts';
import { withBufferedWrites } from './buffered.ts';
import { escapeUnsafeCharactersInJson } from './json-text.ts';
import { pickChosenAttributes, type ResultView } from './view.ts';

/**
 * Writes JSON in the layout of `jq .`. Writes one item as an object. Writes a list as an array, row by row, so that memory stays constant.
 */
export async function writeJson(view: ResultView, out: OutputStream): Promise<void> {
  const safe = safeFor(out);
  await withBufferedWrites(out, async (write) => {
    let before = view.isSingle ? '' : '[\n  ';
    for await (const page of view.pages) {
      for (const row of page) {
        const text = safe(formatJson(pickChosenAttributes(row, view.chosen), 2));
        await write(view.isSingle ? text : before + text.replaceAll('\n', '\n  '));
        before = ',\n  ';
      }
    }
    if (view.isSingle) await write('\n');
    else await write(view.first === undefined ? '[]\n' : '\n]\n');
  });
}

/** Writes one row per line. Writes the rows of a page as soon as the page arrives. */
export async function writeNdjson(view: ResultView, out: OutputStream): Promise<void> {
  const safe = safeFor(out);
  for await (const page of view.pages) {
    let text = '';
    for (const row of page) {
      text += `${safe(formatJson(pickChosenAttributes(row, view.chosen)))}\n`;
      if (text.length < FULL) continue;
      await out.write(text);
      text = '';
    }
    if (text !== '') await out.write(text);
  }
}

const FULL = 64 * 1024;

/** Returns any JSON value as text; for `ndjson`, the items of an array one per line. */
export function formatJsonText(value: Json, format: 'json' | 'ndjson', out: OutputStream): string {
  const safe = safeFor(out);
  if (format === 'json') return `${safe(formatJson(value, 2))}\n`;
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  return items.map((item) => `${safe(formatJson(item))}\n`).join('');
}

const safeFor = (out: OutputStream): ((text: string) => string) =>
  out.isTTY ? escapeUnsafeCharactersInJson : (text) => text;
