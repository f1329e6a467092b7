/**
 * Defines the names of the interface (neutral names) and a deployment's own names for them (docs/wire.md, "Vendor names"). The client and
 * the sandbox use the same table.
 */
import { type ContentMarkupNames, DEFAULT_CONTENT_MARKUP_NAMES } from '../../kit/schema/resource.ts';
import { isObject, keysOf } from '../../kit/text/json-object.ts';

export interface Naming extends ContentMarkupNames {
  /**
   * Prefix of the service's own HTTP headers: `X-Svc-` in `X-Svc-CID`. The prefix applies to CID (company id), UID (user id), PID (partner
   * id), Nonce, Time and Clock.
   */
  readonly headerPrefix: string;
  readonly companyScheme: string;
  readonly partnerScheme: string;
  /** Scheme of the `Authorization` header for a session token, which a POST to the resource `token` returns. */
  readonly tokenScheme: string;
  /**
   * Maps attribute names of the interface to the names that a deployment, an installation of the service, uses: `list_id` -> `listId`. All
   * other attributes keep the names from the interface.
   */
  readonly fields: Readonly<Record<string, string>>;
  /** Comparison of resource names. With `any`, the sandbox ignores upper and lower case. In the interface, names are case-sensitive. */
  readonly case: 'exact' | 'any';
  /** True if a client may leave out a required attribute in a POST when null is a valid value of the attribute. The value is then null. */
  readonly nullOptional: boolean;
}

export const DEFAULT_WIRE_NAMING: Naming = {
  ...DEFAULT_CONTENT_MARKUP_NAMES,
  headerPrefix: 'X-Svc-',
  companyScheme: 'SvcHash',
  partnerScheme: 'SvcPartner',
  tokenScheme: 'SvcToken',
  fields: {},
  case: 'exact',
  nullOptional: false,
};

