/** Finds the verbs of a noun for explanations. */
import { type Field, flagName } from '../schema/field.ts';
import type { Method, Resource } from '../schema/resource.ts';

/** Facts about a verb of the command line that explanations show. */
export interface VerbFacts {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly announced?: unknown;
  readonly positionals?: readonly { readonly name: string }[];
  readonly flags: readonly FlagFacts[];
}

interface FlagFacts {
  readonly name: string;
  readonly friendly?: string | undefined;
  readonly value?: string | undefined;
  readonly bool?: true | undefined;
  readonly group?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

/** Returns the verb of the command line that uses a method of the interface. */
export function verbOfMethod({ verbs = {}, single }: Resource, method: Method): string {
  switch (method) {
    case 'GET':
      return single ? 'get' : 'list';
    case 'HEAD':
      return 'exists';
    case 'POST':
      return verbs.post ?? 'create';
    case 'PUT':
      return verbs.put ?? 'update';
    case 'DELETE':
      return verbs.delete ?? 'delete';
    default:
      return method satisfies never;
  }
}

/**
 * Returns the flags and operands of the verb that accept the attribute, as users write them.
 * @param otherFlags names, without dashes, of further flags that concern the attribute: the `flags` of the attribute's `FieldExplanation`
 */
export function flagsThatSetField(
  verb: VerbFacts,
  attribute: string,
  field: Field,
  otherFlags: readonly string[],
): readonly string[] {
  const operands = (verb.positionals ?? []).filter(({ name }) => name === attribute && name !== 'id');
  return [
    ...operands.map(({ name }) => `<${name}>`),
    ...verb.flags.flatMap((flag) => (concerns(flag, attribute, field, otherFlags) ? spellings(flag) : [])),
    ...verb.flags.flatMap((flag) => flagsNaming(flag, attribute, field)),
  ];
}

function concerns(
  { name, group }: FlagFacts,
  attribute: string,
  field: Field,
  more: readonly string[],
): boolean {
  if (more.includes(name)) return true;
  if (group !== 'Attributes' && group !== 'Filters') return false;
  if (name === flagName(attribute) || name === field.fileFlag) return true;
  return field.unit !== undefined && (name === 'after' || (name === 'before' && field.min === undefined));
}

function spellings({ name, friendly, value, bool }: FlagFacts): readonly string[] {
  const shown = bool ? ' [true|false]' : value === undefined ? '' : ` <${value}>`;
  return [...(friendly === undefined ? [] : [`--${friendly}${shown}`]), `--${name}${shown}`];
}

/** Returns `--null list_id` if the attribute `list_id` can be null, and `--sort list_id` if rows can be sorted by it. */
function flagsNaming(
  { name, choices = [] }: FlagFacts,
  attribute: string,
  { nullable, sort }: Field,
): readonly string[] {
  // For several kinds of rule, the verb accepts every value that any of the kinds accepts.
  const applies = (name === 'null' && nullable) || (name === 'sort' && sort);
  return applies && choices.includes(attribute) ? [`--${name} ${attribute}`] : [];
}
