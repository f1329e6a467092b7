/**
 * Declares flags as typed constants. Each flag is declared once, with its kind, default and bounds, and whether it is required. Help,
 * checks and shell completion are derived from the declaration, and `input.get(flag)` returns the declared type.
 */
import { PARAMETER_KINDS, type Parsed, unknownNameFault } from '../../schema/parameter.ts';
import { isTimezone } from '../../text/timezone.ts';

/** Operand of a verb for a resource that has one record per company, such as `account`. */
export const companyPositional = {
  name: 'id',
  describe: 'Id of the company (the same as --company)',
  optional: true,
  isCompany: true,
  completes: 'company',
} as const;

export type FlagGroup = 'Attributes' | 'Filters' | 'Options' | 'Global flags';

/** Properties of a flag that the parser, the help and the completions read. */
export interface FlagShape {
  /** Name without the dashes: `list-id`. */
  readonly name: string;
  /** Shorter name for everyday use, such as `list` for `list-id`. Help shows it first. */
  readonly friendly?: string | undefined;
  readonly short?: string | undefined;
  /** Placeholder for the value in help. A flag without one is a switch. */
  readonly value?: string;
  /** Marks a flag that is written `--paused`, `--paused false` or `--no-paused`. */
  readonly bool?: true;
  readonly repeatable?: true;
  /** Purpose of the flag. Help adds the choices, "(required)" and the default. */
  readonly describe: string;
  /** Marks a required flag. Help lists it first. */
  readonly required?: boolean | undefined;
  /** Default, as a person writes it: `5s`, `adaptive`. */
  readonly default?: string | undefined;
  readonly group: FlagGroup;
  /** Values that completion offers. A choice flag accepts no other values. */
  readonly choices?: readonly string[] | undefined;
  /** Kind of value that completion looks up, such as `task`, `profile` or `company`. */
  readonly completes?: string;
  /** Marks a flag whose value names what the command writes. svc checks the path before the first request. */
  readonly writes?: WrittenPath;
}

/** Kind of path that a flag names: `output` is a file, a device or a pipe; `file` is a file that svc reads again later; `folder` is a folder. */
export type WrittenPath = 'output' | 'file' | 'folder';

/** Value of a flag as typed, before parsing: the last text of a repeated flag, or all texts if the flag is repeatable. */
export type RawFlagValue = string | boolean | readonly string[];

export interface Flag<T> extends FlagShape {
  /** Reads the given value, or the default if the flag is not given. */
  readonly read: (given: RawFlagValue | undefined) => Parsed<T>;
}

interface Described {
  readonly describe: string;
  /** Group of flags in which help lists the flag. Defaults to `Options`. */
  readonly group?: FlagGroup;
  readonly friendly?: string;
  readonly short?: string;
}

/** Options of a flag. `D` is the type of the declared default. */
interface Options<D> extends Described {
  readonly default?: D | undefined;
  readonly required?: boolean;
  /** Text that help shows as the default, such as `adaptive`. Set only if the default is not a value that the user can give. */
  readonly defaultText?: string;
  /** Placeholder for the value in help. Defaults to the placeholder of the flag's kind. */
  readonly value?: string;
}

type Always<D> = { readonly default: D } | { readonly required: true };

/** Declares a switch: a flag without a value, which is true if it is given. The flag's name may begin with `no-`. */
export function switchFlag(name: string, options: Described): Flag<boolean> {
  return { ...shapeOf(name, options), read: (given) => ({ value: given === true }) };
}

type TextFlagOptions = Options<string> & { readonly choices?: readonly string[] };

/** Declares a flag that takes any text unchanged. Shell completion offers the texts in `options.choices`. */
export function textFlag(name: string, options: TextFlagOptions & Always<string>): Flag<string>;
export function textFlag(name: string, options: TextFlagOptions): Flag<string | undefined>;
export function textFlag(name: string, options: TextFlagOptions): Flag<string | undefined> {
  const { choices } = options;
  return {
    ...valued(name, 'text', options, (text) => ({ value: text })),
    choices,
  };
}

/** Declares a flag that the user may repeat. Its value is a list of all texts. Shell completion offers the texts in `choices`. */
export function repeatableTextFlag(
  name: string,
  options: Described & { readonly value: string; readonly choices?: readonly string[] },
): Flag<readonly string[]> {
  const { value, choices } = options;
  return {
    ...shapeOf(name, options),
    value,
    repeatable: true,
    choices,
    read: (given = []) => ({ value: typeof given === 'object' ? given : [String(given)] }),
  };
}

/** Declares a flag of one kind. Its value is never undefined if the flag has a default or is required. */
interface FlagFactory<T, D, O extends Options<D>> {
  (name: string, options: O & Always<D>): Flag<T>;
  (name: string, options: O): Flag<T | undefined>;
}

function flagFactory<T, D extends string | number, O extends Options<D> = Options<D>>(
  placeholder: string,
  parse: (text: string, options: O) => Parsed<T>,
): FlagFactory<T, D, O> {
  const declare = (name: string, options: O): Flag<T | undefined> =>
    valued(name, placeholder, options, (text) => parse(text, options));
  return declare as FlagFactory<T, D, O>;
}

const { count, duration, percent, choice } = PARAMETER_KINDS;

type CountOptions = Options<number> & { readonly min?: number; readonly max?: number };

