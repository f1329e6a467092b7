/** Applies `--query`: a JMESPath expression over the JSON output. */
import { compile, type JSONValue } from '@jmespath-community/jmespath';
import type { Json } from '../../protocol/envelope.ts';
import { isObject } from '../../text/json-object.ts';
import { UsageError } from '../errors/errors.ts';
import { createExactJmespathInterpreter, protectLargeNumbersInJmespath } from './exact-numbers.ts';
import type { Column, Result } from './result.ts';

/** Checks the expression before anything is sent. @throws UsageError for an invalid expression */
export function checkJmespathQuery(query: string): void {
  asUsage(() => compiled(query));
}

/** Applies the expression. @throws UsageError for an invalid expression, or one that does not fit the data */
export function applyJmespathQuery(query: string, data: Json): Json {
  const outcome: unknown = asUsage(() =>
    createExactJmespathInterpreter().search(compiled(query), bare(data) as JSONValue),
  );
  return isJson(outcome) ? outcome : null;
}

function compiled(query: string): ReturnType<typeof compile> {
  const { marked, restore } = protectLargeNumbersInJmespath(query);
  return restore(compile(marked));
}

/**
 * Converts the outcome of a query to a list or an item, so that tables and csv can show it. Returns undefined for scalars and for lists of
 * scalars. Attributes keep their declared kind.
 */
export function convertQueryOutcomeToResult(
  outcome: Json,
  declared: readonly Column[],
  empty: string,
): Result | undefined {
  if (isObject(outcome)) return { kind: 'object', value: outcome, columns: columnsIn([outcome], declared) };
  if (!Array.isArray(outcome)) return undefined;
  const rows = outcome.filter((each) => isObject<Json>(each));
  if (rows.length < outcome.length) return undefined;
  return { kind: 'rows', rows, columns: columnsIn(rows, declared), empty };
}

function columnsIn(rows: readonly object[], declared: readonly Column[]): readonly Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => declared.find((column) => column.name === name) ?? { name });
}

function asUsage<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--query: ${reason}`, {
      hint: 'write an expression such as "[?size > `100`].name"; jmespath.org describes the syntax',
      cause: error,
    });
  }
}

/** Returns a copy without a prototype. Otherwise the query would find `constructor` and the like in every object. */
function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const copy: Record<string, Json> = Object.create(null);
  for (const [key, each] of Object.entries(value)) copy[key] = bare(each);
  return copy;
}

const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== 'function';
