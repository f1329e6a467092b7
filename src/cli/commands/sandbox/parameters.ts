/** Declares the parameters of a control operation as flags and operands, and converts their values to arguments. */

import type { Id } from '../../../kit/schema/integer.ts';
import {
  PARAMETER_KINDS,
  type ParameterKind,
  type Parsed,
  parseParameter,
} from '../../../kit/schema/parameter.ts';
import type { ControlOperation, Parameter } from '../../../service/protocol/control/operation.ts';
import {
  type ControlOperationName,
  type ControlRequest,
  controlOperationNamed,
} from '../../../service/protocol/control.ts';
import { readRuleReference } from '../../../service/resources/rule-kinds.ts';
import type { Input, Positional } from '../../command/command.ts';
import {
  choiceFlag,
  type Flag,
  parsedFlag,
  type RawFlagValue,
  repeatableTextFlag,
  switchFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { chooseList, mayBeListName } from '../../request/list-names.ts';
import { quoteSuggestedTimesForShell } from '../../request/values.ts';
import type { Changes, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { requestSandboxOperation } from './connection.ts';

interface Named {
  readonly argument: string;
  readonly name: string;
  readonly parameter: Parameter;
}

const namedOf = (parameters: ControlOperation['parameters']): readonly Named[] =>
  Object.entries(parameters).map(([argument, parameter]) => ({
    argument,
    name: parameter.nameInCommand ?? argument,
    parameter,
  }));

export const operationParameterFlags = ({ parameters }: ControlOperation): readonly Flag<unknown>[] =>
  namedOf(parameters)
    .filter(({ parameter }) => parameter.given === undefined)
    .map(flagOf);

export const operationParameterPositionals = ({ parameters }: ControlOperation): readonly Positional[] =>
  namedOf(parameters)
    .filter(({ parameter }) => parameter.given === 'place')
    .map(({ name, parameter }) => ({
      name,
      describe: parameter.describe,
      ...(parameter.kind === 'choice' ? { choices: parameter.choices } : {}),
    }));

/** The sandbox uses defaults for omitted arguments. */
export async function readOperationParameters<N extends ControlOperationName>(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
  operation: N,
): Promise<ControlRequest<N>> {
  const { parameters } = controlOperationNamed(operation);
  const args: Record<string, Argument> = {};
  const named = namedOf(parameters);
  for (const each of named.filter(({ parameter }) => parameter.given === undefined)) {
    const flag = flagOf(each);
    const value = input.has(flag) ? input.get(flag) : undefined;
    if (value !== undefined) args[each.argument] = await resolved(session, input, each, value);
  }
  const { user } = session.globals;
  const acting = named.find(({ argument, parameter }) => argument === 'user' && parameter.given === 'global');
  if (acting && user !== undefined)
    args[acting.argument] = otherValue('--user', user, PARAMETER_KINDS.id.parse(user, {}));
  const place = named.find(({ parameter }) => parameter.given === 'place');
  const [text] = input.positionals;
  if (place && text !== undefined) {
    const value = otherValue(place.name, text, flagOf(place).read(text));
    if (value !== undefined) args[place.argument] = await resolved(session, input, place, value);
  }
  // Every required parameter has a required flag or operand.
  return args as ControlRequest<N>;
}

type Argument = Id | boolean | readonly Id[];

function flagOf(named: Named): Flag<Argument | undefined> {
  const completes = COMPLETED[named.name];
  const flag = { ...kindFlag(named), ...(completes === undefined ? {} : { completes }) };
  if (!named.parameter.required) return flag;
  const missing = { fault: { reason: 'must be given', instead: `give --${flag.name} <${flag.value}>` } };
  return { ...flag, required: true, read: (given) => (given === undefined ? missing : flag.read(given)) };
}

/** Kinds of records that shell completion looks up, by the name of the parameter. */
const COMPLETED: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'email',
  link: 'link',
  list: 'list',
  folder: 'folder',
  form: 'form',
};

function kindFlag({ name, parameter }: Named): Flag<Argument | undefined> {
  const { describe, kind } = parameter;
  const { placeholder: value = PARAMETER_KINDS[kind].placeholder } = parameter;
  if (kind === 'switch') return switchFlag(name, { describe });
  if (kind === 'ids')
    return { ...repeatableTextFlag(name, { describe, value }), read: (given) => idsIn(given, name === LIST) };
  if (kind === 'choice') return choiceFlag(name, parameter.choices, { describe, value });
  const defaultText = 'default' in parameter ? { defaultText: String(parameter.default) } : {};
  return parsedFlag(name, { describe, value, ...defaultText }, (text) =>
    name === LIST && kind === 'id' && mayBeListName(text) ? { value: text } : parsedArgument(parameter, text),
  );
}

/** A parameter for rows has no flag, so the value is never a list of rows. */
const parsedArgument = (parameter: ParameterKind, text: string): Parsed<Argument> =>
  parseParameter(
    parameter.kind === 'rule'
      ? { ...parameter, isRule: (name) => readRuleReference(name) !== undefined }
      : parameter,
    text,
  ) as Parsed<Argument>;

/** Name of the flags that take the id or the name of a list. */
const LIST = 'list';

function idsIn(given: RawFlagValue | undefined, areLists: boolean): Parsed<readonly (number | string)[]> {
  const ids: (number | string)[] = [];
  for (const text of [given ?? []].flat().map(String)) {
    if (areLists && mayBeListName(text)) {
      ids.push(text);
      continue;
    }
    const parsed = PARAMETER_KINDS.ids.parse(text, {});
    if ('value' in parsed) ids.push(...parsed.value);
    else return { fault: { ...parsed.fault, sentence: `${text} ${parsed.fault.reason}` } };
  }
  return { value: ids };
}

/** @throws UsageError for an invalid value */
function otherValue<T>(name: string, text: string, parsed: Parsed<T>): T {
  if ('value' in parsed) return parsed.value;
  const { reason, instead, sentence = text === '' ? undefined : `${text} ${reason}` } = parsed.fault;
  throw new UsageError(sentence === undefined ? `${name} ${reason}` : `${name}: ${sentence}`, {
    hint: instead,
  });
}

/** @throws UsageError with the known names */
async function listIdOf(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
  name: string,
): Promise<Id> {
  const { data } = await requestSandboxOperation(session, input, 'list list', {});
  const found = chooseList(name, data);
  if ('value' in found) return found.value;
  throw new UsageError(`--list: ${JSON.stringify(name)} ${found.reason}`, { hint: found.instead });
}

/** Converts a time to Unix seconds, because a relative time depends on the sandbox's own clock, and names of lists to ids. */
async function resolved(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
  { name, parameter }: Named,
  value: Argument,
): Promise<Argument> {
  const written = parameter.given === 'place' ? name : `--${name}`;
  if (name === LIST && parameter.given === undefined) {
    const one = async (each: Id): Promise<Id> =>
      typeof each === 'string' ? listIdOf(session, input, each) : each;
    if (typeof value !== 'boolean')
      return typeof value === 'object' ? Promise.all(value.map(one)) : one(value);
  }
  return parameter.kind === 'time' ? timeOf(session, input, written, String(value)) : value;
}

/** A local time is in the time zone of `--tz`, or else of the company. */
async function timeOf(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
  name: string,
  text: string,
): Promise<number> {
  const { data, zone } = await requestSandboxOperation(session, input, 'clock show', {});
  const { parseTimePhrase } = await import('../../../kit/text/time-phrase.ts');
  const read = parseTimePhrase(text, { now: data.time, zone: session.globals.tz ?? zone });
  if (!read.ok)
    throw new UsageError(`${name}: ${read.reason}`, {
      hint: read.instead && `write ${quoteSuggestedTimesForShell(read.instead)}`,
    });
  if (read.note !== undefined) await session.info(read.note);
  return read.time;
}
