/** Describes the values of a field as JSON Schema 2020-12. Requests, responses and campaign files share these schemas. */

import { COUNTRY_CODES } from '../text/country-codes.ts';
import { BASIC_GSM_CHARACTERS, EXTENDED_GSM_CHARACTERS } from '../text/gsm.ts';
import { WINDOWS_1252_CHARACTERS_80_TO_9F } from '../text/windows-1252.ts';
import type { Field, Format } from './field.ts';
import { MAX_LINE_OCTETS } from './formats.ts';
import { MAX_UNIX_SECONDS } from './integer.ts';
import { assertNever, type Json, type JsonSchema } from './resource.ts';

/** Returns the JSON Schema of the values that a request accepts for the field. */
export function createFieldValueSchema(field: Field): JsonSchema {
  const { nullable, format } = field;
  if (field.kind === 'enum') return enumSchema(field);
  const base = {
    ...createFieldTypeSchema(field),
    ...(format === undefined ? {} : createFormatSchema(format)),
  };
  return nullable ? { ...base, type: [String(base.type), 'null'] } : base;
}

interface FieldTypeSchema {
  readonly type?: string;
  readonly [keyword: string]: Json;
}

/** Returns the JSON Schema of the type, bounds and length of a field, without its format. Null is not included. */
export const createFieldTypeSchema = (field: Field): FieldTypeSchema => ({
  ...createUnboundedSchema(field),
  ...bounds(field),
  ...octetBounds(field),
});

/** Returns the JSON Schema of any value of a field's type. */
export function createUnboundedSchema(field: Field): FieldTypeSchema {
  switch (field.kind) {
    case 'int':
      return { type: 'integer' };
    case 'decimal':
      return { type: 'number' };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { enum: [...(field.values ?? [])] };
    case 'string':
      return { type: 'string', pattern: `^${CHARACTER}*$` };
    default:
      return assertNever(field.kind);
  }
}

function enumSchema({ values = [], nullable }: Field): JsonSchema {
  const types = [...new Set(values.map((value) => (typeof value === 'number' ? 'integer' : 'string')))];
  const [type = 'string'] = types;
  return nullable ? { type: [type, 'null'], enum: [...values, null] } : { type, enum: [...values] };
}

const bounds = ({ min, max }: Field): JsonSchema => ({
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
});

/** Converts bounds in octets to bounds in characters, which take 1 to 4 octets. */
const octetBounds = ({ octets }: Field): JsonSchema =>
  octets === undefined ? {} : { minLength: Math.ceil(octets[0] / 4), maxLength: octets[1] };

/** A character except U+0000 and lone surrogates (docs/wire.md, "Requests", row "text"). Patterns are ECMA-262 with the flag `u`. */
const CHARACTER = '[^\\u0000\\uD800-\\uDFFF]';

