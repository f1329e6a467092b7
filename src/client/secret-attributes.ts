/** Which values of a body are never shown and never kept: in a rehearsal, in the journal, in an error, in a trace. */
import type { Json, JsonObject } from '../protocol/envelope.ts';
import type { Resource } from '../schema/resource.ts';

export const MASK = '********';

/**
 * Passwords and keys by their names; and on a resource that has a password whatever it doesn't know, since that is most
 * likely a password with its name misspelt.
 */
function isSecretAttribute(name: string, resource?: Resource): boolean {
  if (/password|api_?-?key|secret/i.test(name)) return true;
  if (resource === undefined || !Object.values(resource.fields).some(isPassword)) return false;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  return field === undefined || isPassword(field);
}

const isPassword = ({ format }: Resource['fields'][string]): boolean => format === 'password';

/** The same body with a mask for each secret. @param neutral the interface's name for what a deployment calls `name` */
export function maskBody(
  body: JsonObject,
  resource?: Resource,
  neutral: (name: string) => string = (name) => name,
): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (value !== null && isSecretAttribute(neutral(name), resource)) return [name, MASK];
      return [name, maskNested(value)];
    }),
  );
}

/** Below the first level there are no attributes of the resource: names alone tell. */
function maskNested(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskNested);
  return typeof value === 'object' && value !== null ? maskBody(value as JsonObject) : value;
}

/** The texts that `maskBody` would mask, for whoever prints what may repeat them. */
export function secretsIn(
  body: Readonly<Record<string, unknown>>,
  resource?: Resource,
  neutral: (name: string) => string = (name) => name,
): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && isSecretAttribute(neutral(name), resource) ? [value] : [],
  );
}
