/** Flags from a declaration: each attribute by its own name, and by the word that people would say. */
import type { Field } from '../../schema/field.ts';
import { filtersOf, payloadOf, type Resource, sortsOf } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import {
  type Flag,
  type FlagGroup,
  fileFlag,
  switchFlag,
  textFlag,
  textsFlag,
  writtenFlag,
} from '../command/flag.ts';
import { isNamed } from './references.ts';

/** `list_id` → `list-id`. */
export const flagName = (attribute: string): string => attribute.replaceAll('_', '-');

export const dataFlag = textFlag('data', {
  describe: "Attributes as a JSON object: '{…}', @file.json, or - for standard input; flags win",
  value: 'json',
});

/** Lengths of time; in which unit, and whether there is such a one, the field says. */
export const afterFlag = textFlag('after', {
  describe: 'Act so long after, such as 2d',
  value: 'duration',
  group: 'Attributes',
});
export const beforeFlag = textFlag('before', {
  describe: 'Act so long before, such as 1d',
  value: 'duration',
  group: 'Attributes',
});

/** Everything that a body can be made of: attributes, files, offsets as durations, `--null`, `--data`. */
export function bodyFlags(resource: Resource, method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const attributes = writable(resource, method);
  return [
    ...attributes.flatMap((attribute) => flagsOf(attribute, fieldOf(resource, attribute))),
    nullFlag(
      'Set this attribute to null',
      'Options',
      attributes.filter((attribute) => fieldOf(resource, attribute).nullable),
    ),
    dataFlag,
  ];
}

/** What the flag of an attribute says, as it was written; undefined too where the verb has none. */
export function givenFor(input: Input, resource: Resource, attribute: string): string | boolean | undefined {
  return input.find(attributeFlag(attribute, fieldOf(resource, attribute), 'Attributes'));
}

/** Whether the flag of an attribute was given, whichever resource has it. */
export const isGiven = (input: Input, attribute: string): boolean => input.has({ name: flagName(attribute) });

/** The file that an attribute is read from. */
export const textFileIn = (input: Input, field: Field): string | undefined =>
  field.fileFlag === undefined ? undefined : input.find(attributeFileFlag(field.fileFlag, field));

/** The attributes that `--null` names. */
export const nullsIn = (input: Input): readonly string[] =>
  (input.find(nullFlag('', 'Options', [])) ?? []).map((name) => name.replaceAll('-', '_'));

/** The attributes that a POST or PUT takes from anybody; what only a partner may set is refused by the checks. */
export function writable(resource: Resource, method: 'POST' | 'PUT'): readonly string[] {
  const { required, optional } = payloadOf(resource, method, 'partner');
  return [...required, ...optional];
}

/** A flag for every attribute marked F. */
export function filterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag<unknown>[] {
  return attributes.map((attribute) => attributeFlag(attribute, fieldOf(resource, attribute), 'Filters'));
}

/** `--null`, where a filter may ask for null: an empty value never does. */
export function nullFilterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag<unknown>[] {
  const choices = attributes.filter((attribute) => fieldOf(resource, attribute).nullable);
  if (choices.length === 0) return [];
  const describe = `Only those in which this attribute is null: ${choices.join(', ')}`;
  return [nullFlag(describe, 'Filters', choices)];
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

export function sortFlags(resource: Resource): readonly Flag<unknown>[] {
  return [sortFlag(resource), reverseFlag];
}

/** As it was written: `list-id` stands for `list_id`. */
export function sortFlag(resource: Resource): Flag<string | undefined> {
  const sorts = sortsOf(resource);
  return textFlag('sort', { describe: `Sort by ${sorts.join(', ')}`, value: 'attribute', choices: sorts });
}

export const reverseFlag = switchFlag('reverse', { describe: 'Sort from high to low' });

export function fieldOf(resource: Resource, attribute: string): Field {
  const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
  if (!field) throw new RangeError(`${resource.name} has no ${attribute}`);
  return field;
}

function flagsOf(attribute: string, field: Field): readonly Flag<unknown>[] {
  const { fileFlag: file, unit } = field;
  return [
    attributeFlag(attribute, field, 'Attributes'),
    ...(file === undefined ? [] : [attributeFileFlag(file, field)]),
    ...(unit === undefined ? [] : [afterFlag, ...(mayBeNegative(field) ? [beforeFlag] : [])]),
  ];
}

const attributeFileFlag = (name: string, { describe }: Field): Flag<string | undefined> =>
  fileFlag(name, { describe: `${describe}, from a file; - for standard input`, group: 'Attributes' });

const nullFlag = (describe: string, group: FlagGroup, choices: readonly string[]): Flag<readonly string[]> =>
  textsFlag('null', { describe, value: 'attribute', group, choices });

const mayBeNegative = (field: Field): boolean => field.min === undefined;

function attributeFlag(
  attribute: string,
  field: Field,
  group: FlagGroup,
): Flag<string | boolean | undefined> {
  const name = flagName(attribute);
  const friendly = field.flag !== undefined && field.flag !== name ? { friendly: field.flag } : {};
  if (field.kind === 'bool')
    return writtenFlag({ name, ...friendly, bool: true, describe: field.describe, group });
  const choices = field.values === undefined ? {} : { choices: field.values.map(String) };
  return writtenFlag({
    name,
    ...friendly,
    value: placeholder(field),
    describe: `${field.describe}${choices.choices ? ` (${choices.choices.join(', ')})` : ''}`,
    group,
    ...choices,
  });
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
