import type { JsonObject } from '../../protocol/envelope.ts';
import { catalogue } from '../../resources/catalogue.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import { METHODS, type Resource, supports } from '../../schema/resource.ts';
import type { Outcome, Verb } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import { fieldOf } from '../request/attribute-flags.ts';

const NOUNS: readonly string[] = [...new Set(catalogue.map(({ noun }) => noun))];

export const explain: Verb = {
  name: 'explain',
  summary: 'Explain a resource or one of its fields, from the declarations',
  example: 'explain task.scheduledtime',
  positionals: [
    {
      name: 'what',
      describe: 'A noun or resource, and a field: task, task.size',
      optional: true,
      choices: NOUNS,
    },
  ],
  flags: [],
  run: async (_session, { positionals: [what] }) => {
    if (what === undefined) return resourceTable();
    const [name = '', attribute] = what.split('.');
    const resources = resourcesNamed(name);
    if (attribute === undefined) {
      const [only, ...others] = resources;
      return only && others.length === 0 ? explained(only) : resourceTable(resources);
    }
    return explainedField(resources, attribute.replaceAll('-', '_'));
  },
};

function resourcesNamed(name: string): readonly Resource[] {
  const wanted = name.toLowerCase();
  const found = catalogue.filter(
    (each) => each.noun === wanted || each.name.toLowerCase() === wanted || each.variant === wanted,
  );
  const exact = found.filter((each) => each.name === name || each.noun === name);
  if (found.length > 0) return exact.length > 0 ? exact : found;
  throw new UsageError(`there is no resource ${name}`, { hint: `nouns: ${NOUNS.join(', ')}` });
}

function resourceTable(resources: readonly Resource[] = catalogue): Outcome {
  const rows = resources.map((resource) => ({
    resource: resource.name,
    noun: resource.noun,
    methods: methodsOf(resource),
    describe: resource.describe,
  }));
  const columns = ['resource', 'noun', 'methods', 'describe'].map((name) => ({ name }));
  return { result: { kind: 'rows', rows, columns, empty: 'None.' } };
}

const methodsOf = (resource: Resource): string =>
  METHODS.filter((method) => supports(resource, method)).join(' ');

function explained(resource: Resource): Outcome {
  const rows = Object.entries(resource.fields).map(([name, field]) => rowOf(resource, name, field));
  const columns = ['field', 'type', 'marks', 'POST', 'PUT', 'default', 'describe'].map((name) => ({ name }));
  return { result: { kind: 'rows', rows, columns, empty: 'It has no fields.' } };
}

function explainedField(resources: readonly Resource[], attribute: string): Outcome {
  const having = resources.filter(({ fields }) => Object.hasOwn(fields, attribute));
  const [resource] = having;
  if (!resource) {
    const names = Object.keys(resources[0]?.fields ?? {});
    throw new UsageError(`${resources[0]?.name ?? ''} has no field ${attribute}`, {
      hint: `fields: ${names.join(', ')}`,
    });
  }
  const field = fieldOf(resource, attribute);
  const value = {
    resource: resource.name,
    ...rowOf(resource, attribute, field),
    ...factsOf(field),
    ...rulesOf(resource, attribute),
  };
  return { result: { kind: 'object', value, columns: Object.keys(value).map((name) => ({ name })) } };
}

function rowOf(resource: Resource, name: string, field: Field): Record<string, Scalar> {
  return {
    field: name,
    type: `${field.kind}${field.nullable ? '/null' : ''}`,
    marks: [field.filter ? 'F' : '', field.sort ? 'S' : ''].join(''),
    POST: presence(resource, 'post', name),
    PUT: presence(resource, 'put', name),
    default: field.default === undefined ? '' : field.default,
    describe: field.describe,
  };
}

function presence({ methods }: Resource, method: 'post' | 'put', name: string): string {
  const payload = methods[method];
  if (payload?.required?.includes(name)) return 'required';
  if (method === 'put' && payload && name === 'id') return 'required';
  if (payload?.optional?.includes(name)) return 'optional';
  return payload?.partner?.optional?.includes(name) ? 'partner' : '';
}

function factsOf(field: Field): JsonObject {
  const { values, format, unit, min, max, octets, refersTo, writeOnly, deprecated, sampleOnly } = field;
  const facts = { values, format, unit, min, max, octets, refersTo, writeOnly, deprecated, sampleOnly };
  const flags = [field.flag, field.fileFlag].filter((flag) => flag !== undefined).map((flag) => `--${flag}`);
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)),
    ...(flags.length === 0 ? {} : { flags }),
  } as JsonObject;
}

/** Every rule that looks at the field, and where the interface says so. */
function rulesOf(resource: Resource, attribute: string): JsonObject {
  const rules = (resource.rules ?? []).filter(({ attributes }) => attributes.includes(attribute));
  if (rules.length === 0) return {};
  return { rules: rules.map(({ text, section }) => `${text} (${section})`) };
}
