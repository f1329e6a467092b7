/** Determines the order of a sorted collection from its first row. Also sorts rows in this order within a limited amount of memory. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import { compareNumbers, parseIntegerDigits } from '../../schema/integer.ts';

/** Order in which the service returns the rows of a collection, by one sort attribute. */
export interface RowOrder {
  /** Returns the row's value of the sort attribute. A missing value counts as null. */
  readonly valueIn: (row: JsonObject) => Scalar;
  /** Returns a number below 0 if rows with value `a` come before rows with `b`. */
  readonly compare: (a: Scalar, b: Scalar) => number;
  /**
   * True if svc can reproduce the order of the rows exactly: for numbers and booleans, which the service always sorts in the same way.
   * False for text, because the order of text depends on the installation of the service.
   */
  readonly isExact: boolean;
  /**
   * Returns the value of the query parameter `start` for the next page. `next` is the sort value of the next row, as the response gives it.
   * Returns undefined if `next` is null, so that no further page can be requested.
   */
  readonly startIn: (next: Scalar) => Scalar | undefined;
}

/**
 * Returns the order of a collection by one attribute.
 * @param firstValue value in the first row of the collection. If the value is null, nulls come first; otherwise, they come last. The wire
 * document does not specify which.
 */
export function createRowOrder(
  attribute: string,
  field: Field,
  reverse: boolean,
  firstValue: Scalar,
): RowOrder {
  const valueIn = (row: JsonObject): Scalar => scalarOf(field, row[attribute] ?? null);
  const nulls = firstValue === null ? -1 : 1;
  const isExact = field.kind !== 'string' && field.kind !== 'enum';
  return {
    valueIn,
    isExact,
    // An empty text means null in a query (wire, "Requests"), and it may do so in a response.
    startIn: (next) => {
      if (next === null) return undefined;
      return next === '' && isExact && field.nullable ? null : scalarOf(field, next);
    },
    compare: (a, b) => {
      if (a === b) return 0;
      if (a === null) return nulls;
      if (b === null) return -nulls;
      return reverse ? ascending(b, a) : ascending(a, b);
    },
  };
}

/** Returns the value of a field as a scalar. A number sent as text becomes a number. */
export function scalarOf(field: Field, value: Json): Scalar {
  if (typeof value === 'object') return null;
  const numeric = field.kind === 'int' || field.kind === 'decimal';
  if (!numeric || typeof value !== 'string') return value;
  if (/^-?[0-9]{1,40}$/.test(value)) return parseIntegerDigits(value);
  return /^-?[0-9]{1,16}\.[0-9]+$/.test(value) ? Number(value) : value;
}

/** Compares numbers by size, false before true, text by code points. */
function ascending(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return compareNumbers(numberOf(a), numberOf(b));
}

const numberOf = (value: Scalar): number | bigint => (typeof value === 'bigint' ? value : Number(value));

/**
 * Collects rows that arrive in any order, and returns the first ones in the wanted order. Keeps only as many rows as fit into the given
 * amount of memory.
 */
interface MemoryLimitedRowSorter {
  readonly add: (row: JsonObject) => void;
  /**
   * Returns the kept rows in the wanted order. `resumeValue` is the sort value of the first row that did not fit into the memory. No kept
   * row has this value, so the caller can continue with the rows that begin at `resumeValue`. If all rows fitted, `resumeValue` is
   * undefined.
   */
  readonly take: () => { readonly rows: readonly JsonObject[]; readonly resumeValue: Scalar | undefined };
}

export function createMemoryLimitedRowSorter(order: RowOrder, maxOctets: number): MemoryLimitedRowSorter {
  let held: { readonly row: JsonObject; readonly value: Scalar; readonly size: number }[] = [];
  let size = 0;
  /** Rows with this sort value or a later one are not kept. */
  let bound: { readonly value: Scalar } | undefined;

  const cut = (): void => {
    held.sort((a, b) => order.compare(a.value, b.value));
    let sum = 0;
    const over = held.find((each) => {
      sum += each.size;
      return sum > maxOctets;
    });
    if (!over) return;
    bound = { value: over.value };
    held = held.filter(({ value }) => order.compare(value, over.value) < 0);
    size = held.reduce((total, each) => total + each.size, 0);
  };

  return {
    add: (row) => {
      const value = order.valueIn(row);
      if (bound && order.compare(value, bound.value) >= 0) return;
      const rowSize = formatJson(row).length;
      held.push({ row, value, size: rowSize });
      size += rowSize;
      // Cut only at twice the size, so that each sort covers at least as many new rows.
      if (size > 2 * maxOctets) cut();
    },
    take: () => {
      cut();
      return { rows: held.map(({ row }) => row), resumeValue: bound?.value };
    },
  };
}
