/** The names that stand for a deployment's own (wire, "Vendor names"). One table, for both ends. */
import { type ContentWords, NEUTRAL_WORDS } from '../schema/resource.ts';

export interface Naming extends ContentWords {
  /** Before CID, UID, PID, Nonce, Time and Clock in header names. */
  readonly headerPrefix: string;
  readonly companyScheme: string;
  readonly partnerScheme: string;
  /** Neutral attribute name → the deployment's name. */
  readonly fields: Readonly<Record<string, string>>;
}

export const NEUTRAL_NAMING: Naming = {
  ...NEUTRAL_WORDS,
  headerPrefix: 'X-Svc-',
  companyScheme: 'SvcHash',
  partnerScheme: 'SvcPartner',
  fields: {},
};

/** What an override may say, and the form each has to have: it goes into headers and message content. */
const SHAPES: Readonly<Record<Exclude<keyof Naming, 'fields'>, RegExp>> = {
  headerPrefix: /^[A-Za-z][A-Za-z0-9-]{0,39}$/,
  companyScheme: /^[A-Za-z][A-Za-z0-9-]{0,39}$/,
  partnerScheme: /^[A-Za-z][A-Za-z0-9-]{0,39}$/,
  optInTag: /^[^\s"'<>]{1,60}$/,
  linkElement: /^[A-Za-z][A-Za-z0-9_:-]{0,39}$/,
  nameElement: /^[A-Za-z][A-Za-z0-9_:-]{0,39}$/,
};
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;

/** `overrides` over the neutral names. Throws a `RangeError` that names the first entry it can't take. */
export function namingWith(overrides: Readonly<Record<string, unknown>> = {}): Naming {
  const naming: Record<string, unknown> = { ...NEUTRAL_NAMING };
  for (const [key, value] of Object.entries(overrides)) {
    if (key === 'fields') naming['fields'] = fieldNames(value);
    else if (!Object.hasOwn(SHAPES, key)) throw new RangeError(`naming has no entry ${key}`);
    else if (typeof value !== 'string' || !SHAPES[key as keyof typeof SHAPES].test(value))
      throw new RangeError(`naming.${key} can't be ${JSON.stringify(value)}`);
    else naming[key] = value;
  }
  return naming as unknown as Naming;
}

function fieldNames(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) throw new RangeError('naming.fields must be an object');
  const names: Record<string, string> = {};
  for (const [neutral, own] of Object.entries(value)) {
    if (!FIELD_NAME.test(neutral) || typeof own !== 'string' || !FIELD_NAME.test(own))
      throw new RangeError(`naming.fields.${neutral} can't be ${JSON.stringify(own)}`);
    names[neutral] = own;
  }
  if (new Set(Object.values(names)).size < Object.keys(names).length)
    throw new RangeError('naming.fields gives two attributes the same name');
  return names;
}

/** The attribute as this deployment calls it. */
export function toWireName(naming: Naming, attribute: string): string {
  return Object.hasOwn(naming.fields, attribute) ? (naming.fields[attribute] ?? attribute) : attribute;
}

/** The neutral name of what this deployment calls `name`. */
export function fromWireName(naming: Naming, name: string): string {
  for (const [neutral, own] of Object.entries(naming.fields)) if (own === name) return neutral;
  return name;
}

/** The same object with every key renamed. */
export function renameKeys<T>(
  values: Readonly<Record<string, T>>,
  rename: (naming: Naming, name: string) => string,
  naming: Naming,
): Record<string, T> {
  if (Object.keys(naming.fields).length === 0) return { ...values };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(naming, key), value]));
}

/** Header names of this deployment, in lower case, as they stand in a `WireRequest`. */
export function headerNames({ headerPrefix }: Naming): HeaderNames {
  if (headerPrefix !== lastNames?.headerPrefix)
    lastNames = { headerPrefix, names: namesWith(headerPrefix.toLowerCase()) };
  return lastNames.names;
}

type HeaderNames = Readonly<Record<'cid' | 'uid' | 'pid' | 'nonce' | 'time' | 'clock', string>>;

/** One deployment is spoken to at a time, thousands of times. */
let lastNames: { readonly headerPrefix: string; readonly names: HeaderNames } | undefined;

function namesWith(prefix: string): HeaderNames {
  return {
    cid: `${prefix}cid`,
    uid: `${prefix}uid`,
    pid: `${prefix}pid`,
    nonce: `${prefix}nonce`,
    time: `${prefix}time`,
    clock: `${prefix}clock`,
  };
}
