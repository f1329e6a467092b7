/** Declares the parameters of a control operation as flags and operands of its verb, and reads them as its arguments. */
import { readPercent } from '../../../protocol/control/audience.ts';
import { readRecipient } from '../../../protocol/control/observe.ts';
import type { ControlOperation, Parameter } from '../../../protocol/control/operation.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { readRuleName } from '../../../resources/rule-kinds.ts';
import { assertNever } from '../../../schema/resource.ts';
import { formatDuration, parseDuration } from '../../../text/duration.ts';
import type { Input, Positional } from '../../command/command.ts';
import {
  choiceFlag,
  countFlag,
  type Flag,
  type Given,
  type Parsed,
  parsedFlag,
  switchFlag,
  textsFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { quotedTimes } from '../../request/times.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox } from './connection.ts';

interface Named {
  /** Name in the control plane. */
  readonly argument: string;
  /** Name of the flag or operand. */
  readonly name: string;
  readonly parameter: Parameter;
}

const namedOf = ({ parameters }: ControlOperation): readonly Named[] =>
  Object.entries(parameters).map(([argument, parameter]) => ({
    argument,
    name: parameter.called ?? argument,
    parameter,
  }));

export const flagsOf = (operation: ControlOperation): readonly Flag<unknown>[] =>
  namedOf(operation)
    .filter(({ parameter }) => parameter.given === undefined)
    .map(flagOf);

export const positionalsOf = (operation: ControlOperation): readonly Positional[] =>
  namedOf(operation)
    .filter(({ parameter }) => parameter.given === 'place')
    .map(({ name, parameter }) => ({
      name,
      describe: parameter.describe,
      ...(parameter.kind === 'choice' ? { choices: parameter.choices } : {}),
    }));

/** Returns the arguments that the command line gives. The sandbox uses defaults for omitted arguments. */
export async function readParameters(
  session: Session,
  input: Input,
  operation: ControlOperation,
): Promise<JsonObject> {
  const args: Record<string, JsonObject[string]> = {};
  const named = namedOf(operation);
  for (const each of named.filter(({ parameter }) => parameter.given === undefined)) {
    const flag = flagOf(each);
    const value = input.has(flag) ? input.get(flag) : undefined;
    if (value !== undefined) args[each.argument] = await resolved(session, input, each, value);
  }
  const { user } = session.globals;
  if (operation.parameters['user']?.given === 'global' && user !== undefined)
    args['user'] = otherValue('--user', user, idIn(user));
  const place = named.find(({ parameter }) => parameter.given === 'place');
  const [text] = input.positionals;
  if (place && text !== undefined) {
    const value = otherValue(place.name, text, flagOf(place).read(text));
    if (value !== undefined) args[place.argument] = await resolved(session, input, place, value);
  }
  return args;
}

type Argument = string | number | boolean | readonly number[];

/** Returns the flag for a parameter. The flag's kind, bounds, choices and default come from the parameter's declaration. */
function flagOf(named: Named): Flag<Argument | undefined> {
  const completes = COMPLETED[named.name];
  const flag = { ...kindFlag(named), ...(completes === undefined ? {} : { completes }) };
  if (!named.parameter.required) return flag;
  const missing = { fault: { reason: 'must be given', instead: `give --${flag.name} <${flag.value}>` } };
  return {
    ...flag,
    required: true,
    read: (given) => (given === undefined ? missing : flag.read(given)),
  };
}

/** Kinds of record that completion looks up, by parameter name. */
const COMPLETED: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'email',
  link: 'link',
  list: 'list',
  folder: 'folder',
  form: 'form',
};

function kindFlag({ name, parameter }: Named): Flag<Argument | undefined> {
  const { describe, placeholder } = parameter;
  const parsed = (word: string, parse: (text: string) => Parsed<Argument>, otherwise?: string) =>
    parsedFlag(
      name,
      { describe, value: placeholder ?? word, ...(otherwise === undefined ? {} : { otherwise }) },
      parse,
    );
  switch (parameter.kind) {
    case 'switch':
      return switchFlag(name, { describe });
    case 'choice':
      return choiceFlag(name, parameter.choices, { describe, value: placeholder ?? 'choice' });
    case 'id':
      return parsed('id', idIn);
    case 'reference':
      return parsed('id|name', namedIn);
    case 'person':
      return parsed('id|address|number', namedIn);
    case 'percent':
      return parsed('percent', percentIn);
    case 'ids':
      return { ...textsFlag(name, { describe, value: placeholder ?? 'id' }), read: idsIn };
    case 'count': {
      const { min, max } = parameter;
      return countFlag(name, { describe, value: placeholder ?? 'n', min, max, default: parameter.default });
    }
    case 'share':
      return parsed('n', shareIn, parameter.default?.toString());
    case 'seconds':
    case 'milliseconds': {
      const inSeconds = parameter.kind === 'seconds' ? 1 : 1000;
      const shown = parameter.default === undefined ? undefined : `${parameter.default / inSeconds}s`;
      return parsed('duration', (text) => lengthIn(text, parameter, inSeconds), shown);
    }
    case 'text':
    case 'cursor':
      return parsed('text', textIn);
    case 'email':
      return parsed('address', textIn);
    case 'msisdn':
      return parsed('number', textIn);
    case 'recipient':
      return parsed('address|number', recipientIn);
    case 'rule':
      return parsed('kind:id', ruleIn);
    case 'time':
      return parsed('time', textIn);
    case 'rows':
      throw new RangeError(`--${name}: rows are worked out by the command`);
    default:
      return assertNever(parameter);
  }
}

