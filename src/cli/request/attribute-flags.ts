/** Flags from a declaration: each attribute by its own name, and by the word that people would say. */
import type { Field } from '../../schema/field.ts';
import { filtersOf, payloadOf, type Resource, sortsOf } from '../../schema/resource.ts';
import type { Flag, FlagGroup } from '../command/command.ts';
import { isNamed } from './references.ts';

/** `list_id` → `list-id`. */
export const flagName = (attribute: string): string => attribute.replaceAll('_', '-');

/** Everything that a body can be made of: attributes, files, offsets as durations, `--null`, `--data`. */
export function bodyFlags(resource: Resource, method: 'POST' | 'PUT'): readonly Flag[] {
  const attributes = writable(resource, method);
  return [
    ...attributes.flatMap((attribute) => attributeFlags(attribute, fieldOf(resource, attribute))),
    {
      name: 'null',
      value: 'attribute',
      repeatable: true,
      describe: 'Set this attribute to null',
      group: 'Options',
      choices: attributes.filter((attribute) => fieldOf(resource, attribute).nullable),
    },
    {
      name: 'data',
      value: 'json',
      describe: "Attributes as a JSON object: '{…}', @file.json, or - for standard input; flags win",
      group: 'Options',
    },
  ];
}

/** The attributes that a POST or PUT takes from anybody; what only a partner may set is refused by the checks. */
export function writable(resource: Resource, method: 'POST' | 'PUT'): readonly string[] {
  const { required, optional } = payloadOf(resource, method, 'partner');
  return [...required, ...optional];
}

/** A flag for every attribute marked F. */
export function filterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag[] {
  return attributes.map((attribute) => attributeFlag(attribute, fieldOf(resource, attribute), 'Filters'));
}

/** `--null`, where a filter may ask for null: an empty value never does. */
export function nullFilterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag[] {
  const choices = attributes.filter((attribute) => fieldOf(resource, attribute).nullable);
  if (choices.length === 0) return [];
  const describe = `Only those in which this attribute is null: ${choices.join(', ')}`;
  return [{ name: 'null', value: 'attribute', repeatable: true, describe, group: 'Filters', choices }];
}

/** Why a list has no such filter: the refusal comes before any request. */
export function explainFilter(resource: Resource): (flag: string) => string | undefined {
  return (flag) => {
    const attribute = Object.keys(resource.fields).find(
      (name) => flagName(name) === flag || name === flag || resource.fields[name]?.flag === flag,
    );
    if (attribute === undefined) return undefined;
    return `${attribute} cannot be filtered by; filters: ${filtersOf(resource).join(', ')}`;
  };
}

export function sortFlags(resource: Resource): readonly Flag[] {
  const sorts = sortsOf(resource);
  return [
    {
      name: 'sort',
      value: 'attribute',
      describe: `Sort by ${sorts.join(', ')}`,
      group: 'Options',
      choices: sorts,
    },
    { name: 'reverse', describe: 'Sort from high to low', group: 'Options' },
  ];
}

export function fieldOf(resource: Resource, attribute: string): Field {
  const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
  if (!field) throw new RangeError(`${resource.name} has no ${attribute}`);
  return field;
}

function attributeFlags(attribute: string, field: Field): readonly Flag[] {
  const flags = [attributeFlag(attribute, field, 'Attributes')];
  if (field.fileFlag !== undefined)
    flags.push({
      name: field.fileFlag,
      value: 'file',
      describe: `${field.describe}, from a file; - for standard input`,
      group: 'Attributes',
    });
  if (field.unit === undefined) return flags;
  flags.push({
    name: 'after',
    value: 'duration',
    describe: 'Act so long after, such as 2d',
    group: 'Attributes',
  });
  if (mayBeNegative(field))
    flags.push({
      name: 'before',
      value: 'duration',
      describe: 'Act so long before, such as 1d',
      group: 'Attributes',
    });
  return flags;
}

const mayBeNegative = (field: Field): boolean => field.min === undefined;

function attributeFlag(attribute: string, field: Field, group: FlagGroup): Flag {
  const name = flagName(attribute);
  const friendly = field.flag !== undefined && field.flag !== name ? { friendly: field.flag } : {};
  if (field.kind === 'bool') return { name, ...friendly, bool: true, describe: field.describe, group };
  const choices = field.values === undefined ? {} : { choices: field.values.map(String) };
  return {
    name,
    ...friendly,
    value: placeholder(field),
    describe: `${field.describe}${choices.choices ? ` (${choices.choices.join(', ')})` : ''}`,
    group,
    ...choices,
  };
}

function placeholder(field: Field): string {
  if (field.refersTo !== undefined) return isNamed(field.refersTo) ? 'id-or-name' : 'id';
  if (field.values !== undefined) return 'value';
  switch (field.format) {
    case 'timestamp':
      return 'time';
    case 'email':
      return 'address';
    case 'msisdn':
      return 'number';
    case 'timezone':
      return 'zone';
    case 'actionhour':
      return 'HH:00:00';
    case 'url':
    case 'website':
      return 'url';
    default:
      return field.kind === 'string' ? 'text' : 'n';
  }
}
