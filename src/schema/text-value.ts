/** Converts a value of a field to text, as in a query, a form body or a flag, and back. */

import { unstorableTextReason } from '../text/words.ts';
import type { Field, Scalar } from './field.ts';
import { MAX_ID_DIGITS, parseIntegerDigits } from './integer.ts';
import { assertNever } from './resource.ts';

type ParsedFieldText =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly reason: string };

const good = (value: Scalar): ParsedFieldText => ({ ok: true, value });
const bad = (reason: string): ParsedFieldText => ({ ok: false, reason });

const INTEGER = new RegExp(`^[+-]?[0-9]{1,${MAX_ID_DIGITS}}$`);
const FRACTION = /^[+-]?[0-9]{1,16}\.[0-9]{1,9}$/;

/** Reads text as a value of `field`. Empty text is null for a nullable field (wire, "Requests"). */
export function parseFieldText(field: Field, text: string): ParsedFieldText {
  if (text === '' && field.nullable) return good(null);
  switch (field.kind) {
    case 'string': {
      const broken = unstorableTextReason(text);
      return broken === undefined ? good(text) : bad(broken);
    }
    case 'int':
      return INTEGER.test(text) ? good(parseIntegerDigits(text)) : bad('must be a whole number');
    case 'decimal':
      if (INTEGER.test(text)) return good(parseIntegerDigits(text));
      return FRACTION.test(text) ? good(Number(text)) : bad('must be a number');
    case 'bool': {
      const value = parseBooleanText(text);
      return value === undefined ? bad('must be true or false') : good(value);
    }
    case 'enum': {
      const found = field.values?.find((value) => String(value) === text);
      return found === undefined ? bad(`must be one of ${field.values?.join(', ')}`) : good(found);
    }
    default:
      return assertNever(field.kind);
  }
}

/**
 * Returns the boolean for `true` and `false`, and for `1` and `0` (wire, "Requests"). Upper and lower case do not matter, because some
 * clients write `True`.
 */
export function parseBooleanText(text: string): boolean | undefined {
  switch (text.toLowerCase()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return undefined;
  }
}

/** Returns a value as text for a query. Null becomes an empty text. */
export function formatQueryValue(value: Scalar): string {
  return value === null ? '' : String(value);
}