const MOST_DIGITS = 15;

function idIn(text: string): Parsed<number> {
  const isId = text.length <= MOST_DIGITS && /^0*[1-9][0-9]*$/.test(text);
  return isId ? { value: Number(text) } : { fault: { reason: 'is not a whole number of at least 1' } };
}

/** Parses an id to a number, and any other text to a name or an address. */
function namedIn(text: string): Parsed<number | string> {
  return /^[0-9]+$/.test(text) ? idIn(text) : textIn(text);
}

function percentIn(text: string): Parsed<number> {
  const value = readPercent(text);
  if (value !== undefined) return { value };
  const number = Number(text);
  const example = number > 0 && number <= 100 ? `${number < 1 ? number * 100 : number}%` : '35%';
  return { fault: { reason: 'is not a share from 0% to 100%', instead: `write ${example}` } };
}

function idsIn(given: Given | undefined): Parsed<readonly number[]> {
  const ids: number[] = [];
  for (const text of [given ?? []].flat().map(String)) {
    const parsed = idIn(text);
    if ('value' in parsed) ids.push(parsed.value);
    else return { fault: { ...parsed.fault, sentence: `${text} ${parsed.fault.reason}` } };
  }
  return { value: ids };
}

function shareIn(text: string): Parsed<number> {
  const share = /^[0-9](\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  return share <= 1 ? { value: share } : { fault: { reason: 'is not a number from 0 to 1' } };
}

/** Parses a duration to the parameter's unit. @param inSeconds the number of units in a second */
function lengthIn(
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
  inSeconds: number,
): Parsed<number> {
  const seconds = parseDuration(text);
  if (seconds === undefined)
    return { fault: { reason: 'is not a length of time', instead: 'write 2d, 3h or 90m' } };
  if (inSeconds === 1 && /^[0-9.]*[1-9][0-9.]*$/.test(text.trim()))
    return {
      fault: { reason: 'has no unit', instead: `write ${text.trim()}d, ${text.trim()}h or ${text.trim()}m` },
    };
  const value = Math.round(seconds * inSeconds);
  if (value >= min && value <= max) return { value };
  const [least, most] = [min, max].map((bound) => formatDuration(bound / inSeconds));
  return { fault: { reason: `is not a length of time from ${least} to ${most}` } };
}

function recipientIn(text: string): Parsed<string> {
  const value = readRecipient(text);
  if (value !== undefined) return { value };
  return { fault: { reason: 'is not an e-mail address, a phone number or a URL' } };
}

function ruleIn(text: string): Parsed<string> {
  if (readRuleName(text) !== undefined) return { value: text };
  return { fault: { reason: 'is not the kind and the id of a rule', instead: 'write click:12' } };
}

function textIn(text: string): Parsed<string> {
  if (text !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a value, or leave it out' } };
}

/** Returns the value of an operand or a global flag. @throws UsageError for an invalid value */
function otherValue<T>(name: string, text: string, parsed: Parsed<T>): T {
  if ('value' in parsed) return parsed.value;
  const { reason, instead, sentence = text === '' ? undefined : `${text} ${reason}` } = parsed.fault;
  throw new UsageError(sentence === undefined ? `${name} ${reason}` : `${name}: ${sentence}`, {
    hint: instead,
  });
}

/** Returns the value to send. A time is parsed here, because its meaning depends on the sandbox's own clock. */
async function resolved(
  session: Session,
  input: Input,
  { name, parameter }: Named,
  value: Argument,
): Promise<JsonObject[string]> {
  const written = parameter.given === 'place' ? name : `--${name}`;
  return parameter.kind === 'time' ? timeOf(session, input, written, String(value)) : value;
}

/** Returns the time in Unix seconds, relative to the sandbox's own clock. A local time is in the zone of `--tz` or of the company. */
async function timeOf(session: Session, input: Input, name: string, text: string): Promise<number> {
  const { data, zone } = await askSandbox(session, input, 'clock show');
  const now = typeof data === 'object' && data !== null && 'time' in data ? Number(data.time) : 0;
  const { parseTimePhrase } = await import('../../../text/time-phrase.ts');
  const read = parseTimePhrase(text, { now, zone: session.globals.tz ?? zone });
  if (!read.ok)
    throw new UsageError(`${name}: ${read.reason}`, {
      hint: read.instead && `write ${quotedTimes(read.instead)}`,
    });
  if (read.note !== undefined) await session.info(read.note);
  return read.time;
}
