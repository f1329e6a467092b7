/** Reads the arguments of a control plane operation by its declaration. Every refusal is a 400 that names the argument. */

import { readRecipient } from '../../protocol/control/observe.ts';
import type { Parameter } from '../../protocol/control/operation.ts';
import {
  CONTROL_OPERATIONS,
  type ControlArguments,
  type OperationName,
  operationOf,
} from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { invalid } from '../../protocol/service-errors.ts';
import { readRuleName } from '../../resources/rule-kinds.ts';
import { assertNever } from '../../schema/resource.ts';
import { isEmailAddress } from '../../text/address.ts';
import { isObject } from '../../text/json-object.ts';
import { normaliseMsisdn } from '../../text/msisdn.ts';

export const isOperationName = (name: string): name is OperationName =>
  Object.hasOwn(CONTROL_OPERATIONS, name);

/** Returns the declared arguments in their canonical form. Ignores arguments that are not declared. */
export function readArguments<Name extends OperationName>(
  name: Name,
  given: JsonObject,
): ControlArguments<Name> {
  const read = Object.entries(operationOf(name).parameters).flatMap(([argument, parameter]) => {
    const value = readArgument(argument, parameter, given[argument]);
    return value === undefined ? [] : [[argument, value] as const];
  });
  // The loop above visits the declaration from which the type is derived.
  return Object.fromEntries(read) as ControlArguments<Name>;
}

/** Returns the id of the company that the request names, if any. */
export function readCompany({ company }: JsonObject): number | undefined {
  return company === undefined || company === null ? undefined : wholeNumber('company', company, 1, MOST_ID);
}

/** Returns the number in MSISDN form. */
export function readMsisdn(argument: string, given: string): string {
  const value = normaliseMsisdn(given);
  if (value === undefined) throw refused(argument, 'is not a phone number with its country code');
  return value;
}

/** Returns the address in lower case. */
export function readEmail(argument: string, given: string): string {
  const value = given.trim();
  if (!isEmailAddress(value)) throw refused(argument, 'is not an e-mail address');
  return value.toLowerCase();
}

/** Returns the text, which must have 1 to 4,000 characters. */
export function readText(argument: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw refused(argument, 'must be text, and not empty');
  if (value.length > 4000) throw refused(argument, 'is longer than 4000 characters');
  // The store truncates a text at U+0000 and replaces lone surrogates (wire, "text").
  if (/\0|\p{Surrogate}/u.test(value)) throw refused(argument, 'contains U+0000 or an incomplete character');
  return value;
}

const refused = (attribute: string, reason: string) => invalid([{ attribute, reason }]);

const MOST_ID = 999_999_999_999_999;
/** The last second of the year 9999. Later times can't be formatted, so nothing can be scheduled for them. */
export const LAST_SECOND = 253_402_300_799;

function readArgument(name: string, parameter: Parameter, given: Json | undefined): Json | undefined {
  if (given === undefined || given === null) return left(name, parameter);
  switch (parameter.kind) {
    case 'text':
      return readText(name, given);
    case 'cursor':
      return given === '' ? '' : readText(name, given);
    case 'email':
      return readEmail(name, readText(name, given));
    case 'msisdn':
      return readMsisdn(name, readText(name, given));
    case 'recipient': {
      const value = readRecipient(readText(name, given));
      if (value !== undefined) return value;
      throw refused(name, 'is not an e-mail address, a phone number or a URL');
    }
    case 'rule':
      if (typeof given === 'string' && readRuleName(given) !== undefined) return given;
      throw refused(name, 'must be the kind and the id of a rule, such as click:12');
    case 'choice':
      if (typeof given === 'string' && parameter.choices.includes(given)) return given;
      throw refused(name, `must be one of ${parameter.choices.join(', ')}`);
    case 'id':
      return wholeNumber(name, given, 1, MOST_ID);
    case 'reference':
    case 'person':
      return typeof given === 'number' ? wholeNumber(name, given, 1, MOST_ID) : readText(name, given);
    case 'ids':
      return ids(name, given, parameter.required === true);
    case 'count':
    case 'seconds':
    case 'milliseconds':
      return wholeNumber(name, given, parameter.min, parameter.max);
    case 'time':
      return wholeNumber(name, given, 0, LAST_SECOND);
    case 'share':
    case 'percent':
      if (typeof given === 'number' && given >= 0 && given <= 1) return given;
      throw refused(name, 'must be a number from 0 to 1');
    case 'switch':
      if (typeof given === 'boolean') return given;
      throw refused(name, 'must be true or false');
    case 'rows':
      return rows(name, given, parameter.max);
    default:
      return assertNever(parameter);
  }
}

/** Returns the value for an argument that was omitted. */
function left(name: string, parameter: Parameter): Json | undefined {
  if (parameter.required) throw refused(name, 'is required');
  if (parameter.kind === 'switch') return false;
  if (parameter.kind === 'ids') return [];
  return 'default' in parameter ? parameter.default : undefined;
}

function wholeNumber(name: string, value: Json, least: number, most: number): number {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw refused(name, `must be a whole number from ${least} to ${most}`);
}

function ids(name: string, value: Json, isRequired: boolean): readonly number[] {
  if (!Array.isArray(value)) throw refused(name, 'must be an array of ids');
  if (isRequired && value.length === 0) throw refused(name, 'must name at least one');
  return value.map((each: Json) => wholeNumber(name, each, 1, MOST_ID));
}

function rows(name: string, value: Json, most: number): readonly JsonObject[] {
  if (!Array.isArray(value) || value.length > most)
    throw refused(name, `must be an array of at most ${most} objects`);
  return value.map((row: Json) => (isObject(row) ? row : {}));
}
