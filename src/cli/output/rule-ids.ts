/** Rules of five kinds share their ids: where one is printed for a person, or bare, its kind stands before it. */

import { idText } from '../../client/record-title.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { isId } from '../../schema/integer.ts';
import type { Result } from './result.ts';

/** In JSON and YAML an id stays the number that it is; `kind` stands beside it. */
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

/** An id that is none stays as it is, so that `-o id` refuses it. */
const named = (row: JsonObject): JsonObject =>
  isId(row['id']) ? { ...row, id: idText({ variant: String(row['kind']) }, row['id']) } : row;
