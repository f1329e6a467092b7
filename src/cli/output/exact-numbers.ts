/** Adds large whole numbers to JMESPath: numbers that a double can't hold are compared and sorted by their digits, and never rounded. */
import { type compile, TreeInterpreter } from '@jmespath-community/jmespath';
import {
  findUnusedCharacter,
  formatJson,
  restoreTaggedIntegers,
  tagLargeIntegers,
} from '../../protocol/json.ts';
import { compareNumbers } from '../../schema/integer.ts';

type Interpreter = typeof TreeInterpreter;
type Node = ReturnType<typeof compile>;
type Value = Parameters<Interpreter['visit']>[1];
type Args = readonly [Value, ...Node[]];
type Functions = Record<string, { _func: (args: Args) => unknown }>;
/**
 * Members of a JMESPath interpreter that svc replaces. svc replaces them only in an interpreter that it creates, not in the shared one of
 * the JMESPath library.
 */
interface Runtime {
  getTypeName: (value: unknown) => unknown;
  readonly _functionTable: Functions;
}
type Numeric = number | bigint;

/**
 * Protects the large numbers in a JMESPath expression, because the JMESPath package would round them. `marked` is the expression with a
 * text instead of each large number in its literals. This text consists of a character that the expression does not contain, and the
 * digits. After compilation, `restore` replaces these texts with the exact numbers.
 */
export function protectLargeNumbersInJmespath(expression: string): {
  readonly marked: string;
  readonly restore: (compiled: Node) => Node;
} {
  const tag = findUnusedCharacter(expression);
  // Only literals can hold large numbers. Text and names in quotes are skipped.
  const marked = expression.replace(QUOTED, (quoted) =>
    quoted.startsWith('`') ? tagLargeIntegers(quoted, tag) : quoted,
  );
  return { marked, restore: (compiled) => restoreTaggedIntegers(compiled, tag) as Node };
}

const QUOTED = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/gs;

/**
 * Returns a JMESPath interpreter that compares and sorts large whole numbers exactly. Creates a new interpreter, because the function
 * `exact` would otherwise change the interpreter that the JMESPath library shares.
 */
export function createExactJmespathInterpreter(): Interpreter {
  return exact(new (TreeInterpreter.constructor as new () => Interpreter)());
}

/**
 * Makes the JMESPath interpreter handle bigints. The interpreter itself handles only numbers, and its `sort` would compare bigints as
 * texts: 1, 10, 9.
 */
function exact(interpreter: Interpreter): Interpreter {
  const visit = interpreter.visit.bind(interpreter);
  const withScope = interpreter.withScope.bind(interpreter);
  interpreter.visit = (node, value) => {
    if (node.type !== 'Comparator' || node.name === 'EQ' || node.name === 'NE') return visit(node, value);
    const [first, second] = [interpreter.visit(node.left, value), interpreter.visit(node.right, value)];
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
    return Array.isArray(values) && values.every(isNumeric)
      ? [...(values as Numeric[])].sort(compareNumbers)
      : texts(args);
  };
  sortBy._func = (args) => {
    const [values, by] = args;
    if (!Array.isArray(values) || by === undefined) return others(args);
    const keyed = values.map((value) => ({ value, key: interpreter.visit(by, value) as unknown }));
    if (!keyed.every(({ key }) => isNumeric(key))) return others(args);
    return keyed.sort((a, b) => compareNumbers(a.key as Numeric, b.key as Numeric)).map(({ value }) => value);
  };
  toText._func = ([value]) => (typeof value === 'string' ? value : formatJson(value));
}

function holds(name: string, order: number): boolean {
  if (order === 0) return name.endsWith('E');
  return name.startsWith('G') === order > 0;
}

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';
