/** Types and keywords of JSON Schema 2020-12. svc describes fields and rules in this language for other programs. */
import type { Format } from './field.ts';

export type JsonSchema = { readonly [keyword: string]: SchemaValue };

type SchemaValue = string | number | bigint | boolean | null | readonly SchemaValue[] | JsonSchema;

/**
 * Returns the JSON Schema of a validation rule (`ValidationRule`).
 * @param formatOf returns the JSON Schema of a text or number that has a format, such as `sub-keyword`
 */
export type ValidationRuleSchemaBuilder = (formatOf: (format: Format) => JsonSchema) => JsonSchema;

const NOT_NULL: JsonSchema = { not: { type: 'null' } };

/** Returns a schema that an object matches if it has all these attributes and their values match these schemas. */
export const createRequiredAttributesSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  required: Object.keys(properties),
  properties,
});

/** Returns a schema that an object matches if it has the attribute and the value is not null. */
export const createNonNullAttributeSchema = (attribute: string): JsonSchema =>
  createRequiredAttributesSchema({ [attribute]: NOT_NULL });

/** Returns a schema that requires every value that matches `condition` to match `consequence` as well. */
export const when = (condition: JsonSchema, consequence: JsonSchema): JsonSchema => ({
  if: condition,
  [THEN]: consequence,
});

/**
 * Name of the keyword `then`. Code uses this constant, because the linter reports a property that is written as `then`: an object with such
 * a property could be mistaken for a promise.
 */
const THEN = 'then';
