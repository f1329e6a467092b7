/** Selects the attributes of listed records, so that a list of long messages takes a few kilobytes of an assistant's context. */
import { catalogue } from '../../../resources/catalogue.ts';
import { isObject } from '../../../text/json-object.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Row } from '../../output/result.ts';
import type { TrustedProperties } from './untrusted.ts';

/** Attributes that can have many kilobytes. */
const LONG_TEXTS = ['html', 'text', 'message'];

/** Attributes of a message in a list, if the call names no fields. They are enough to find a message. */
const SHORT_ATTRIBUTES = ['id', 'name', 'subject', 'used', 'msisdn', 'senddate', 'dispatched', 'failed'];

const lengthKey = (attribute: string): string => `${attribute}_length`;

/** Trusted keys of a list: the lengths of the texts that it leaves out. */
export const LENGTH_KEYS: TrustedProperties = Object.fromEntries(
  LONG_TEXTS.map((name) => [lengthKey(name), 'value']),
);

/**
 * Returns the attributes to read for the listed records. Returns undefined for all attributes.
 * @param given the argument `fields` of the call
 * @throws UsageError if the argument is not a list of names
 */
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

/** Adds the status to each record of a noun that has one, such as `scheduled` to a task. @param now Unix seconds by the service's clock */
export function addStatus(printed: unknown, noun: string | undefined, now: number): unknown {
  const status = catalogue.find((each) => each.noun === noun)?.status;
  const added = (value: unknown): unknown =>
    isObject(value) && status?.from.every((name) => Object.hasOwn(value, name))
      ? { ...value, status: status.of(value, now) }
      : value;
  return Array.isArray(printed) ? printed.map(added) : added(printed);
}

/** Returns the named attributes of the row, in the order of `fields`. */
export const pickFields = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(
    fields.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name] ?? null]),
  );

/** Replaces each long text of the row by its length in characters: `html` by `html_length`. */
export const replaceTextsByLengths = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      LONG_TEXTS.includes(name) && typeof value === 'string'
        ? [lengthKey(name), value.length]
        : [name, value],
    ),
  );
