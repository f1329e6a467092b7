/** Reads the result of a verb as values, for a caller inside svc. */

import { assertNever } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { wholeText } from './render.ts';
import type { PrintedResult } from './result.ts';
import { openResultView, pickChosenAttributes } from './view.ts';

/** Characters of all texts in a result. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

interface ResultValue {
  /** Rows, an object, or the text that the verb wrote: as a value if it is JSON, otherwise as `{text}`. */
  readonly value: unknown;
  readonly notes: readonly string[];
}

/** @throws CliError if the result is too large to keep in memory */
export async function readResultValue(
  result: PrintedResult,
  fields: readonly string[] | undefined,
  now: () => Promise<number>,
): Promise<ResultValue> {
  switch (result.kind) {
    case 'rows':
    case 'object': {
      const view = await openResultView(result, fields, 'json', now);
      const rows: unknown[] = [];
      let size = 0;
      for await (const row of view.rows) {
        const value = withoutUndefined(pickChosenAttributes(row, view.chosen));
        size += sizeOf(value);
        if (size > MAX_CHARACTERS) throw tooLarge();
        rows.push(value);
      }
      const notes = result.kind === 'rows' ? (result.notes?.() ?? []) : [];
      return { value: view.isSingle ? rows[0] : rows, notes };
    }
    case 'text':
      return { value: valueOfText(result.text), notes: [] };
    case 'raw':
      return { value: valueOfText(await wholeText(result.body)), notes: [] };
    default:
      return assertNever(result);
  }
}

function valueOfText(text: string): unknown {
  if (text.length > MAX_CHARACTERS) throw tooLarge();
  try {
    return parseJson(text);
  } catch {
    return { text };
  }
}

const tooLarge = (): CliError =>
  new CliError('too-large', 'the output of the command is too long for an assistant', { exit: EXIT.failed });

/** JSON has no member that is undefined. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      each === undefined ? [] : [[name, withoutUndefined(each)]],
    ),
  );
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + sizeOf(each), 0);
}
