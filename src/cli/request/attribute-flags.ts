/** An attribute's flag has the attribute's name, and may have a friendlier name too. */

import { type Field, flagName } from '../../kit/schema/field.ts';
import {
  fieldOf,
  filtersOf,
  payloadAttributesFor,
  type Resource,
  sortAttributesOf,
} from '../../kit/schema/resource.ts';
import { joinOr } from '../../kit/text/words.ts';
import type { Input } from '../command/command.ts';
import {
  type Flag,
  type FlagGroup,
  type FlagShape,
  fileFlag,
  repeatableTextFlag,
  switchFlag,
  textFlag,
  unparsedAttributeFlag,
} from '../command/flag.ts';

export const dataFlag = textFlag('data', {
  describe: "Attributes as JSON: '{…}', @FILE, or - (stdin)",
  value: 'json',
});

const delayFlag = (name: string, describe: string) =>
  textFlag(name, { describe, value: 'duration', group: 'Attributes' });
/** Minutes or seconds, as the attribute's declaration says. */
export const delayAfterEventFlag = delayFlag('after', 'Delay of the action, such as 2d');
/** The request contains a negative number. */
export const durationBeforeDateFlag = delayFlag('before', 'Act this long before the date, such as 1d');

/** Includes flags for files with values, for delays, `--null` and `--data`. */
export function createBodyFlags(resource: Resource, method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const attributes = writableAttributes(resource, method);
  const requirement = (attribute: string) => requirementOf(resource, method, attribute);
  const first = attributes.filter((attribute) => requirement(attribute).required);
  const others = attributes.filter((attribute) => !requirement(attribute).required);
  return [
    ...[...first, ...others].flatMap((attribute) =>
      flagsForField(attribute, fieldOf(resource, attribute), requirement(attribute)),
    ),
    nullFlag(
      'Attribute to set to null (repeatable)',
      'Options',
      attributes.filter((attribute) => fieldOf(resource, attribute).nullable),
    ),
    dataFlag,
  ];
}

/** Undefined if the flag is not given, or if the verb lacks it. */
export function readUnparsedAttributeFlagValue(
  input: Input,
  resource: Resource,
  attribute: string,
): string | boolean | undefined {
  return input.find(attributeFlag(attribute, fieldOf(resource, attribute), 'Attributes'));
}

/** The attribute may belong to any resource. */
export const isAttributeGiven = (input: Input, attribute: string): boolean =>
  input.has({ name: flagName(attribute) });

export const readAttributeFilePath = (input: Input, field: Field): string | undefined =>
  field.fileFlag === undefined ? undefined : input.find(attributeFileFlag(field.fileFlag));

export const isAttributeFromStdin = (input: Input, attribute: string, field: Field): boolean =>
  field.format === 'password' && input.find(stdinFlag(attribute)) === true;

export const readAttributesSetToNull = (input: Input): readonly string[] =>
  (input.find(nullFlag('', 'Options', [])) ?? []).map((name) => name.replaceAll('-', '_'));

/** Includes attributes that only a partner may set. Later checks refuse them for other users. */
export function writableAttributes(resource: Resource, method: 'POST' | 'PUT'): readonly string[] {
  const { required, optional } = payloadAttributesFor(resource, method, 'partner');
  return [...required, ...optional];
}

export function createFilterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag<unknown>[] {
  return attributes.map((attribute) => {
    const field = fieldOf(resource, attribute);
    return attributeFlag(attribute, { ...field, describe: filterText(field) }, 'Filters');
  });
}

/** Returns `The task is cancelled` for a boolean. */
function filterText({ kind, describe }: Field): string {
  const [first = ''] = describe.split(/[\s;:,-]/);
  const text = /^[A-Z][a-z]*$/.test(first)
    ? `${first.toLowerCase()}${describe.slice(first.length)}`
    : describe;
  const clause = kind === 'bool' && !text.startsWith('whether ') ? `whether ${text}` : text;
  return `Filter by ${clause}`;
}

/** Empty if no filter of the resource can match null. An empty value of a filter never means null. */
export function createNullFilterFlags(
  resource: Resource,
  attributes: readonly string[] = filtersOf(resource),
): readonly Flag<unknown>[] {
  const choices = attributes.filter((attribute) => fieldOf(resource, attribute).nullable);
  if (choices.length === 0) return [];
  const describe = `Only records without a value for ${joinOr(choices)}`;
  return [nullFlag(describe, 'Filters', choices)];
}

