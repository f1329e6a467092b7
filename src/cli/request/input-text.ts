/** Input is not trusted, and its size is limited. */
import { resolve } from 'node:path';
import { isObject } from '../../kit/text/json-object.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';

/** Reads standard input for `-`. Refuses more than `maxOctets` octets and invalid UTF-8. */
export async function readText(context: Context, source: string, maxOctets: number): Promise<string> {
  if (source === '-') return readStdin(context, maxOctets);
  // Most commands read no file.
  const { openToRead, readFileOctets } = await import('../../client/bulk/opened-file.ts');
  const opened = openToRead(resolve(context.cwd, source), source);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const octets of readFileOctets(opened, context.signal)) {
    size += octets.length;
    if (size > maxOctets) throw tooLarge(source, maxOctets);
    chunks.push(octets);
  }
  return decode(Buffer.concat(chunks), source);
}

/** `__proto__` is an ordinary attribute. Refuses duplicate names, because two readers might disagree on them. */
export function parseObject(text: string, description: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (cause) {
    throw new UsageError(`${description} is not JSON`, { hint: `write '{"name":"News"}'`, cause });
  }
  if (!isObject(parsed))
    throw new UsageError(`${description} must be a JSON object`, { hint: `write '{"name":"News"}'` });
  const twice = firstDuplicate(text);
  if (twice !== undefined) throw new UsageError(`${description} has ${JSON.stringify(twice)} twice`);
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(parsed)) values[name] = value;
  return values;
}

async function readStdin(context: Context, most: number): Promise<string> {
  try {
    return withoutMark(await context.stdin.readAll(most));
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge('standard input', most);
    if (cause instanceof TypeError) throw notText('standard input', cause);
    throw cause;
  }
}

function decode(octets: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch (cause) {
    throw notText(source, cause);
  }
}

const notText = (source: string, cause: unknown): UsageError =>
  new UsageError(`${source} is not UTF-8 text`, { hint: 'convert it, for example with iconv', cause });

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

const tooLarge = (source: string, most: number): UsageError =>
  new UsageError(`${source} is larger than ${most / 1024 / 1024} MiB`);

/** Reads only the outermost object. `text` must be valid JSON. */
function firstDuplicate(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (character !== '"') continue;
    const start = at;
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    if (depth !== 1 || !/^\s*:/.test(text.slice(at + 1, at + 20))) continue;
    const name = String(JSON.parse(text.slice(start, at + 1)));
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
