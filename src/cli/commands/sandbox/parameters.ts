/** The parameters of a control operation as flags and places of its verb, and what was given as its arguments. */
import type { ControlOperation, Parameter } from '../../../protocol/control/operation.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { parseDuration } from '../../../text/duration.ts';
import { type Flag, type Input, isOn, type Positional, textOf, textsOf } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox } from './connection.ts';

interface Named {
  /** The control plane's word for it. */
  readonly argument: string;
  /** The flag's name, or the place's. */
  readonly name: string;
  readonly parameter: Parameter;
}

const namedOf = ({ parameters }: ControlOperation): readonly Named[] =>
  Object.entries(parameters).map(([argument, parameter]) => ({
    argument,
    name: parameter.called ?? argument,
    parameter,
  }));

export const flagsOf = (operation: ControlOperation): readonly Flag[] =>
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

/** What was given; all that is missing is told at once. */
export async function readParameters(
  session: Session,
  input: Input,
  operation: ControlOperation,
): Promise<JsonObject> {
  const named = namedOf(operation);
  const flags = named.filter(({ parameter }) => parameter.given === undefined);
  const missing = flags.filter(({ name, parameter }) => parameter.required && !input.flags.has(name));
  if (missing.length > 0)
    throw new UsageError(`${missing.map(({ name }) => `--${name}`).join(' and ')} must be given`);
  const args: Record<string, JsonObject[string]> = {};
  for (const each of flags.filter(({ name }) => input.flags.has(name)))
    args[each.argument] = await readFlag(session, input, each);
  const { user } = session.globals;
  if (operation.parameters['user']?.given === 'global' && user !== undefined)
    args['user'] = wholeNumber('--user', user);
  const place = named.find(({ parameter }) => parameter.given === 'place');
  const [first] = input.positionals;
  if (place && first !== undefined) args[place.argument] = await readText(session, input, place, first);
  return args;
}

function flagOf({ name, parameter }: Named): Flag {
  const { kind, describe, placeholder } = parameter;
  const shown = defaultOf(parameter);
  return {
    name,
    describe: shown === undefined ? describe : `${describe}; ${shown} unless given`,
    group: 'Options',
    ...(kind === 'switch' ? {} : { value: placeholder ?? PLACEHOLDERS[kind] }),
    ...(kind === 'ids' ? { repeatable: true as const } : {}),
    ...(kind === 'choice' ? { choices: parameter.choices } : {}),
  };
}

const PLACEHOLDERS: Readonly<Record<Exclude<Parameter['kind'], 'switch'>, string>> = {
  text: 'text',
  cursor: 'text',
  email: 'address',
  msisdn: 'number',
  choice: 'choice',
  id: 'id',
  ids: 'id',
  count: 'n',
  share: 'n',
  time: 'time',
  seconds: 'duration',
  milliseconds: 'duration',
  rows: 'rows',
};

function defaultOf(parameter: Parameter): string | undefined {
  if (!('default' in parameter) || parameter.default === undefined) return undefined;
  if (parameter.kind === 'milliseconds') return `${parameter.default / 1000}s`;
  return parameter.kind === 'seconds' ? `${parameter.default}s` : String(parameter.default);
}

async function readFlag(session: Session, input: Input, named: Named): Promise<JsonObject[string]> {
  const { name, parameter } = named;
  if (parameter.kind === 'switch') return isOn(input, name);
  if (parameter.kind === 'ids') return textsOf(input, name).map((text) => wholeNumber(name, text));
  return readText(session, input, named, textOf(input, name) ?? '');
}

async function readText(
  session: Session,
  input: Input,
  { name, parameter }: Named,
  text: string,
): Promise<string | number> {
  switch (parameter.kind) {
    case 'id':
    case 'ids':
      return wholeNumber(name, text);
    case 'count':
    case 'share':
      if (/^[0-9]{1,12}(\.[0-9]{1,6})?$/.test(text)) return Number(text);
      throw new UsageError(`${name}: ${text} is not a number`);
    case 'seconds':
      return Math.round(durationOf(name, text));
    case 'milliseconds':
      return Math.round(durationOf(name, text) * 1000);
    case 'time':
      return timeOf(session, input, name, text);
    default:
      if (text !== '') return text;
      throw new UsageError(`${name} is empty`, { hint: 'give a value, or leave it out' });
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name}: ${text} is not a whole number`);
}

function durationOf(name: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  throw new UsageError(`${name}: ${text} is not a length of time`, { hint: 'write 2d, 3h or 90m' });
}

/** Read by the sandbox's own clock, a local time in `--tz` or the company's zone. */
async function timeOf(session: Session, input: Input, name: string, text: string): Promise<number> {
  const { data, zone } = await askSandbox(session, input, 'clock show');
  const now = typeof data === 'object' && data !== null && 'time' in data ? Number(data.time) : 0;
  const { parseTimePhrase } = await import('../../../text/time-phrase.ts');
  const read = parseTimePhrase(text, { now, zone: session.globals.tz ?? zone });
  if (!read.ok)
    throw new UsageError(
      `${name}: ${read.reason}`,
      read.instead === undefined ? {} : { hint: `write ${read.instead}` },
    );
  if (read.note !== undefined) await session.info(read.note);
  return read.time;
}