/** Declares a flag that takes a whole number from `min` (default 0) to `max`. */
export const wholeNumberFlag = flagFactory<number, number, CountOptions>(count.placeholder, count.parse);

type DurationOptions = Options<string> & {
  readonly unit: 'seconds' | 'milliseconds';
  /** Shortest duration, as a person writes it: `2m`. If omitted, the duration must be above zero. */
  readonly min?: string;
  readonly max?: string;
};

/** Declares a flag that takes a duration, in the unit of `options.unit`. The default and the bounds are texts such as `5s`. */
export const durationFlag = flagFactory<number, string, DurationOptions>(
  duration.placeholder,
  duration.parse,
);

/** Declares a flag that takes a percentage. Its value is a share from 0 to 1: 0.05 for `5%`. The default is a percentage. */
export const percentFlag = flagFactory<number, string>(percent.placeholder, percent.parse);

/** Declares a flag that takes the path of a file: any text except an empty one. For some verbs, `-` is standard input. */
export const fileFlag = flagFactory<string, string>('file', pathIn);

/** Declares a flag that names a file which the command writes. */
export const writtenFileFlag = (
  name: string,
  options: Options<string> & { readonly writes: 'output' | 'file' },
): Flag<string | undefined> => ({ ...fileFlag(name, options), writes: options.writes });

export const folderFlag = flagFactory<string, string>('dir', pathIn);

/** Declares a flag that takes a time zone name of the TZ database. */
export const zoneFlag = flagFactory<string, string>('zone', (text) =>
  isTimezone(text) ? { value: text } : unknownNameFault('time zone', text, 'write Europe/London'),
);

type ChoiceOptions<C> = Options<C> & {
  /** Noun for the value in error messages, such as `output format`. Defaults to the placeholder. */
  readonly what?: string;
  /** Maps common wrong spellings to the choice that the error suggests. */
  readonly near?: Readonly<Record<string, C>>;
};

/** Declares a flag that takes one of the words in `choices`. The help shows all of these words. */
export function choiceFlag<const C extends string>(
  name: string,
  choices: readonly C[],
  options: ChoiceOptions<C> & Always<C>,
): Flag<C>;
export function choiceFlag<const C extends string>(
  name: string,
  choices: readonly C[],
  options: ChoiceOptions<C>,
): Flag<C | undefined>;
export function choiceFlag<const C extends string>(
  name: string,
  choices: readonly C[],
  options: ChoiceOptions<C>,
): Flag<C | undefined> {
  const { value: word = name, what = word, near } = options;
  return {
    ...valued(
      name,
      word,
      options,
      // The kind accepts only the listed words.
      (text) => choice.parse(text, { choices, what, near, listed: `${word}s` }) as Parsed<C>,
      choices.join(', '),
    ),
    choices,
  };
}

export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string; readonly required: true },
  parse: (text: string) => Parsed<T>,
): Flag<T>;
export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string; readonly defaultText?: string },
  parse: (text: string) => Parsed<T>,
): Flag<T | undefined>;
export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string },
  parse: (text: string) => Parsed<T>,
): Flag<T | undefined> {
  return valued(name, options.value, options, parse);
}

/** Declares a flag that sets an attribute. Its value is the typed text, or a boolean. `request/values.ts` converts it. */
export function unparsedAttributeFlag(shape: FlagShape): Flag<string | boolean | undefined> {
  return { ...shape, read: (given) => ({ value: typeof given === 'object' ? given.at(-1) : given }) };
}

function pathIn(text: string): Parsed<string> {
  if (text.trim() !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a path' } };
}

/** Parses the default like a given value, so that a default cannot be out of bounds. */
function valued<T, D extends string | number>(
  name: string,
  placeholder: string,
  options: Options<D>,
  parse: (text: string) => Parsed<T>,
  values = `<${options.value ?? placeholder}>`,
): Flag<T | undefined> {
  const { default: fallback, required, value = placeholder } = options;
  const absent: Parsed<T | undefined> = required
    ? { fault: { reason: 'is required', instead: `give --${name} ${values}` } }
    : fallback === undefined
      ? { value: undefined }
      : parse(String(fallback));
  if ('fault' in absent && !required)
    throw new RangeError(`invalid default of --${name}: ${String(fallback)} ${absent.fault.reason}`);
  return {
    ...shapeOf(name, options),
    value,
    read: (given) =>
      given === undefined ? absent : parse(typeof given === 'object' ? given.join() : String(given)),
  };
}

function shapeOf(name: string, options: Described & Partial<Options<string | number>>): FlagShape {
  const { describe, group = 'Options', friendly, short, required, default: value, defaultText } = options;
  const fallback = defaultText ?? value;
  return {
    name,
    friendly,
    short,
    describe,
    required,
    default: fallback === undefined ? undefined : String(fallback),
    group,
  };
}

/** Returns the description of a flag, with its choices unless they are `listed` elsewhere. Never lists names of attributes. */
export function describeFlag(flag: FlagShape, { listed = false } = {}): string {
  const { describe, required, default: fallback, value, choices = [] } = flag;
  const values = listed || choices.length === 0 || value === 'attribute' ? '' : `: ${choices.join(', ')}`;
  const more = required ? ' (required)' : fallback === undefined ? '' : ` (default: ${fallback})`;
  return `${describe}${values}${more}`;
}
