/** Builds the JSON Schema of a tool's arguments from its commands, and converts arguments to the flags and operands of a command. */
import { similarWords } from '../../../kit/text/words.ts';
import type { Verb } from '../../command/command.ts';
import type { FlagShape, RawFlagValue } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Tool, ToolCommandPath } from './tools.ts';

interface ArgumentSchema {
  readonly type?: 'string' | 'boolean' | 'integer' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly default?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
}

export interface ToolCommand extends ToolCommandPath {
  readonly verb: Verb;
}

type Given = Readonly<Record<string, unknown>>;

interface Slot {
  readonly name: string;
  readonly schema: ArgumentSchema;
  readonly required: boolean;
  readonly isPath: boolean;
  /** Name of the flag. Undefined for an operand. */
  readonly flag?: string;
  /** A switch takes no value. */
  readonly isSwitch?: boolean;
}

/** Flags by name, as a command line would give them. */
export type FlagValues = Readonly<Record<string, RawFlagValue>>;

/** These arguments select a page of the result, and are not flags of svc. */
const PAGING: Readonly<Record<'cursor' | 'part' | 'field' | 'fields' | 'limit', ArgumentSchema>> = {
  cursor: { type: 'string', description: 'next_cursor of the same call' },
  part: { type: 'string', description: 'Return only this list, page by page' },
  field: { type: 'string', description: 'Return only the text of this attribute, page by page' },
  fields: { type: 'array', items: { type: 'string' }, description: 'Attributes to return' },
  limit: { type: 'integer', default: 50, maximum: 200 },
};

/** The files that `draft_campaign` writes. */
const WRITING = {
  write: {
    type: 'array',
    description: 'Files: .yaml, .html or .txt below the working folder',
    items: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string' } },
      required: ['path', 'text'],
    },
  },
  replace: { type: 'boolean', description: 'Replace files that exist (default: refuse)' },
} satisfies Readonly<Record<string, ArgumentSchema>>;

const writingNames = ({ writesFiles }: Tool): readonly (keyof typeof WRITING)[] =>
  writesFiles ? ['write', 'replace'] : [];

export function pagingArgumentNames({
  parts,
  hasLongTexts,
  listsRecords,
  isOneRecord,
  isText,
}: Tool): readonly (keyof typeof PAGING)[] {
  if (isText) return ['cursor'];
  return [
    ...(!isOneRecord || hasLongTexts ? ['cursor' as const] : []),
    ...(isOneRecord ? [] : ['limit' as const]),
    ...(parts ? ['part' as const] : []),
    ...(hasLongTexts ? ['field' as const] : []),
    ...(listsRecords ? ['fields' as const] : []),
  ];
}

