/** Help, checks and shell completion are derived from the declaration, and `input.get(flag)` returns the declared type. */
import { PARAMETER_KINDS, type Parsed, unknownNameFault } from '../../kit/schema/parameter.ts';
import { isTimezone } from '../../kit/text/timezone.ts';

export const companyPositional = {
  name: 'id',
  describe: 'Id of the company (the same as --company)',
  optional: true,
  isCompany: true,
  completes: 'company',
} as const;

export type FlagGroup = 'Attributes' | 'Filters' | 'Options' | 'Global flags';

export interface FlagShape {
  /** Without the dashes: `list-id`. */
  readonly name: string;
  readonly friendly?: string | undefined;
  readonly short?: string | undefined;
  /** A flag without one is a switch. */
  readonly value?: string;
  readonly bool?: true;
  readonly repeatable?: true;
  /** Help adds the choices, "(required)" and the default. */
  readonly describe: string;
  readonly required?: boolean | undefined;
  /** Default, as a person writes it: `5s`, `adaptive`. */
  readonly default?: string | undefined;
  readonly group: FlagGroup;
  /** A choice flag accepts no other values. */
  readonly choices?: readonly string[] | undefined;
  readonly completes?: string;
  /** Marks a flag whose value names what the command writes. svc checks the path before the first request. */
  readonly writes?: WrittenPath;
}

/** Kind of path that a flag names: `output` is a file, a device or a pipe; `file` is a file that svc reads again later; `folder` is a folder. */
export type WrittenPath = 'output' | 'file' | 'folder';

/** Value as typed: the last text of a repeated flag, or all texts if the flag is repeatable. */
export type RawFlagValue = string | boolean | readonly string[];

export interface Flag<T> extends FlagShape {
  readonly read: (given: RawFlagValue | undefined) => Parsed<T>;
}

interface Described {
  readonly describe: string;
  readonly group?: FlagGroup;
  readonly friendly?: string;
  readonly short?: string;
}

interface Options<D> extends Described {
  readonly default?: D | undefined;
  readonly required?: boolean;
  /** Set only if the default is not a value that the user can give. */
  readonly defaultText?: string;
  readonly value?: string;
}

type Always<D> = { readonly default: D } | { readonly required: true };

/** The flag's name may begin with `no-`. */
export function switchFlag(name: string, options: Described): Flag<boolean> {
  return { ...shapeOf(name, options), read: (given) => ({ value: given === true }) };
}

type TextFlagOptions = Options<string> & { readonly choices?: readonly string[] };

export function textFlag(name: string, options: TextFlagOptions & Always<string>): Flag<string>;
export function textFlag(name: string, options: TextFlagOptions): Flag<string | undefined>;
export function textFlag(name: string, options: TextFlagOptions): Flag<string | undefined> {
  const { choices } = options;
  return { ...valued(name, 'text', options, (text) => ({ value: text })), choices };
}

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

/** The value is never undefined if the flag has a default or is required. */
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

/** From `min` (default 0) to `max`. */
export const wholeNumberFlag = flagFactory<number, number, CountOptions>(count.placeholder, count.parse);

type DurationOptions = Options<string> & {
  readonly unit: 'seconds' | 'milliseconds';
  /** If omitted, the duration must be above zero. */
  readonly min?: string;
  readonly max?: string;
};

/** The default and the bounds are texts such as `5s`. */
export const durationFlag = flagFactory<number, string, DurationOptions>(
  duration.placeholder,
  duration.parse,
);

/** The value is a share from 0 to 1: 0.05 for `5%`. */
export const percentFlag = flagFactory<number, string>(percent.placeholder, percent.parse);

/** For some verbs, `-` is standard input. */
export const fileFlag = flagFactory<string, string>('file', pathIn);

export const writtenFileFlag = (
  name: string,
  options: Options<string> & { readonly writes: 'output' | 'file' },
): Flag<string | undefined> => ({ ...fileFlag(name, options), writes: options.writes });

export const createReplaceFileFlag = (fileFlagName: string): Flag<boolean> =>
  switchFlag('force', { describe: `Replace the file of --${fileFlagName} if it exists` });

export const folderFlag = flagFactory<string, string>('dir', pathIn);

export const zoneFlag = flagFactory<string, string>('zone', (text) =>
  isTimezone(text) ? { value: text } : unknownNameFault('time zone', text, 'write Europe/London'),
);

type ChoiceOptions<C> = Options<C> & {
  readonly what?: string;
  readonly near?: Readonly<Record<string, C>>;
};

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

/** The value is the typed text, or a boolean. `request/values.ts` converts it. */
export function unparsedAttributeFlag(shape: FlagShape): Flag<string | boolean | undefined> {
  return { ...shape, read: (given) => ({ value: typeof given === 'object' ? given.at(-1) : given }) };
}

function pathIn(text: string): Parsed<string> {
  if (text.trim() !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a path' } };
}

/** Parses the default like a given value, so that it cannot be out of bounds. */
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

/** Never lists names of attributes. */
export function describeFlag(flag: FlagShape, { listed = false } = {}): string {
  const { describe, required, default: fallback, value, choices = [] } = flag;
  const values = listed || choices.length === 0 || value === 'attribute' ? '' : `: ${choices.join(', ')}`;
  const more = required ? ' (required)' : fallback === undefined ? '' : ` (default: ${fallback})`;
  return `${describe}${values}${more}`;
}
