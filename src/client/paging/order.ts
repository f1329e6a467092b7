/** The order of a sorted collection, as far as it can be told from its rows. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import { compareNumbers, integerOf } from '../../schema/integer.ts';

export interface Order {
  /** The row's value of the sort attribute; what is not there counts as null. */
  readonly valueIn: (row: JsonObject) => Scalar;
  /** Below 0 when rows with value `a` come before rows with `b`. */
  readonly compare: (a: Scalar, b: Scalar) => number;
  /** Numbers and booleans: any service sorts them alike. How it sorts texts only the service knows. */
  readonly isExact: boolean;
  /** What `next` means as a start; undefined where it is null and so says nothing. */
  readonly startIn: (next: Scalar) => Scalar | undefined;
}

/**
 * @param first a value of the first row of the whole collection: where it is null, nulls come first (the wire doesn't
 * say where they stand)
 */
export function orderBy(attribute: string, field: Field, reverse: boolean, first: Scalar): Order {
  const valueIn = (row: JsonObject): Scalar => scalarOf(field, row[attribute] ?? null);
  const nulls = first === null ? -1 : 1;
  const isExact = field.kind !== 'string' && field.kind !== 'enum';
  return {
    valueIn,
    isExact,
    // In a query an empty text stands for null (wire, "Requests"), and so it may in an answer.
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

/** A number that came as text is a number. */
export function scalarOf(field: Field, value: Json): Scalar {
  if (typeof value === 'object') return null;
  const numeric = field.kind === 'int' || field.kind === 'decimal';
  if (!numeric || typeof value !== 'string') return value;
  if (/^-?[0-9]{1,40}$/.test(value)) return integerOf(value);
  return /^-?[0-9]{1,16}\.[0-9]+$/.test(value) ? Number(value) : value;
}

/** Numbers by size, false before true, text by code points. */
function ascending(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return compareNumbers(numberOf(a), numberOf(b));
}

const numberOf = (value: Scalar): number | bigint => (typeof value === 'bigint' ? value : Number(value));
