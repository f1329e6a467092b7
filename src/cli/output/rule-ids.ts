/** Puts the kind before the id of a rule, where it is printed for people or bare. The five kinds of rule share their ids. */

import { idText } from '../../client/record-title.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { isId } from '../../schema/integer.ts';
import type { Result } from './result.ts';

/** Formats in which an id stays a number, with `kind` beside it. */
const TYPED = ['json', 'ndjson', 'yaml'];

export function withRuleIds(result: Result, format: string): Result {
  if ((result.kind !== 'rows' && result.kind !== 'object') || !result.ofRules || TYPED.includes(format))
    return result;
  if (result.kind === 'object') return { ...result, value: named(result.value) };
  const { rows } = result;
  async function* all(): AsyncGenerator<JsonObject> {
    for await (const row of rows) yield named(row);
  }
  return { ...result, rows: all() };
}

/** Returns the row with its kind before the id. An invalid id stays unchanged, so that `-o id` refuses it. */
const named = (row: JsonObject): JsonObject =>
  isId(row['id']) ? { ...row, id: idText({ variant: String(row['kind']) }, row['id']) } : row;
