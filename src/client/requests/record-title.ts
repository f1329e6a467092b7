/**
 * Titles of records for notes, questions, the journal and errors; the marks of keys in names; and the secrets in bodies,
 * which are never shown or stored.
 */
import { createHash } from 'node:crypto';
import type { AnyRecord, Resource } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { truncateText } from '../../kit/text/words.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import { replaceMarksBySigns } from '../../service/resources/campaign-mark.ts';

/** `folder 12 (News)`, `automation click:3 (Welcome)`. */
export function titleOf(resource: Resource, record: AnyRecord): string {
  return `${resource.noun} ${formatRecordId(resource, record.id)}${formatNameInBrackets(resource, record)}`;
}

/**
 * The id of a rule includes its kind, `click:12`, because each kind of rule counts its ids separately (contract, "Numbers, ids and names").
 */
export function formatRecordId(
  { variant }: { readonly variant?: string | undefined },
  id: Json | undefined,
): string {
  return variant === undefined ? String(id) : `${variant}:${String(id)}`;
}

/** Returns ` (News)`, or an empty text if the record has no name. */
export function formatNameInBrackets({ calledBy }: Resource, record: AnyRecord): string {
  const name = calledBy === undefined ? undefined : record[calledBy];
  return typeof name === 'string' ? ` (${truncateText(replaceMarksBySigns(name), MAX_NAME_LENGTH)})` : '';
}

const MAX_NAME_LENGTH = 60;

/** The mark of an idempotency key has this number of digits. */
const MARK_DIGITS = 8;

export function nameUnderKey(name: string, token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return `${name} [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/** Returns the name of a rule that svc has created paused under a key and not resumed yet: `Welcome [svc-7f3a9c12-new]`. */
export const unfinishedName = (name: string): string => name.replace(/\]$/, '-new]');

/** Returns the name without the mark of a key at its end, or undefined if it has none. */
export const parseKeyMark = (name: unknown): string | undefined =>
  typeof name === 'string' ? KEY_MARKED.exec(name)?.[1] : undefined;

const KEY_MARKED = new RegExp(`^(.*) \\[svc-[0-9a-f]{${MARK_DIGITS}}(?:-new)?\\]$`, 's');

export const MASK = '********';

/**
 * On a resource with a password, every unknown attribute is secret too, because its name is most likely the misspelt name of the password.
 */
function isSecretAttribute(name: string, resource?: Resource): boolean {
  if (/password|api_?-?key|secret/i.test(name)) return true;
  if (resource === undefined || !Object.values(resource.fields).some(isPassword)) return false;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  return field === undefined || isPassword(field);
}

const isPassword = ({ format }: Resource['fields'][string]): boolean => format === 'password';

/**
 * @param toInterfaceName translates the name of an attribute in the body into the interface's name; a deployment of the service may use
 * other names
 */
export function maskSecretsInBody(
  body: AnyRecord,
  resource?: Resource,
  toInterfaceName: (name: string) => string = (name) => name,
): AnyRecord {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (value !== null && isSecretAttribute(toInterfaceName(name), resource)) return [name, MASK];
      return [name, maskNested(value)];
    }),
  );
}

/** Masks nested values by their names alone, because nested values are not attributes of the resource. */
function maskNested(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskNested);
  return isObject<Json>(value) ? maskSecretsInBody(value) : value;
}

/** Callers remove these texts from output in which they may occur. */
export function secretsIn(
  body: Readonly<Record<string, unknown>>,
  resource?: Resource,
  toInterfaceName: (name: string) => string = (name) => name,
): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && isSecretAttribute(toInterfaceName(name), resource) ? [value] : [],
  );
}
