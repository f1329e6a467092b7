/** Builds explanations as data that programs can read: rows of resources or fields, or an object for one field. */

import type { Field, Scalar } from '../../kit/schema/field.ts';
import { fieldOf, METHODS, type Resource, supports } from '../../kit/schema/resource.ts';
import { explanations, fieldExplanationOf } from '../../service/explanations/all.ts';
import type { JsonObject } from '../../service/protocol/envelope.ts';
import { type CatalogueResource, catalogue } from '../../service/resources/catalogue.ts';
import type { ExplainTopic } from './find.ts';

/** Explanation as data for programs: rows with their most important columns, or an object with all of its attributes. */
export type StructuredExplanation =
  | {
      readonly kind: 'rows';
      readonly rows: readonly JsonObject[];
      readonly columns: readonly Column[];
      readonly empty: string;
    }
  | { readonly kind: 'object'; readonly value: JsonObject; readonly columns: readonly Column[] };

interface Column {
  readonly name: string;
}

/** Returns the explanation of a topic as data that programs can read. */
export function structuredExplanation({ resources, attribute }: ExplainTopic): StructuredExplanation {
  const [only, ...others] = resources;
  if (only === undefined) return resourceRows(catalogue);
  if (attribute !== undefined) return fieldObject(resources, attribute);
  return others.length === 0 ? fieldRows(only) : resourceRows(resources);
}

function resourceRows(resources: readonly CatalogueResource[]): StructuredExplanation {
  const rows = resources.map((resource) => {
    const { traps, about, states = [], refusals = [], permissions = [] } = explanations[resource.name];
    return {
      resource: resource.name,
      noun: resource.noun,
      methods: METHODS.filter((method) => supports(resource, method)).join(' '),
      describe: resource.describe,
      traps,
      explanation: about.join('\n\n'),
      states,
      rules: (resource.rules ?? []).map(formatFieldRule),
      refusals,
      permissions,
    };
  });
  const columns = ['resource', 'noun', 'methods', 'describe'].map((name) => ({ name }));
  return { kind: 'rows', rows, columns, empty: 'None.' };
}

function fieldRows(resource: CatalogueResource): StructuredExplanation {
  const rows = Object.entries(resource.fields).map(([name, field]) => ({
    ...rowOf(resource, name, field),
    ...proseOf(resource, name),
  }));
  const columns = ['field', 'type', 'marks', 'POST', 'PUT', 'default', 'describe'].map((name) => ({ name }));
  return { kind: 'rows', rows, columns, empty: 'The resource has no fields.' };
}

/** Returns the facts about a field in the first resource. `kinds` has those of each resource, if there are several. */
function fieldObject(resources: readonly CatalogueResource[], attribute: string): StructuredExplanation {
  const all = resources.map((resource) => factsOf(resource, attribute));
  const value: JsonObject = {
    ...all[0],
    ...(all.length > 1
      ? { kinds: resources.map(({ variant = '' }, at) => ({ kind: variant, ...all[at] })) }
      : {}),
  };
  return explanationOfObject(value);
}

/** Returns an object with a column for each of its attributes. */
export const explanationOfObject = (value: JsonObject): StructuredExplanation => ({
  kind: 'object',
  value,
  columns: Object.keys(value).map((name) => ({ name })),
});

function factsOf(resource: CatalogueResource, attribute: string) {
  const field = fieldOf(resource, attribute);
  const { values, format, unit, min, max, octets, refersTo, writeOnly, deprecated, sampleOnly } = field;
  const facts = { values, format, unit, min, max, octets, refersTo, writeOnly, deprecated, sampleOnly };
  const flags = [field.flag, field.fileFlag].filter((flag) => flag !== undefined).map((flag) => `--${flag}`);
  const rules = rulesAbout(resource, attribute);
  return {
    resource: resource.name,
    ...rowOf(resource, attribute, field),
    ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)),
    ...(flags.length === 0 ? {} : { flags }),
    ...(rules.length === 0 ? {} : { rules }),
    ...proseOf(resource, attribute),
  };
}

function proseOf(resource: CatalogueResource, attribute: string) {
  const { traps = [], about = [] } = fieldExplanationOf(resource.name, attribute);
  return { traps, explanation: about.join('\n\n') };
}

function rowOf(resource: Resource, name: string, field: Field): Record<string, Scalar> {
  return {
    field: name,
    type: `${field.kind}${field.nullable ? '/null' : ''}`,
    marks: [field.filter ? 'F' : '', field.sort ? 'S' : ''].join(''),
    POST: determineAttributeRequirement(resource, 'post', name),
    PUT: determineAttributeRequirement(resource, 'put', name),
    default: field.default === undefined ? '' : field.default,
    describe: field.describe,
  };
}

/** Returns `required`, `optional`, `partner` (optional, only with partner authentication), or '' if the method does not take it. */
export function determineAttributeRequirement(
  resource: Resource,
  method: 'post' | 'put',
  name: string,
): string {
  const payload = resource.methods[method];
  if (payload?.required?.includes(name)) return 'required';
  // The parts of a composite id can replace the id.
  if (method === 'put' && payload && name === 'id') return resource.compositeId ? 'optional' : 'required';
  if (payload?.optional?.includes(name)) return 'optional';
  return payload?.partner?.optional?.includes(name) ? 'partner' : '';
}

export const rulesAbout = (resource: CatalogueResource, attribute: string): readonly string[] =>
  (resource.rules ?? []).filter(({ attributes }) => attributes.includes(attribute)).map(formatFieldRule);

/** The section is that of the interface document. */
export const formatFieldRule = ({ text, section }: Readonly<Record<'text' | 'section', string>>): string =>
  `${text} (${section})`;
