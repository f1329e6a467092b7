/** Builds rules that several resources share, and their JSON Schemas. A rule of a single resource is in the file of that resource. */
import type { Scalar } from './field.ts';
import { phrase } from './reason.ts';
import type { Finding, JsonSchema, ValidationRule } from './resource.ts';

const present = (value: Scalar | undefined): boolean => value !== null && value !== undefined;

/** Returns the finding that none of the attributes is given, although one is required. */
export const atLeastOne = (...attributes: readonly string[]): Finding => ({
  attribute: attributes[0] ?? '',
  reason: { kind: 'at-least-one', attributes },
});

/** Returns the finding that several attributes are given, of which only one is allowed. */
export const atMostOne = (...attributes: readonly string[]): Finding => ({
  attribute: attributes[0] ?? '',
  reason: { kind: 'at-most-one', attributes },
});

/** Returns the rule that exactly one of two attributes has a value and the other one is null (interface, task POST and PUT). */
export function exactlyOne<A extends string>(section: string, a: A, b: A): ValidationRule<A> {
  return {
    section,
    text: `Exactly one of ${a} and ${b} must be non-null`,
    attributes: [a, b],
    schema: () => ({ oneOf: [createNonNullAttributeSchema(a), createNonNullAttributeSchema(b)] }),
    check: (values) => {
      if (present(values[a]) !== present(values[b])) return undefined;
      return { ...(present(values[a]) ? atMostOne(a, b) : atLeastOne(a, b)), attribute: b };
    },
  };
}

/** Returns a rule for each of `attributes`: the attribute may have a value only if the attribute `condition` has a value. */
export const allowedOnlyIfSet = <A extends string>(
  section: string,
  condition: A,
  attributes: readonly A[],
): readonly ValidationRule<A>[] =>
  attributes.map((attribute) => ({
    section,
    text: `${attribute} can be set only if ${condition} is set`,
    attributes: [attribute, condition],
    schema: () => when(createNonNullAttributeSchema(attribute), createNonNullAttributeSchema(condition)),
    check: ({ [attribute]: value, [condition]: other }): Finding | undefined => {
      if (!present(value) || present(other)) return undefined;
      const reason = phrase`can be set only if ${condition} is set`;
      return { attribute, value, reason, instead: phrase`set ${condition} too, or ${{ unset: attribute }}` };
    },
  }));

/** Returns a rule for each of `attributes`: the attribute may have a value only if the attribute `condition` is true. */
export const allowedOnlyIfTrue = <A extends string>(
  section: string,
  condition: A,
  attributes: readonly A[],
): readonly ValidationRule<A>[] =>
  attributes.map((attribute) => ({
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
    check: ({ [attribute]: value, [condition]: other }): Finding | undefined => {
      if (!present(value) || other !== false) return undefined;
      const reason = phrase`can be set only if ${condition} is true`;
      return {
        attribute,
        value,
        reason,
        instead: phrase`set ${condition} to true, or ${{ unset: attribute }}`,
      };
    },
  }));

const NOT_NULL: JsonSchema = { not: { type: 'null' } };

/** Returns a schema that an object matches if it has all these attributes and their values match these schemas. */
export const createRequiredAttributesSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({ required: Object.keys(properties), properties });

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
