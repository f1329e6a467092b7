/** Output for assistants in a shell: `SVC_AGENT=1` (contract, "For assistants in a shell"). */

import { isObject } from '../../kit/text/json-object.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { type Context, replaceContextParts } from '../outside/context.ts';
import { escapeUnsafeCharactersInJson } from './json.ts';

/** No stream is a terminal: no colour, no progress, no pager, no questions, no short tables. stderr has a JSON object on each line. */
export const contextForAgent = (context: Context): Context =>
  replaceContextParts(context, {
    env: { ...context.env, NO_COLOR: '1' },
    stdin: withOwn(context.stdin, { isTTY: false }),
    stdout: withOwn(context.stdout, {
      isTTY: false,
      write: (text) => context.stdout.write(context.stdout.isTTY ? safeOnTerminal(text) : text),
    }),
    stderr: withOwn(context.stderr, {
      isTTY: false,
      write: (text) => context.stderr.write(notesAsJson(text)),
    }),
    startPager: undefined,
  });

/** The other members of the stream stay, among them getters. */
const withOwn = <T extends object>(stream: T, own: Partial<T>): T =>
  Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(stream),
    ...Object.getOwnPropertyDescriptors(own),
  });

/** A terminal may stand behind the assistant. JSON and YAML keep their values. */
const safeOnTerminal = (text: string): string =>
  escapeUnsafeCharactersInJson(text).replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** A note of several lines is one object. Lines that are objects already, such as errors, stay. */
export function notesAsJson(text: string): string {
  const parts: string[] = [];
  let note: string[] = [];
  const endNote = (): void => {
    const said = note.join('\n').trim();
    if (said !== '') parts.push(escapeUnsafeCharactersInJson(JSON.stringify({ note: said })));
    note = [];
  };
  for (const line of text.split('\n')) {
    if (!isJsonObject(line)) {
      note.push(line);
      continue;
    }
    endNote();
    parts.push(line);
  }
  endNote();
  return parts.map((part) => `${part}\n`).join('');
}

function isJsonObject(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    return isObject(parseJson(line));
  } catch {
    return false;
  }
}
