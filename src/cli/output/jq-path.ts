/** Reads the paths in jq's syntax that `--jq` accepts: `.[0].id`, `.[].name`, `.a.b | .c`. Other jq expressions are refused. */

import { isObject } from '../../kit/text/json-object.ts';
import { formatJson } from '../../service/protocol/json.ts';

type Step =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'each' };

/** Returns undefined if the text is any other jq expression. */
export function parseJqPath(text: string): readonly Step[] | undefined {
  const parts = text.split('|').map((part) => stepsIn(part.trim()));
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

function stepsIn(text: string): readonly Step[] | undefined {
  if (!text.startsWith('.')) return undefined;
  const steps: Step[] = [];
  let rest = text === '.' ? '' : text.startsWith('.[') ? text.slice(1) : text;
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (!found) return undefined;
    const [whole, key, quoted, index] = found;
    steps.push(stepOf(key ?? quoted, index));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** Step of a path: `.name`, `["name"]`, `[0]`, `[]`. jq also allows a dot before the bracket. */
const STEP = /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\.?\["([^"\\]*)"\]|\.?\[(-?[0-9]{1,9})?\])/;

function stepOf(name: string | undefined, index: string | undefined): Step {
  if (name !== undefined) return { kind: 'key', name };
  return index === undefined ? { kind: 'each' } : { kind: 'index', at: Number(index) };
}

/** Returns null for a missing key. @throws RangeError for a step that does not fit the value, with a message like jq's */
export function readValuesAtJqPath(steps: readonly Step[], value: unknown): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const step of steps) found = found.flatMap((each) => stepInto(step, each));
  return found;
}

function stepInto(step: Step, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'key':
      if (value === null) return [null];
      if (!isObject(value)) throw new RangeError(`cannot index ${kindOf(value)} with "${step.name}"`);
      return [Object.hasOwn(value, step.name) ? (value[step.name] ?? null) : null];
    case 'index':
      if (value === null) return [null];
      if (!Array.isArray(value)) throw new RangeError(`cannot index ${kindOf(value)} with a number`);
      return [value.at(step.at) ?? null];
    case 'each':
      if (typeof value !== 'object' || value === null)
        throw new RangeError(`cannot iterate over ${kindOf(value)}`);
      return Object.values(value);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

/** Returns the value as `gh --jq` and `jq -r` print it: a string without quotes, any other value as JSON on one line. */
export const formatAsJqLine = (value: unknown): string =>
  typeof value === 'string' ? value : (formatJson(value) ?? 'null');
