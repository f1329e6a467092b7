/** Converts values of fields to text and back. */
import { unstorableTextReason } from '../text/words.ts';
import type { Field, Scalar } from './field.ts';
import { MAX_ID_DIGITS, parseIntegerDigits } from './integer.ts';
import type { Reason } from './reason.ts';
import { assertNever } from './resource.ts';

type ParsedFieldText =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly reason: Reason };

const good = (value: Scalar): ParsedFieldText => ({ ok: true, value });
const bad = (reason: Reason): ParsedFieldText => ({ ok: false, reason });

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
      return INTEGER.test(text) ? good(parseIntegerDigits(text)) : bad({ kind: 'type', type: 'int' });
    case 'decimal':
      if (INTEGER.test(text)) return good(parseIntegerDigits(text));
      return FRACTION.test(text) ? good(Number(text)) : bad({ kind: 'type', type: 'decimal' });
    case 'bool': {
      const value = parseBooleanText(text);
      return value === undefined ? bad({ kind: 'type', type: 'bool' }) : good(value);
    }
    case 'enum': {
      const found = field.values?.find((value) => String(value) === text);
      return found === undefined ? bad({ kind: 'one-of', values: field.values ?? [] }) : good(found);
    }
    default:
      return assertNever(field.kind);
  }
}

/** Reads `true`, `false`, `1` and `0` (wire, "Requests") in any case, because some clients write `True`. */
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