/** An argument that commands describe differently has a neutral description, or none. */
export function inputSchema(tool: Tool, commands: readonly ToolCommand[]) {
  const properties = new Map<string, ArgumentSchema>();
  const { choice } = tool;
  if (choice)
    properties.set(choice.name, {
      type: 'string',
      enum: commands.map(({ value }) => value),
      description: choice.describe,
    });
  if (tool.takesHelp)
    properties.set('command', { type: 'string', description: 'Command or topic of svc help' });
  const all = commands.map(({ verb }) => slotsOf(tool, verb));
  for (const { name, schema } of all.flat()) {
    const before = properties.get(name);
    if (before === undefined) properties.set(name, schema);
    else if (JSON.stringify(before) !== JSON.stringify(schema))
      properties.set(name, shared(name, before, schema));
  }
  for (const name of writingNames(tool)) properties.set(name, WRITING[name]);
  for (const name of pagingArgumentNames(tool))
    properties.set(name, name === 'part' ? { ...PAGING.part, enum: tool.parts ?? [] } : PAGING[name]);
  const isAlwaysRequired = (name: string): boolean =>
    all.every((slots) => slots.some((slot) => slot.name === name && slot.required));
  const required = [
    ...(choice ? [choice.name] : []),
    ...[...properties.keys()].filter((name) => isAlwaysRequired(name)),
  ];
  return {
    type: 'object' as const,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The type is the common one, if there is one. */
function shared(name: string, before: ArgumentSchema, schema: ArgumentSchema): ArgumentSchema {
  const type = typeIn(before);
  const description = NEUTRAL[name];
  return {
    ...(JSON.stringify(type) === JSON.stringify(typeIn(schema)) ? type : {}),
    ...(description === undefined ? {} : { description }),
  };
}

/** Descriptions of arguments that mean nearly the same in each command. */
const NEUTRAL: Readonly<Record<string, string>> = { id: 'Id or exact name', sort: 'Attribute to sort by' };

const typeIn = ({ description: _, ...type }: ArgumentSchema): ArgumentSchema => type;

/**
 * The caller must check that the `paths` are inside the working folder.
 * @throws UsageError for an argument that the command lacks, or a value of the wrong type
 */
export function readToolArguments(tool: Tool, commands: readonly ToolCommand[], callArguments: Given) {
  const command = chosen(tool, commands, callArguments);
  const slots = slotsOf(tool, command.verb);
  const others = new Set<string>([
    ...writingNames(tool),
    ...pagingArgumentNames(tool),
    ...(tool.takesHelp ? ['command'] : []),
    ...(tool.choice ? [tool.choice.name] : []),
  ]);
  const names = [...new Set([...slots.map(({ name }) => name), ...others])];
  for (const name of Object.keys(callArguments)) {
    if (names.includes(name)) continue;
    const [near] = similarWords(name, names);
    const which = tool.choice ? ` of ${command.value}` : '';
    throw new UsageError(`${tool.name}${which} has no argument ${JSON.stringify(name.slice(0, 80))}`, {
      suggestions: [near === undefined ? `arguments: ${names.join(', ')}` : `did you mean ${near}?`],
    });
  }
  const flags: Record<string, RawFlagValue> = {};
  const positionals: string[] = [];
  const paths: string[] = [];
  for (const slot of slots) {
    const value = callArguments[slot.name];
    if (value === undefined || value === null) {
      if (slot.required) throw new UsageError(`${tool.name} needs the argument ${slot.name}`);
      continue;
    }
    const checked = checkedValue(slot, value);
    const texts = [checked].flat().map(String);
    if (slot.isPath) paths.push(...texts);
    if (slot.flag === undefined) positionals.push(...texts);
    else if (checked !== undefined) flags[slot.flag] = checked;
  }
  return { command, flags, positionals, paths };
}

/** Others refer to these records (interface, "Resources and their fields"). */
const NOT_SHOWN = ['list', 'subscriber', 'search'];

function chosen({ name, choice }: Tool, commands: readonly ToolCommand[], given: Given): ToolCommand {
  const wanted = choice ? given[choice.name] : commands[0]?.value;
  const found = commands.find(({ value }) => value === wanted);
  if (found) return found;
  const isHidden = choice?.name === 'noun' && NOT_SHOWN.includes(String(wanted));
  throw new UsageError(
    `${name}: ${choice?.name ?? 'command'} must be one of ${commands.map(({ value }) => value).join(', ')}`,
    isHidden
      ? {
          suggestions: [
            `the interface of the service does not show a ${wanted}; tasks and rules have its id`,
          ],
        }
      : {},
  );
}

function slotsOf({ flags, words = {} }: Tool, { positionals = [], flags: declared }: Verb): readonly Slot[] {
  const offered = declared.filter(({ name }) =>
    'allBut' in flags ? !flags.allBut.includes(name) : flags.includes(name),
  );
  const slots = [
    ...positionals
      .filter(({ isCompany }) => !isCompany)
      .map(
        ({ name, describe, optional, variadic, completes, isFile }): Slot => ({
          name,
          schema: variadic
            ? { type: 'array', items: TEXT, description: describe }
            : { ...TEXT, description: describe },
          required: !optional,
          isPath: completes === 'file' || isFile === true,
        }),
      ),
    ...offered.map(
      (flag): Slot => ({
        name: flag.name.replaceAll('-', '_'),
        schema: schemaOf(flag),
        required: flag.required === true,
        isPath: flag.completes === 'file' || flag.value === 'file' || flag.value === 'dir',
        flag: flag.name,
        isSwitch: flag.value === undefined && !flag.bool,
      }),
    ),
  ];
  return slots.map((slot) => {
    const description = words[slot.name];
    return description === undefined ? slot : { ...slot, schema: { ...slot.schema, description } };
  });
}

const TEXT: ArgumentSchema = { type: 'string' };

function schemaOf(flag: FlagShape): ArgumentSchema {
  const { describe, repeatable, value, bool, choices } = flag;
  // The name of a filter is an attribute, which the tool explain describes.
  const isAttribute = describe.startsWith('Filter by ');
  const fallback = flag.default === undefined ? '' : ` (default: ${flag.default})`;
  // An assistant has no standard input, and the type shows what is repeatable.
  const text = describe.replace(/ or - \(stdin\)| \(repeatable\)/, '');
  const words = isAttribute ? {} : { description: `${text}${fallback}` };
  if (bool || value === undefined) return { type: 'boolean', ...words };
  if (repeatable) return { type: 'array', items: TEXT, ...words };
  if (value === 'n') return { type: 'integer', ...words };
  return isClosed(flag) && choices ? { type: 'string', enum: choices, ...words } : { ...TEXT, ...words };
}

/** The choices of other flags are only suggestions for completion. */
const isClosed = (flag: FlagShape & { readonly read?: (given: string) => object }): boolean =>
  flag.read !== undefined && 'fault' in flag.read('\u0000');

const MAX_VALUES = 500;

/** @returns the value as a command line would give it; undefined for a switch that is off */
function checkedValue({ name, schema, isSwitch }: Slot, value: unknown): RawFlagValue | undefined {
  const wrong = (type: string): UsageError => new UsageError(`the argument ${name} must be ${type}`);
  switch (schema.type) {
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong('true or false');
      return isSwitch ? value || undefined : String(value);
    case 'integer':
      if (!Number.isSafeInteger(value)) throw wrong('a whole number');
      return String(value);
    case 'array': {
      const texts = Array.isArray(value) ? value : [value];
      if (texts.length > MAX_VALUES || !texts.every(isText)) throw wrong('a list of texts');
      return texts.map(String);
    }
    default:
      if (!isText(value)) throw wrong('a text');
      return String(value);
  }
}

/** Assistants often write an id as a number. */
const isText = (value: unknown): boolean =>
  Number.isSafeInteger(value) ||
  (typeof value === 'string' && value.length <= 1_000_000 && !value.includes('\u0000'));