const LOCAL_PART = ((atom) => `${atom}(?:\\.${atom})*`)("[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+");
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** Returns the pattern of a domain name, whose last label is not a number, before the pattern `end`. */
const domain = (end: string): string => `(?:${LABEL}\\.)+(?![0-9]+${end})${LABEL}${end}`;
const email = (end: string): string => `(?=[^@]{1,64}@)${LOCAL_PART}@${domain(end)}`;
/** White space, dashes, dots and parentheses in a phone number. */
const PUNCTUATION = '[\\s().\\-\\u2010-\\u2015]*';
const WITHOUT_TRUNK_ZERO = '(?![\\s\\S]*\\(\\s?0\\s?\\))';
const MSISDN = `${PUNCTUATION}\\+?${PUNCTUATION}[1-9](?:${PUNCTUATION}[0-9]){6,14}${PUNCTUATION}`;
const OCTET = '(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])';
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}\\s*$`;

/** Returns the characters as escapes for use inside a character class of a regular expression. */
const inClass = (characters: Iterable<string>): string =>
  [...characters]
    .map((each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join('');

const WINDOWS_1252_WITHOUT_LINE_ENDS = `\\u0001-\\u0009\\u000B\\u000C\\u000E-\\u007F\\u00A0-\\u00FF${inClass(WINDOWS_1252_CHARACTERS_80_TO_9F)}`;
/** Octets of a line without its line end, CR LF. */
const LINE = MAX_LINE_OCTETS - 2;

/** Returns the JSON Schema of a format. `FORMAT_RULES_NOT_IN_SCHEMA` lists what it can't express. */
export function createFormatSchema(format: Format): JsonSchema {
  switch (format) {
    case 'actionhour':
      return { pattern: '^(?:[01][0-9]|2[0-3]):00:00$' };
    case 'contactdata':
      return {
        maxLength: 320,
        anyOf: [
          { title: 'E-mail address', pattern: `^\\s*(?=\\S{1,254}\\s*$)${email('\\s*$')}` },
          { title: 'Domain name', pattern: `^\\s*@?(?=\\S{1,253}\\s*$)${domain('\\s*$')}` },
          {
            title: 'Phone number',
            pattern: `^\\s*(?=\\S(?:[\\s\\S]{0,62}\\S)?\\s*$)(?!${IPV4})${WITHOUT_TRUNK_ZERO}${MSISDN}$`,
          },
        ],
      };
    case 'country':
      return { enum: COUNTRY_CODES };
    case 'destination-keyword':
      return { pattern: '^[^\\s\\u0000\\uD800-\\uDFFF]{4,64}$' };
    case 'domain':
      return { format: 'hostname', maxLength: 253, pattern: `^${domain('$')}` };
    case 'email':
      return { format: 'email', maxLength: 254, pattern: `^${email('$')}` };
    case 'html':
      return { contentMediaType: 'text/html', pattern: `^[${WINDOWS_1252_WITHOUT_LINE_ENDS}\\r\\n]*$` };
    case 'msisdn':
      return { maxLength: 64, pattern: `^${WITHOUT_TRUNK_ZERO}${MSISDN}$` };
    case 'password':
      return {
        format: 'password',
        minLength: 7,
        pattern: `^(?=[\\s\\S]*\\p{L})(?=[\\s\\S]*\\p{N})${CHARACTER}*$`,
      };
    case 'sender':
      return { pattern: '^(?:[A-Za-z0-9]{1,11}|\\+?[1-9][0-9]{6,14})$' };
    case 'sms-text':
      return {
        minLength: 1,
        anyOf: [
          {
            title: 'GSM alphabet',
            maxLength: 459,
            pattern: `^[${inClass([...BASIC_GSM_CHARACTERS, ...EXTENDED_GSM_CHARACTERS])}]*$`,
          },
          { title: 'UCS-2', maxLength: 201 },
        ],
      };
    case 'sub-keyword':
      return { pattern: '^[A-Za-z0-9]{1,32}$' };
    case 'text-body':
      return {
        pattern: `^(?:[${WINDOWS_1252_WITHOUT_LINE_ENDS}\\r]{0,${LINE}}\\r?\\n)*[${WINDOWS_1252_WITHOUT_LINE_ENDS}\\r]{0,${LINE}}$`,
      };
    case 'timestamp':
      return { minimum: 0, maximum: MAX_UNIX_SECONDS };
    case 'timezone':
      return { maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' };
    case 'url':
    case 'website':
      return { format: 'uri', maxLength: 2048, pattern: `^[Hh][Tt][Tt][Pp][Ss]?://${CHARACTER}*$` };
    case 'username':
      return { maxLength: 200, pattern: `^(?=[\\s\\S]*\\S)${CHARACTER}*$` };
    case 'windows-1252':
      return { pattern: `^[${WINDOWS_1252_WITHOUT_LINE_ENDS}]*$` };
    default:
      return assertNever(format);
  }
}

/** Parts of a format that no schema can express, as sentences. */
export const FORMAT_RULES_NOT_IN_SCHEMA: Readonly<Partial<Record<Format, string>>> = {
  'sms-text':
    'The text fits in 3 SMS parts. A text in the GSM alphabet has at most 459 characters. A few GSM characters, such as €, count as two. Any other text has at most 201 characters (UTF-16 code units). An emoji counts as two or more.',
  timezone: 'The name is in the TZ database.',
  url: 'The address is a valid URL, as the URL Standard (url.spec.whatwg.org) defines it.',
  website: 'The address is a valid URL, as the URL Standard (url.spec.whatwg.org) defines it.',
};
