/** A verb that asks the control plane one thing, from its declaration. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { parseDuration } from '../../../text/duration.ts';
import { formatTime } from '../../../text/timezone.ts';
import {
  type Flag,
  type Input,
  isOn,
  type Positional,
  textOf,
  textsOf,
  type Verb,
} from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Column, Result } from '../../output/result.ts';
import { confirmed } from '../../request/guards.ts';
import type { Session } from '../../session/session.ts';
import { type Answer, askSandbox, DATA_FLAG } from './connection.ts';

/** How the text of a parameter becomes what the control plane takes. */
export type Kind = 'text' | 'id' | 'ids' | 'number' | 'switch' | 'time' | 'seconds' | 'milliseconds';

export interface Param {
  /** The flag's name, or the positional's. */
  readonly name: string;
  /** The control plane's word for it, where it is another one. */
  readonly as?: string;
  readonly kind: Kind;
  readonly describe: string;
  readonly required?: true;
  readonly choices?: readonly string[];
  /** What stands for the value in help. */
  readonly value?: string;
}

export interface ControlDeclaration {
  /** Of the control plane: `list create`. The last word is the verb's name. */
  readonly operation: string;
  readonly summary: string;
  readonly about?: string;
  readonly example: string;
  readonly positional?: Param;
  readonly params?: readonly Param[];
  readonly columns: readonly Column[];
  /** The line on stderr where there is nothing to list. */
  readonly empty?: string;
  /**
   * What it destroys, as an infinitive over its positional: asked on a terminal, `--yes` elsewhere (contract, "Safety").
   */
  readonly destroys?: (which: string) => string;
  /** The global `--user` is an argument too. */
  readonly takesUser?: true;
}

export function controlVerb(declaration: ControlDeclaration): Verb {
  const { operation, summary, about, example, positional, params = [], destroys } = declaration;
  const name = operation.split(' ').at(-1) ?? operation;
  return {
    name,
    summary,
    example: `sandbox ${example}${destroys ? ' --yes' : ''}`,
    ...(about === undefined ? {} : { about }),
    ...(positional === undefined ? {} : { positionals: [positionalOf(positional)] }),
    flags: [...params.map(flagOf), DATA_FLAG],
    run: async (session, input) => {
      const args = await readParams(session, input, declaration);
      if (destroys) await confirmed(session, destroys(input.positionals[0] ?? ''));
      const answer = await askSandbox(session, input, operation, args);
      return { result: resultOf(answer, declaration, (await session.format()) === 'table') };
    },
  };
}

const positionalOf = ({ name, describe, choices }: Param): Positional => ({
  name,
  describe,
  ...(choices === undefined ? {} : { choices }),
});

const flagOf = ({ name, describe, kind, choices, value }: Param): Flag => ({
  name,
  describe,
  group: 'Options',
  ...(kind === 'switch' ? {} : { value: value ?? PLACEHOLDERS[kind] }),
  ...(kind === 'ids' ? { repeatable: true as const } : {}),
  ...(choices === undefined ? {} : { choices }),
});

const PLACEHOLDERS: Readonly<Record<Exclude<Kind, 'switch'>, string>> = {
  text: 'text',
  id: 'id',
  ids: 'id',
  number: 'n',
  time: 'time',
  seconds: 'duration',
  milliseconds: 'duration',
};

/** All that is missing is told at once. */
async function readParams(
  session: Session,
  input: Input,
  { positional, params = [], takesUser }: ControlDeclaration,
): Promise<JsonObject> {
  const missing = params.filter((param) => param.required && !input.flags.has(param.name));
  if (missing.length > 0)
    throw new UsageError(`${missing.map(({ name }) => `--${name}`).join(' and ')} must be given`);
  const args: Record<string, JsonObject[string]> = {};
  for (const param of params) {
    if (!input.flags.has(param.name)) continue;
    const key = param.as ?? param.name;
    if (param.kind === 'switch') args[key] = isOn(input, param.name);
    else if (param.kind === 'ids')
      args[key] = textsOf(input, param.name).map((text) => wholeNumber(param, text));
    else args[key] = await readText(session, input, param, textOf(input, param.name) ?? '');
  }
  const { user } = session.globals;
  if (takesUser && user !== undefined) args['user'] = wholeNumber({ name: '--user' }, user);
  const [first] = input.positionals;
  if (positional && first !== undefined)
    args[positional.as ?? positional.name] = await readText(session, input, positional, first);
  return args;
}

async function readText(
  session: Session,
  input: Input,
  param: Param,
  text: string,
): Promise<string | number> {
  switch (param.kind) {
    case 'id':
    case 'ids':
      return wholeNumber(param, text);
    case 'number':
      if (/^[0-9]{1,12}(\.[0-9]{1,6})?$/.test(text)) return Number(text);
      throw new UsageError(`${param.name}: ${text} is not a number`);
    case 'seconds':
      return Math.round(durationOf(param, text));
    case 'milliseconds':
      return Math.round(durationOf(param, text) * 1000);
    case 'time':
      return timeOf(session, input, param, text);
    default:
      if (text !== '') return text;
      throw new UsageError(`${param.name} is empty`, { hint: 'give a value, or leave it out' });
  }
}

function wholeNumber({ name }: Pick<Param, 'name'>, text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name}: ${text} is not a whole number`);
}

function durationOf({ name }: Param, text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  throw new UsageError(`${name}: ${text} is not a length of time`, { hint: 'write 2d, 3h or 90m' });
}

/** Read by the sandbox's own clock, a local time in `--tz` or the company's zone. */
async function timeOf(session: Session, input: Input, { name }: Param, text: string): Promise<number> {
  const { data, zone } = await askSandbox(session, input, 'clock show');
  const now = typeof data === 'object' && data !== null && 'time' in data ? Number(data.time) : 0;
  const { parseTimePhrase } = await import('../../../text/time-phrase.ts');
  const read = parseTimePhrase(text, { now, zone: session.globals.tz ?? zone });
  if (!read.ok)
    throw new UsageError(
      `${name}: ${read.reason}`,
      read.instead === undefined ? {} : { hint: `write ${read.instead}` },
    );
  if (read.note !== undefined) await session.note(read.note);
  return read.time;
}

/** A table's times are text by then: its company may be another than the profile's. */
export function resultOf(
  { data, zone }: Answer,
  { columns, empty }: Pick<ControlDeclaration, 'columns' | 'empty'>,
  isTable: boolean,
): Result {
  const shown = isTable ? columns.map((column) => ({ ...column, kind: asText(column.kind) })) : columns;
  const row = (value: JsonObject): JsonObject => (isTable ? withTimes(value, columns, zone) : value);
  if (Array.isArray(data))
    return {
      kind: 'rows',
      rows: (data as readonly JsonObject[]).map(row),
      columns: shown,
      empty: empty ?? 'There is nothing yet.',
    };
  return { kind: 'object', value: row(Object(data) as JsonObject), columns: shown };
}

const asText = (kind: Column['kind']): NonNullable<Column['kind']> =>
  kind === undefined || kind === 'timestamp' ? 'text' : kind;

function withTimes(value: JsonObject, columns: readonly Column[], zone: string): JsonObject {
  const times = columns.filter((column) => column.kind === 'timestamp');
  const shown = times.flatMap(({ name }): [string, string][] => {
    const time = value[name];
    return typeof time === 'number' ? [[name, formatTime(time, zone, 'table')]] : [];
  });
  return { ...value, ...Object.fromEntries(shown) };
}
