/** Finds a valid command line that uses a field. The word `svc` at the beginning is left out. */

import { fieldExplanationOf } from '../explanations/all.ts';
import type { CatalogueResource } from '../resources/catalogue.ts';
import { type Field, flagName } from '../schema/field.ts';
import { fieldOf } from '../schema/resource.ts';
import { determineAttributeRequirement } from './structured.ts';
import type { VerbFacts } from './verbs.ts';

/**
 * Returns an example that uses the field. Takes it from the field's explanation, else from a verb that sets the field, else builds it from
 * the declaration.
 */
export function findFieldExample(
  resources: readonly CatalogueResource[],
  attribute: string,
  verbs: readonly VerbFacts[],
): string {
  const written = resources
    .map(({ name }) => fieldExplanationOf(name, attribute).example)
    .find((each) => each !== undefined);
  const [resource] = resources;
  if (written !== undefined || resource === undefined) return written ?? 'explain';
  const field = fieldOf(resource, attribute);
  const flags = [field.flag, flagName(attribute)]
    .filter((name) => name !== undefined)
    .map((name) => `--${name}`);
  const shown = verbs
    .map(({ example }) => example)
    .find((line) => flags.some((flag) => line.split(' ').includes(flag)));
  return shown ?? derived(resource, attribute, field, verbs);
}

function derived(
  resource: CatalogueResource,
  attribute: string,
  field: Field,
  verbs: readonly VerbFacts[],
): string {
  const { noun, variant } = resource;
  const flag = `--${field.flag ?? flagName(attribute)}`;
  if (determineAttributeRequirement(resource, 'put', attribute) !== '' && attribute !== 'id') {
    return resource.single
      ? `${noun} set --company 42 ${withSample(flag, field)}`
      : `${noun} update 12 ${withSample(flag, field)}`;
  }
  if (determineAttributeRequirement(resource, 'post', attribute) !== '') {
    const create = verbs.find(({ name }) => name === 'create')?.example ?? `${noun} create`;
    return `${create} ${withSample(flag, field)}`;
  }
  if (field.filter) return `${noun} list ${attribute === 'id' ? '--id 12' : withSample(flag, field)}`;
  if (field.sort) return `${noun} list --sort ${attribute}`;
  const get =
    variant === undefined
      ? (verbs.find(({ name }) => name === 'get')?.example ?? `${noun} get`)
      : `${noun} get ${variant}:12`;
  return `${get} --fields id,${attribute}`;
}

const SAMPLES: Readonly<Partial<Record<NonNullable<Field['format']>, string>>> = {
  country: 'GB',
  domain: 'track.example.com',
  email: 'office@example.com',
  msisdn: '447700900123',
  timezone: 'Europe/London',
};

function withSample(flag: string, field: Field): string {
  if (field.kind === 'bool') return flag;
  if (field.values !== undefined) return `${flag} ${field.values[0]}`;
  if (field.format !== undefined) return `${flag} ${SAMPLES[field.format] ?? 'Example'}`;
  if (field.refersTo !== undefined) return `${flag} 12`;
  return `${flag} ${field.kind === 'string' ? 'Example' : 300}`;
}
