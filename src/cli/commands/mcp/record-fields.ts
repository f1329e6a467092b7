/** Selects the attributes of listed records, so that a list of long messages takes a few kilobytes of an assistant's context. */

import { isObject } from '../../../kit/text/json-object.ts';
import { catalogue } from '../../../service/resources/catalogue.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Row } from '../../output/result.ts';
import type { TrustedProperties } from './untrusted.ts';

const LONG_TEXTS = ['html', 'text', 'message'];

/** They are enough to find a message, if the call names no fields. */
const SHORT_ATTRIBUTES = ['id', 'name', 'subject', 'used', 'msisdn', 'senddate', 'dispatched', 'failed'];

const lengthKey = (attribute: string): string => `${attribute}_length`;

export const LENGTH_KEYS: TrustedProperties = Object.fromEntries(
  LONG_TEXTS.map((name) => [lengthKey(name), 'value']),
);

/** Undefined for all attributes. @param given the argument `fields` of the call @throws UsageError if it is not a list of names */
export function readFields(noun: string, given: unknown): readonly string[] | undefined {
  if (given === undefined) return defaultFields(noun);
  const names = Array.isArray(given) ? given : [given];
  if (names.length > 0 && names.length <= 100 && names.every(isName)) return names;
  throw new UsageError('the argument fields must be a list of names of attributes, such as ["id", "name"]');
}

const isName = (name: unknown): name is string => typeof name === 'string' && /^[a-z_]{1,64}$/i.test(name);

function defaultFields(noun: string): readonly string[] | undefined {
  const fields = catalogue.filter((each) => each.noun === noun).map((each) => Object.keys(each.fields));
  const [messageFields] = fields.filter((names) => names.some((name) => LONG_TEXTS.includes(name)));
  return messageFields?.filter((name) => SHORT_ATTRIBUTES.includes(name) || LONG_TEXTS.includes(name));
}

/** Not every noun has a status, such as `scheduled`. @param now Unix seconds by the service's clock */
export function addStatus(printed: unknown, noun: string | undefined, now: number): unknown {
  const status = catalogue.find((each) => each.noun === noun)?.status;
  const added = (value: unknown): unknown =>
    isObject(value) && status?.from.every((name) => Object.hasOwn(value, name))
      ? { ...value, status: status.of(value, now) }
      : value;
  return Array.isArray(printed) ? printed.map(added) : added(printed);
}

export const pickFields = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(
    fields.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name] ?? null]),
  );

/** Replaces `html` by `html_length`, in characters. */
export const replaceTextsByLengths = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      LONG_TEXTS.includes(name) && typeof value === 'string'
        ? [lengthKey(name), value.length]
        : [name, value],
    ),
  );
