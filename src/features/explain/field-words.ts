/** Describes the type of a field, and the verbs and flags of the command line that set it. */

import { type Field, type FieldKind, type Format, flagName } from '../../kit/schema/field.ts';
import type { Method, Resource } from '../../kit/schema/resource.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';

const KINDS: Readonly<Record<FieldKind, string>> = {
  int: 'whole number',
  decimal: 'number',
  bool: 'true or false',
  string: 'text',
  enum: 'one of the values listed below',
};

const FORMATS: Readonly<Record<Format, string>> = {
  actionhour: 'a full hour, HH:00:00, in the time zone of the company',
  contactdata: 'an e-mail address, a domain name, or a phone number with its country code',
  country: 'a country code of two capital letters, ISO 3166-1 alpha-2',
  'destination-keyword': '4 to 64 characters without spaces',
  domain: 'a domain name',
  email: 'an e-mail address',
  html: 'HTML with only characters of Windows-1252',
  msisdn: 'a phone number with its country code, 7 to 15 digits',
  password: 'at least seven characters, with letters and numbers',
  sender: 'up to 11 letters and digits, or a phone number with its country code',
  'sms-text': 'at most three parts of an SMS',
  'sub-keyword': '1 to 32 letters and digits',
  'text-body': 'text with only characters of Windows-1252, and lines of at most 1000 bytes',
  timestamp: 'Unix time in seconds',
  timezone: 'a TZ name, such as Europe/London',
  url: 'an address that begins with http:// or https://',
  username: 'not empty',
  website: 'a full address that begins with http',
  'windows-1252': 'one line with only characters of Windows-1252',
};

/** Returns the type as the tables of the interface write it: `int/null`. */
const fieldTypeText = ({ kind, nullable }: Field): string => `${kind}${nullable ? '/null' : ''}`;

/** Returns the short type for a line of a list: `int/null, seconds`. */
export const fieldTypeWithUnit = (field: Field): string =>
  [fieldTypeText(field), ...(field.unit === undefined ? [] : [field.unit])].join(', ');

/** Returns the type, format, unit, bounds and values in one sentence without its full stop. */
export function fieldTypeSentence(field: Field): string {
  const { format, unit, min, max, octets, values, nullable } = field;
  const words = [
    `${fieldTypeText(field)}: ${KINDS[field.kind]}${unit === undefined ? '' : `, in ${unit}`}${nullable ? ', or null' : ''}`,
    ...(format === undefined ? [] : [FORMATS[format]]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(octets === undefined ? [] : [`${octets[0]} to ${octets[1]} bytes`]),
    ...(values === undefined ? [] : [values.join(', ')]),
  ];
  return words.join('; ');
}

/** Returns a sentence about the resource whose id the field holds, with the topic that explains the resource. */
export function referenceSentence({ refersTo }: Field): string | undefined {
  if (refersTo === undefined) return undefined;
  // A task names a message of either channel.
  if (refersTo === 'message')
    return 'Id of an emailMessage or smsMessage (svc explain email, svc explain sms-message).';
  const resource = resourceNamed(refersTo);
  const article = /^(a|e|i|o|sms)/.test(refersTo) ? 'an' : 'a';
  return resource === undefined
    ? `Id of ${article} ${refersTo}, which this interface does not describe.`
    : `Id of ${article} ${refersTo} (svc explain ${resource.noun}).`;
}

export const defaultText = ({ default: value }: Field): string | undefined =>
  value === undefined ? undefined : String(value);

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

/** Returns the flags and operands that accept the attribute, and the further `flags` of its `FieldExplanation`. */
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
