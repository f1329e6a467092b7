/** Writes results as JSON, and makes JSON and YAML texts safe for a terminal. */

import { UNSAFE_CHARACTER_CLASS } from '../../kit/text/terminal.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { OutputStream } from '../outside/context.ts';
import { escapeOlderJobCommands } from './job-log.ts';
import { pickChosenAttributes, type ResultView, withBufferedWrites } from './view.ts';

/** Writes the layout of `jq .` row by row, so that memory stays constant. */
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

/** Writes the rows of a page as soon as the page arrives. */
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

/** For `ndjson`, the items of an array are one per line. */
export function formatJsonText(value: Json, format: 'json' | 'ndjson', out: OutputStream): string {
  const safe = safeFor(out);
  if (format === 'json') return `${safe(formatJson(value, 2))}\n`;
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  return items.map((item) => `${safe(formatJson(item))}\n`).join('');
}

const safeFor = (out: OutputStream): ((text: string) => string) =>
  out.isTTY ? escapeUnsafeCharactersInJson : escapeOlderJobCommands;

/** Writes as `\uXXXX` each character that `terminal.ts` escapes and that JSON leaves unescaped. The JSON value stays the same. */
export function escapeUnsafeCharactersInJson(text: string): string {
  return replaceUnsafe(text, (character) =>
    [...Array(character.length).keys()].map((unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(''),
  );
}

/** Above U+FFFF it writes `\UXXXXXXXX`, because YAML has no surrogate pairs. */
export function escapeUnsafeCharactersInYaml(text: string): string {
  return replaceUnsafe(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const PLAIN = /^[\0-\x7e]*$/;

let unsafe: RegExp | undefined;

/** Creates the pattern at its first use, because that takes half a millisecond and most responses are ASCII, which needs no pattern. */
function replaceUnsafe(text: string, escapeOne: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  // C0 controls and lone surrogates are not included: JSON.stringify escapes those itself.
  unsafe ??= new RegExp(`[${UNSAFE_CHARACTER_CLASS}]`, 'gv');
  return text.replace(unsafe, escapeOne);
}
