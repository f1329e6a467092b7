/** Finds secret values in the body of a request. They are never shown or stored in a dry run, the journal, an error or a trace. */
import type { Json, JsonObject } from '../protocol/envelope.ts';
import type { Resource } from '../schema/resource.ts';

/** Text that replaces a secret. */
export const MASK = '********';

/**
 * Reports whether the attribute is secret. Passwords and keys are recognized by their names. On a resource with a password, every unknown
 * attribute is secret too, because its name is most likely the misspelt name of the password.
 */
function isSecretAttribute(name: string, resource?: Resource): boolean {
  if (/password|api_?-?key|secret/i.test(name)) return true;
  if (resource === undefined || !Object.values(resource.fields).some(isPassword)) return false;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  return field === undefined || isPassword(field);
}

const isPassword = ({ format }: Resource['fields'][string]): boolean => format === 'password';

/**
 * Returns the body with each secret value replaced by `MASK`.
 * @param toInterfaceName translates the name of an attribute in the body into the interface's name; a deployment of the service may use
 * other names
 */
export function maskSecretsInBody(
  body: JsonObject,
  resource?: Resource,
  toInterfaceName: (name: string) => string = (name) => name,
): JsonObject {
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
  return typeof value === 'object' && value !== null ? maskSecretsInBody(value as JsonObject) : value;
}

/** Returns the secret values that `maskSecretsInBody` replaces. Callers remove these texts from output in which they may occur. */
export function secretsIn(
  body: Readonly<Record<string, unknown>>,
  resource?: Resource,
  toInterfaceName: (name: string) => string = (name) => name,
): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && isSecretAttribute(toInterfaceName(name), resource) ? [value] : [],
  );
}
