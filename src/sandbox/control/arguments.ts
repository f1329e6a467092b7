/** Reads the arguments of a control plane operation as the operation declares them. Every refusal is a 400 that names the argument. */
import type { Parameter } from '../../protocol/control/operation.ts';
import {
  CONTROL_OPERATIONS,
  type ControlArguments,
  type ControlOperationName,
  controlOperationNamed,
} from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { createInvalidRequestError } from '../../protocol/service-errors.ts';
import { readRuleReference } from '../../resources/rule-kinds.ts';
import {
  checkParameter,
  defaultParameterValue,
  PARAMETER_KINDS,
  type ParameterKind,
  type Parsed,
} from '../../schema/parameter.ts';

export const isOperationName = (name: string): name is ControlOperationName =>
  Object.hasOwn(CONTROL_OPERATIONS, name);

/** Returns the declared arguments in their canonical form. Ignores arguments that are not declared. */
export function readArguments<Name extends ControlOperationName>(
  name: Name,
  given: JsonObject,
): ControlArguments<Name> {
  const read = Object.entries(controlOperationNamed(name).parameters).flatMap(([argument, parameter]) => {
    const value = readArgument(argument, parameter, given[argument]);
    return value === undefined ? [] : [[argument, value] as const];
  });
  // The loop above visits the declaration from which the type is derived.
  return Object.fromEntries(read) as ControlArguments<Name>;
}

/** Returns the id of the company that the request names, or undefined if it names none. */
export function readCompanyId({ company }: JsonObject): number | undefined {
  return company === undefined || company === null
    ? undefined
    : accepted('company', PARAMETER_KINDS.id.check(company, {}));
}

/** Returns the number in MSISDN form. */
export const readMsisdnArgument = (argument: string, given: unknown): string =>
  accepted(argument, PARAMETER_KINDS.msisdn.check(given, {}));

/** Returns the address in lower case. */
export const readEmailAddressArgument = (argument: string, given: unknown): string =>
  accepted(argument, PARAMETER_KINDS.email.check(given, {}));

const refused = (attribute: string, reason: string) => createInvalidRequestError([{ attribute, reason }]);

function accepted<T>(argument: string, checked: Parsed<T>): T {
  if ('fault' in checked) throw refused(argument, checked.fault.reason);
  return checked.value;
}

function readArgument(
  name: string,
  parameter: Parameter,
  given: Json | undefined,
): ReturnType<typeof defaultParameterValue> {
  if (given !== undefined && given !== null)
    return accepted(name, checkParameter(withRules(parameter), given));
  if (parameter.required) throw refused(name, 'is required');
  return defaultParameterValue(parameter);
}

/** Adds a check to a parameter that names a rule: the kind of the rule must exist. */
const withRules = (parameter: ParameterKind): ParameterKind =>
  parameter.kind === 'rule'
    ? { ...parameter, isRule: (text) => readRuleReference(text) !== undefined }
    : parameter;
