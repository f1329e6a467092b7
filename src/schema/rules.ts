/** Builds rules that several resources share, and their JSON Schemas. A rule of a single resource is in the file of that resource. */
import type { Scalar } from './field.ts';
import type { Finding, JsonSchema, ValidationRule } from './resource.ts';

const present = (value: Scalar | undefined): boolean => value !== null && value !== undefined;

/** Returns the rule that exactly one of two attributes has a value and the other one is null (interface, task POST and PUT). */
export function exactlyOne<A extends string>(section: string, a: A, b: A): ValidationRule<A> {
  return {
    section,
    text: `Exactly one of ${a} and ${b} must be non-null`,
    attributes: [a, b],
    schema: () => ({ oneOf: [createNonNullAttributeSchema(a), createNonNullAttributeSchema(b)] }),
    check: (values) => {
      if (present(values[a]) !== present(values[b])) return undefined;
      const both = present(values[a]);
      return {
        attribute: b,
        value: values[b],
        reason: `and ${a} are both ${both ? 'given' : 'null or missing'}; exactly one of them must be non-null`,
        instead: both ? `set one of them to null` : `give ${a} or ${b}`,
      };
    },
  };
}

/** Returns a rule for each of `attributes`: the attribute may have a value only if the attribute `condition` has a value. */
export function allowedOnlyIfSet<A extends string>(
  section: string,
  condition: A,
  attributes: readonly A[],
): readonly ValidationRule<A>[] {
  return attributes.map((attribute) => ({
    section,
    text: `${attribute} can be set only if ${condition} is set`,
    attributes: [attribute, condition],
    schema: () => when(createNonNullAttributeSchema(attribute), createNonNullAttributeSchema(condition)),
    check: (values): Finding | undefined =>
      present(values[attribute]) && !present(values[condition])
        ? {
            attribute,
            value: values[attribute],
            reason: `can be set only if ${condition} is set`,
            instead: `set ${condition} too, or leave ${attribute} null`,
          }
        : undefined,
  }));
}

/** Returns a rule for each of `attributes`: the attribute may have a value only if the attribute `condition` is true. */
export function allowedOnlyIfTrue<A extends string>(
  section: string,
  condition: A,
  attributes: readonly A[],
): readonly ValidationRule<A>[] {
  return attributes.map((attribute) => ({
    section,
    text: `${attribute} can be set only if ${condition} is true`,
    attributes: [attribute, condition],
    schema: () => ({
      not: {
        allOf: [
          createNonNullAttributeSchema(attribute),
          createRequiredAttributesSchema({ [condition]: { const: false } }),
        ],
      },
    }),
    check: (values): Finding | undefined =>
      present(values[attribute]) && values[condition] === false
        ? {
            attribute,
            value: values[attribute],
            reason: `can be set only if ${condition} is true`,
            instead: `set ${condition} to true, or leave ${attribute} null`,
          }
        : undefined,
  }));
}

const NOT_NULL: JsonSchema = { not: { type: 'null' } };

/** Returns a schema that an object matches if it has all these attributes and their values match these schemas. */
export const createRequiredAttributesSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  required: Object.keys(properties),
  properties,
});

/** Returns a schema that an object matches if it has the attribute and the value is not null. */
const createNonNullAttributeSchema = (attribute: string): JsonSchema =>
  createRequiredAttributesSchema({ [attribute]: NOT_NULL });

/** Returns a schema that requires every value that matches `condition` to match `consequence` as well. */
export const when = (condition: JsonSchema, consequence: JsonSchema): JsonSchema => ({
  if: condition,
  [THEN]: consequence,
});

/** The keyword `then`. The linter reports a property that is written so: such an object could be mistaken for a promise. */
const THEN = 'then';
