/** Applies `--query`, a JMESPath expression. Numbers that a double can't hold are compared by their digits, and never rounded. */
import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { compareNumbers } from '../../kit/schema/integer.ts';
import { isObject } from '../../kit/text/json-object.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import {
  findUnusedCharacter,
  formatJson,
  restoreTaggedIntegers,
  tagLargeIntegers,
} from '../../service/protocol/json.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column, Result } from './result.ts';

/** @throws UsageError for an invalid expression */
export function checkJmespathQuery(query: string): void {
  asUsage(() => compiled(query));
}

/** @throws UsageError for an invalid expression, or one that does not fit the data */
export function applyJmespathQuery(query: string, data: unknown): Json {
  const outcome: unknown = asUsage(() =>
    createExactJmespathInterpreter().search(compiled(query), bare(data) as JSONValue),
  );
  return isJson(outcome) ? outcome : null;
}

function compiled(query: string): ReturnType<typeof compile> {
  const { marked, restore } = protectLargeNumbersInJmespath(query);
  return restore(compile(marked));
}

/** Returns undefined for (lists of) scalars. */
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

/** A prototype would let the query find `constructor` and the like in every object. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value)) copy[key] = bare(each);
  return copy;
}

const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== 'function';

type Interpreter = typeof TreeInterpreter;
type Node = ReturnType<typeof compile>;
type Value = Parameters<Interpreter['visit']>[1];
type Args = readonly [Value, ...Node[]];
type Functions = Record<string, { _func: (args: Args) => unknown }>;
/** Private members that svc replaces in an interpreter of its own. */
interface Runtime {
  getTypeName: (value: unknown) => unknown;
  readonly _functionTable: Functions;
}
type Numeric = number | bigint;

/**
 * The JMESPath package would round large numbers in literals, so tagged texts replace them until after the compilation.
 * @throws SyntaxError for a text without its closing quote
 */
function protectLargeNumbersInJmespath(expression: string): {
  readonly marked: string;
  readonly restore: (compiled: Node) => Node;
} {
  const tag = findUnusedCharacter(expression);
  if (/['"`]/.test(expression.replace(QUOTED, ''))) throw new SyntaxError('a quote is not closed');
  const marked = expression.replace(QUOTED, (quoted) => {
    if (quoted.startsWith('`')) return tagLargeIntegers(literalOf(quoted), tag);
    return quoted.startsWith("'") ? literalOfRaw(quoted) : quoted;
  });
  return { marked, restore: (compiled) => restoreTaggedIntegers(compiled, tag) as Node };
}

/** Returns a literal that is no JSON as a text, as `aws` does: `[?name==`News`]`. */
function literalOf(quoted: string): string {
  const literal = quoted.slice(1, -1).replaceAll('\\`', '`');
  if (isJsonText(literal)) return quoted;
  const text = `"${literal.trimStart()}"`;
  return isJsonText(text) ? `\`${text.replaceAll('`', '\\u0060')}\`` : quoted;
}

/** Returns the text as a literal. `\'` is the only escape, as in `aws`. */
const literalOfRaw = (quoted: string): string =>
  `\`${JSON.stringify(quoted.slice(1, -1).replaceAll("\\'", "'")).replaceAll('`', '\\u0060')}\``;

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const QUOTED = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/gs;

function createExactJmespathInterpreter(): Interpreter {
  return exact(new (TreeInterpreter.constructor as new () => Interpreter)());
}

/** Makes the interpreter handle bigints. It handles only numbers itself, and its `sort` would compare bigints as texts: 1, 10, 9. */
function exact(interpreter: Interpreter): Interpreter {
  const visit = interpreter.visit.bind(interpreter);
  const withScope = interpreter.withScope.bind(interpreter);
  interpreter.visit = (node, value) => {
    if (node.type !== 'Comparator' || node.name === 'EQ' || node.name === 'NE') return visit(node, value);
    const [first, second] = [interpreter.visit(node.left, value), interpreter.visit(node.right, value)];
    // As `aws` does, also orders texts.
    if (typeof first === 'string' && typeof second === 'string')
      return holds(node.name, first < second ? -1 : Number(first > second));
    return isNumeric(first) && isNumeric(second) ? holds(node.name, compareNumbers(first, second)) : null;
  };
  interpreter.withScope = (scope) => exact(withScope(scope));
  const runtime = interpreter.runtime as unknown as Runtime;
  const typeOf = runtime.getTypeName.bind(runtime);
  runtime.getTypeName = (value) => typeOf(typeof value === 'bigint' ? 0 : value);
  replaceFunctions(interpreter, runtime._functionTable);
  return interpreter;
}

function replaceFunctions(interpreter: Interpreter, functions: Functions): void {
  const { sort, sort_by: sortBy, to_string: toText } = functions;
  if (!sort || !sortBy || !toText)
    throw new Error('the package jmespath has no function sort, sort_by or to_string');
  const texts = sort._func;
  const others = sortBy._func;
  sort._func = (args) => {
    const [values] = args;
    const list: readonly unknown[] | undefined = Array.isArray(values) ? values : undefined;
    return list?.every(isNumeric) ? list.toSorted(compareNumbers) : texts(args);
  };
  sortBy._func = (args) => {
    const [values, by] = args;
    if (!Array.isArray(values) || by === undefined) return others(args);
    const keyed = values.flatMap((value) => {
      const key: unknown = interpreter.visit(by, value);
      return isNumeric(key) ? [{ value, key }] : [];
    });
    if (keyed.length < values.length) return others(args);
    return keyed.sort((a, b) => compareNumbers(a.key, b.key)).map(({ value }) => value);
  };
  toText._func = ([value]) => (typeof value === 'string' ? value : formatJson(value));
}

function holds(name: string, order: number): boolean {
  if (order === 0) return name.endsWith('E');
  return name.startsWith('G') === order > 0;
}

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';
