/** Flags from a declaration: each attribute by its own name, and by the word that people would say. */
import { resourceNamed } from '../../resources/catalogue.ts';
import type { Field } from '../../schema/field.ts';
import { filtersOf, payloadOf, type Resource, sortsOf } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import {
  type Flag,
  type FlagGroup,
  type FlagShape,
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
  describe: "Attributes as JSON: '{…}', @FILE, or - (stdin)",
  value: 'json',
});

/** Lengths of time; in which unit, and whether there is such a one, the field says. */
export const afterFlag = textFlag('after', {
  describe: 'Delay of the action, such as 2d',
  value: 'duration',
  group: 'Attributes',
});
export const beforeFlag = textFlag('before', {
  describe: 'Time before the date, such as 1d',
  value: 'duration',
  group: 'Attributes',
});

/** Everything that a body can be made of: attributes, files, offsets as durations, `--null`, `--data`. */
export function bodyFlags(resource: Resource, method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const attributes = writable(resource, method);
  const marks = (attribute: string) => marksOf(resource, method, attribute);
  const first = attributes.filter((attribute) => marks(attribute).required);
  const others = attributes.filter((attribute) => !marks(attribute).required);
  return [
    ...[...first, ...others].flatMap((attribute) =>
      flagsOf(attribute, fieldOf(resource, attribute), marks(attribute)),
    ),
    nullFlag(
      'Set an attribute to null',
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
  field.fileFlag === undefined ? undefined : input.find(attributeFileFlag(field.fileFlag));

/** Whether an attribute is to be read from standard input. */
export const isFromStdin = (input: Input, attribute: string, field: Field): boolean =>
  field.format === 'password' && input.find(stdinFlag(attribute)) === true;

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
  const describe = `Only where this attribute is null: ${choices.join(', ')}`;
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

export const reverseFlag = switchFlag('reverse', { describe: 'Sort in descending order' });

export function fieldOf(resource: Resource, attribute: string): Field {
  const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
  if (!field) throw new RangeError(`${resource.name} has no ${attribute}`);
  return field;
}

type Marks = Pick<FlagShape, 'required' | 'default'>;

/** Help alone reads them: a value may come from --data or a file too, and the checks of the body say what is missing. */
function marksOf(resource: Resource, method: 'POST' | 'PUT', attribute: string): Marks {
  if (method === 'PUT') return {};
  const { nullable, default: fallback } = fieldOf(resource, attribute);
  const required = !nullable && resource.methods.post?.required?.includes(attribute);
  return {
    ...(required ? { required } : {}),
    // Null and false are what nobody who left it out would wonder about.
    ...(fallback === undefined || fallback === null || fallback === false || required
      ? {}
      : { default: String(fallback) }),
  };
}

function flagsOf(attribute: string, field: Field, marks: Marks): readonly Flag<unknown>[] {
  const { fileFlag: file, unit } = field;
  return [
    attributeFlag(attribute, field, 'Attributes', marks),
    // As required as the attribute, of which it is another way.
    ...(file === undefined ? [] : [{ ...attributeFileFlag(file), ...(marks.required ? marks : {}) }]),
    ...(field.format === 'password' ? [stdinFlag(attribute)] : []),
    ...(unit === undefined ? [] : [afterFlag, ...(mayBeNegative(field) ? [beforeFlag] : [])]),
  ];
}

/** A password on the command line would show in `ps` and the history of the shell. */
const stdinFlag = (attribute: string): Flag<boolean> =>
  switchFlag(`${flagName(attribute)}-stdin`, {
    describe: `Read the ${attribute} from standard input`,
    group: 'Attributes',
  });

const attributeFileFlag = (name: string): Flag<string | undefined> =>
  fileFlag(name, { describe: 'The same, from a file or - (stdin)', group: 'Attributes' });

const nullFlag = (describe: string, group: FlagGroup, choices: readonly string[]): Flag<readonly string[]> =>
  textsFlag('null', { describe, value: 'attribute', group, choices });

const mayBeNegative = (field: Field): boolean => field.min === undefined;

function attributeFlag(
  attribute: string,
  field: Field,
  group: FlagGroup,
  marks: Marks = {},
): Flag<string | boolean | undefined> {
  const name = flagName(attribute);
  const friendly = field.flag !== undefined && field.flag !== name ? { friendly: field.flag } : {};
  if (field.kind === 'bool')
    return writtenFlag({ name, ...friendly, bool: true, describe: field.describe, group, ...marks });
  const choices = field.values === undefined ? {} : { choices: field.values.map(String) };
  const { refersTo } = field;
  const completes = refersTo === undefined ? {} : { completes: resourceNamed(refersTo)?.noun ?? refersTo };
  return writtenFlag({
    name,
    ...friendly,
    value: placeholder(field),
    describe: field.describe,
    group,
    ...marks,
    ...choices,
    ...completes,
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

/** Returns the flags that give these attributes, as help shows them: `--list, --subscriber-id`. */
export const flagsFor = ({ fields }: Resource, attributes: readonly string[]): string =>
  attributes.map((name) => `--${fields[name]?.flag ?? name.replaceAll('_', '-')}`).join(', ');
