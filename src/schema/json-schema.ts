/** Types and keywords of JSON Schema 2020-12. svc describes fields and rules in this language for other programs. */
import type { Format } from './field.ts';

export type JsonSchema = { readonly [keyword: string]: SchemaValue };

type SchemaValue = string | number | bigint | boolean | null | readonly SchemaValue[] | JsonSchema;

/** Returns the schema of a rule. @param formatOf returns the schema of a text or number in that format */
export type RuleSchema = (formatOf: (format: Format) => JsonSchema) => JsonSchema;

const NOT_NULL: JsonSchema = { not: { type: 'null' } };

/** Returns a schema that holds if the attributes are present and their values match the schemas. */
export const whereGiven = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  required: Object.keys(properties),
  properties,
});

/** Returns a schema that holds if the attribute is present and is not null. */
export const hasValue = (attribute: string): JsonSchema => whereGiven({ [attribute]: NOT_NULL });

/** Returns a schema that requires every value that matches `condition` to match `consequence` as well. */
export const when = (condition: JsonSchema, consequence: JsonSchema): JsonSchema => ({
  if: condition,
  [THEN]: consequence,
});

/** Name of the keyword. It is not written as a property, because an object with `then` looks like a promise to the linter. */
const THEN = 'then';