/** The returned function sends no request. */
export function createUnsupportedFilterExplainer(resource: Resource): (flag: string) => string | undefined {
  return (flag) => {
    const attribute = Object.keys(resource.fields).find(
      (name) => flagName(name) === flag || name === flag || resource.fields[name]?.flag === flag,
    );
    if (attribute === undefined) return undefined;
    return `cannot filter by ${attribute}; filters: ${filtersOf(resource).join(', ')}`;
  };
}

/** The user may write hyphens: `list-id` for `list_id`. */
export function createSortFlag(resource: Resource): Flag<string | undefined> {
  const sorts = sortAttributesOf(resource);
  return textFlag('sort', { describe: `Sort by ${joinOr(sorts)}`, value: 'attribute', choices: sorts });
}

export const reverseFlag = switchFlag('reverse', { describe: 'Sort in descending order' });

type Requirement = Pick<FlagShape, 'required' | 'default'>;

/** The body may get a required attribute from --data or a file instead. */
function requirementOf(resource: Resource, method: 'POST' | 'PUT', attribute: string): Requirement {
  if (method === 'PUT') return {};
  const { nullable, default: fallback } = fieldOf(resource, attribute);
  const required = !nullable && resource.methods.post?.required?.includes(attribute);
  return {
    ...(required ? { required } : {}),
    // Null and false are obvious defaults.
    ...(fallback === undefined || fallback === null || fallback === false || required
      ? {}
      : { default: String(fallback) }),
  };
}

function flagsForField(attribute: string, field: Field, requirement: Requirement): readonly Flag<unknown>[] {
  const { fileFlag: file, unit } = field;
  return [
    attributeFlag(attribute, field, 'Attributes', requirement),
    // The file is an alternative to the attribute, so it is required too.
    ...(file === undefined
      ? []
      : [{ ...attributeFileFlag(file), ...(requirement.required ? requirement : {}) }]),
    ...(field.format === 'password' ? [stdinFlag(attribute)] : []),
    ...(unit === undefined
      ? []
      : // Without a minimum, the number may be negative.
        [delayAfterEventFlag, ...(field.min === undefined ? [durationBeforeDateFlag] : [])]),
  ];
}

/** A password on the command line would show in `ps` and in the shell's history. */
const stdinFlag = (attribute: string): Flag<boolean> =>
  switchFlag(`${flagName(attribute)}-stdin`, {
    describe: `Read the ${attribute} from standard input`,
    group: 'Attributes',
  });

const attributeFileFlag = (name: string): Flag<string | undefined> =>
  fileFlag(name, {
    describe: `Read the ${name === 'html-file' ? 'HTML' : 'text'} from a file or - (stdin)`,
    group: 'Attributes',
  });

const nullFlag = (describe: string, group: FlagGroup, choices: readonly string[]): Flag<readonly string[]> =>
  repeatableTextFlag('null', { describe, value: 'attribute', group, choices });

function attributeFlag(
  attribute: string,
  field: Field,
  group: FlagGroup,
  requirement: Requirement = {},
): Flag<string | boolean | undefined> {
  const name = flagName(attribute);
  const friendly = field.flag !== undefined && field.flag !== name ? { friendly: field.flag } : {};
  const { describe, refersTo } = field;
  const shared = { name, ...friendly, describe, group, ...requirement };
  if (field.kind === 'bool') return unparsedAttributeFlag({ ...shared, bool: true });
  const choices = field.values === undefined ? {} : { choices: field.values.map(String) };
  const completes = refersTo === undefined ? {} : { completes: refersTo };
  return unparsedAttributeFlag({ ...shared, value: placeholder(field), ...choices, ...completes });
}

function placeholder(field: Field): string {
  if (field.refersTo !== undefined) return field.byName ? 'id-or-name' : 'id';
  if (field.values !== undefined) return 'value';
  return (field.format && PLACEHOLDERS[field.format]) ?? (field.kind === 'string' ? 'text' : 'n');
}

const PLACEHOLDERS: { readonly [F in NonNullable<Field['format']>]?: string } = {
  ...{ timestamp: 'time', timezone: 'zone', actionhour: 'HH:00:00' },
  ...{ email: 'address', msisdn: 'number', url: 'url', website: 'url' },
};

/** Returns `--list, --subscriber-id`. */
export const formatFlagNames = ({ fields }: Resource, attributes: readonly string[]): string =>
  attributes.map((name) => `--${fields[name]?.flag ?? flagName(name)}`).join(', ');