export class NamingError extends RangeError {
  override readonly name = 'NamingError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

type Entry = keyof Naming;

const textLike =
  (form: RegExp) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' && form.test(value) ? value : undefined;

const NAME = textLike(/^[A-Za-z][A-Za-z0-9-]{0,39}$/);
const ELEMENT = textLike(/^[A-Za-z][A-Za-z0-9_:-]{0,39}$/);

/**
 * Valid values of each setting in `Naming`, except `fields`. `is` describes the valid values to the user. `read` returns the value of the
 * setting, or undefined if the value is not valid. It also accepts the texts `true` and `false`, because `profile set` stores every value
 * as text.
 */
const ENTRIES: Readonly<
  Record<
    Exclude<Entry, 'fields'>,
    { readonly is: string; readonly read: (value: unknown) => Naming[Entry] | undefined }
  >
> = {
  headerPrefix: { is: 'letters, digits and hyphens, such as X-Acme-', read: NAME },
  companyScheme: { is: 'letters, digits and hyphens', read: NAME },
  partnerScheme: { is: 'letters, digits and hyphens', read: NAME },
  tokenScheme: { is: 'letters, digits and hyphens', read: NAME },
  optInTag: { is: 'text without spaces, quotes, < and >', read: textLike(/^[^\s"'<>]{1,60}$/) },
  linkElement: { is: 'the name of an element', read: ELEMENT },
  nameElement: { is: 'the name of an element', read: ELEMENT },
  footer: {
    is: 'full (an unsubscribe link and the postal address), link (only the link) or none',
    read: textLike(/^(?:full|link|none)$/),
  },
  case: { is: 'exact or any', read: textLike(/^(?:exact|any)$/) },
  nullOptional: {
    is: 'true or false',
    read: (value) =>
      value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined,
  },
};
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;

/**
 * Returns the name of a setting of `Naming` in kebab case: `header-prefix` for `headerPrefix`. Files and `profile set` use kebab case, and
 * also accept camel case.
 */
export const toKebabCaseSettingName = (settingName: string): string =>
  settingName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const toCamelCaseSettingName = (settingName: string): string =>
  settingName.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Names of all settings of `Naming` in kebab case, such as `header-prefix`. The setting `fields` comes last. */
export const KEBAB_CASE_NAMING_SETTINGS: readonly string[] = [
  ...Object.keys(ENTRIES).map(toKebabCaseSettingName),
  'fields',
];

/**
 * Returns the interface's names with `overrides` applied. Keys may be in camel case or kebab case. Attribute names are not checked here:
 * see `checkFieldNames`.
 * @throws NamingError that names the first invalid entry
 */
export function namingWithOverrides(overrides: Readonly<Record<string, unknown>> = {}): Naming {
  return { ...DEFAULT_WIRE_NAMING, ...parseNamingOverrides(overrides) };
}

/** @throws NamingError that names the first invalid entry */
export function parseNamingOverrides(overrides: Readonly<Record<string, unknown>>): Partial<Naming> {
  const read: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(overrides)) {
    const settingName = toCamelCaseSettingName(key);
    if (Object.hasOwn(read, settingName))
      throw new NamingError(`naming has ${toKebabCaseSettingName(settingName)} twice`);
    read[settingName] = settingName === 'fields' ? fieldNames(value) : entryValue(key, settingName, value);
  }
  return read;
}

/** Returns the entries that differ from the interface's names (`DEFAULT_WIRE_NAMING`), or undefined if there are none. */
export function namingOverridesOf(naming: Naming): Partial<Naming> | undefined {
  const own = keysOf(naming).filter((entry) =>
    entry === 'fields' ? hasRenamedAttributes(naming) : naming[entry] !== DEFAULT_WIRE_NAMING[entry],
  );
  return own.length === 0 ? undefined : Object.fromEntries(own.map((entry) => [entry, naming[entry]]));
}

function entryValue(key: string, settingName: string, value: unknown): Naming[Entry] {
  const name = keysOf(ENTRIES).find((each) => each === settingName);
  if (name === undefined)
    throw new NamingError(
      `${key} is not a naming setting; naming settings define the names that this service uses`,
      `naming settings: ${KEBAB_CASE_NAMING_SETTINGS.join(', ')}`,
    );
  const { is, read } = ENTRIES[name];
  const taken = read(value);
  if (taken === undefined)
    throw new NamingError(`naming.${key} cannot be ${JSON.stringify(value)}: write ${is}`);
  return taken;
}

function fieldNames(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value))
    throw new NamingError(
      'naming.fields must be an object of attribute names, each with the name that your service uses instead: {"list_id": "listId"}',
    );
  const names: Record<string, string> = {};
  for (const [neutral, own] of Object.entries(value)) {
    if (!FIELD_NAME.test(neutral) || typeof own !== 'string' || !FIELD_NAME.test(own))
      throw new NamingError(
        `naming.fields.${neutral} cannot be ${JSON.stringify(own)}: a name begins with a letter and has only letters, digits and _`,
      );
    const same = Object.keys(names).find((each) => names[each] === own);
    if (same !== undefined)
      throw new NamingError(
        `naming.fields renames two attributes, ${same} and ${neutral}, to the same name: ${own}`,
      );
    names[neutral] = own;
  }
  return names;
}

/**
 * Returns the name that a deployment, an installation of the service, uses for an attribute of the interface: `listId` for `list_id`.
 * Returns `attribute` unchanged if the deployment does not rename this attribute.
 */
export function toWireName(naming: Naming, attribute: string): string {
  return Object.hasOwn(naming.fields, attribute) ? (naming.fields[attribute] ?? attribute) : attribute;
}

export function fromWireName(naming: Naming, name: string): string {
  for (const [neutral, own] of Object.entries(naming.fields)) if (own === name) return neutral;
  return name;
}

export function hasRenamedAttributes({ fields }: Naming): boolean {
  for (const _ in fields) return true;
  return false;
}

export function renameKeys<T>(
  values: Readonly<Record<string, T>>,
  rename: (naming: Naming, name: string) => string,
  naming: Naming,
): Record<string, T> {
  if (!hasRenamedAttributes(naming)) return { ...values };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(naming, key), value]));
}

type HeaderNames = Readonly<Record<'cid' | 'uid' | 'pid' | 'nonce' | 'time' | 'clock', string>>;

export function headerNames(naming: Naming): HeaderNames {
  let names = known.get(naming);
  if (!names) {
    names = namesWith(naming.headerPrefix.toLowerCase());
    known.set(naming, names);
  }
  return names;
}

/** Cached header names, because the client and the sandbox need them for every request. */
const known = new WeakMap<Naming, HeaderNames>();

const namesWith = (prefix: string): HeaderNames => ({
  cid: `${prefix}cid`,
  uid: `${prefix}uid`,
  pid: `${prefix}pid`,
  nonce: `${prefix}nonce`,
  time: `${prefix}time`,
  clock: `${prefix}clock`,
});
