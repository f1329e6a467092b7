/**
 * Declares flags as typed constants. Each flag is declared once, with its kind, default and bounds, and whether it is required. Help,
 * checks and completion follow from the declaration, and `input.get(flag)` has the declared type.
 */
import { parseDuration } from '../../text/duration.ts';
import { isTimezone } from '../../text/timezone.ts';

export type FlagGroup = 'Attributes' | 'Filters' | 'Options' | 'Global flags';

/** Properties of a flag that the parser, the help and the completions read. */
export interface FlagShape {
  /** Name without the dashes: `list-id`. */
  readonly name: string;
  /** Friendlier name, which the help shows first. */
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
}

/** Value of a flag on the command line. For a flag that was given several times, this is the last text. A repeatable flag has all texts. */
export type Given = string | boolean | readonly string[];

/** Reason that a text is not a valid value of its flag. */
export interface Fault {
  /** Predicate that follows the flag's name or the given value in the error: `is not a length of time`. */
  readonly reason: string;
  /** Advice: `write 30s or 2m`. */
  readonly instead?: string;
  /** Complete sentence for the error. If set, the error shows this sentence instead of the given value and `reason`. */
  readonly sentence?: string;
}

export type Parsed<T> = { readonly value: T } | { readonly fault: Fault };

export interface Flag<T> extends FlagShape {
  /** Reads the given value, or the default if the flag is not given. */
  readonly read: (given: Given | undefined) => Parsed<T>;
}

interface Described {
  readonly describe: string;
  /** Group in help. Defaults to `Options`. */
  readonly group?: FlagGroup;
  readonly friendly?: string;
  readonly short?: string;
}

/** Options of a flag. `D` is the type of the declared default. */
interface Options<D> extends Described {
  readonly default?: D | undefined;
  readonly required?: boolean;
  /** Word that help shows as the default if the default is not a value of the flag, such as `adaptive`. */
  readonly otherwise?: string;
  /** Placeholder for the value in help. Defaults to the placeholder of the flag's kind. */
  readonly value?: string;
}

/** Options of a flag that always has a value, because the flag has a default or is required. */
type Always<D> = { readonly default: D } | { readonly required: true };

/** Declares a switch: a flag without a value, which is true if it is given. The flag's name may begin with `no-`. */
export function switchFlag(name: string, options: Described): Flag<boolean> {
  return { ...shapeOf(name, options), read: (given) => ({ value: given === true }) };
}

type TextOptions = Options<string> & { readonly choices?: readonly string[] };

/** Declares a flag that takes any text unchanged. `choices` are for completions only. */
export function textFlag(name: string, options: TextOptions & Always<string>): Flag<string>;
export function textFlag(name: string, options: TextOptions): Flag<string | undefined>;
export function textFlag(name: string, options: TextOptions): Flag<string | undefined> {
  const { choices } = options;
  return {
    ...valued(name, 'text', options, (text) => ({ value: text })),
    choices,
  };
}

/** Declares a flag that may be repeated and returns all of its texts. `choices` are for completions only. */
export function textsFlag(
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

type CountOptions = Options<number> & { readonly min?: number; readonly max?: number };

/** Declares a flag that takes a whole number from `min` (default 0) to `max`. */
export function countFlag(name: string, options: CountOptions & Always<number>): Flag<number>;
export function countFlag(name: string, options: CountOptions): Flag<number | undefined>;
export function countFlag(name: string, options: CountOptions): Flag<number | undefined> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  const limits =
    options.max !== undefined
      ? `is not a number from ${min} to ${max}`
      : min > 0
        ? `is not a number of at least ${min}`
        : 'is not a whole number';
  return valued(name, 'n', options, (text) => {
    const count = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return count >= min && count <= max ? { value: count } : { fault: { reason: limits } };
  });
}

type DurationOptions = Options<string> & {
  readonly unit: 'seconds' | 'milliseconds';
  /** Shortest duration, as a person writes it: `2m`. If omitted, the duration must be above zero. */
  readonly min?: string;
  readonly max?: string;
};

/** Declares a flag that takes a duration, and returns it in `unit`. Default and bounds are written as a person writes them: `5s`. */
export function durationFlag(name: string, options: DurationOptions & Always<string>): Flag<number>;
export function durationFlag(name: string, options: DurationOptions): Flag<number | undefined>;
export function durationFlag(name: string, options: DurationOptions): Flag<number | undefined> {
  const { min, max, unit } = options;
  const [shortest, longest] = [min, max].map((text) => (text === undefined ? undefined : secondsOf(text)));
  return valued(name, 'duration', options, (text) => {
    const seconds = parseDuration(text);
    if (seconds === undefined || (seconds === 0 && min === undefined))
      return { fault: { reason: 'is not a length of time', instead: 'write a duration such as 30s or 2m' } };
    if (shortest !== undefined && seconds < shortest)
      return { fault: { reason: `is too short: ${min} is the least`, instead: `write ${min} or more` } };
    if (longest !== undefined && seconds > longest)
      return { fault: { reason: `is too long: the maximum is ${max}`, instead: `write ${max} or less` } };
    return { value: unit === 'seconds' ? seconds : seconds * 1000 };
  });
}

/** Declares a flag that takes a percentage and returns a share from 0 to 1: `5%` is 0.05. The default is a percentage too. */
export function percentFlag(name: string, options: Options<string> & Always<string>): Flag<number>;
export function percentFlag(name: string, options: Options<string>): Flag<number | undefined>;
export function percentFlag(name: string, options: Options<string>): Flag<number | undefined> {
  return valued(name, 'percent', options, (text) => {
    const share = Number(/^([0-9]{1,3}(?:\.[0-9]{1,6})?)%$/.exec(text)?.[1]) / 100;
    if (share <= 1) return { value: share };
    return { fault: { reason: 'is not a share from 0% to 100%', instead: 'write 5% or 0.1%' } };
  });
}

type ChoiceOptions<C> = Options<C> & {
  /** Noun for the value in error messages, such as `output format`. Defaults to the placeholder. */
  readonly what?: string;
  /** Maps common wrong spellings to the choice that the error suggests. */
  readonly near?: Readonly<Record<string, C>>;
};

/** Declares a flag that takes one of a few words, which help lists. */
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
  const listed = choices.join(', ');
  return {
    ...valued(
      name,
      word,
      options,
      (text) => {
        const value = choices.find((each) => each === text);
        if (value !== undefined) return { value };
        const meant = near && Object.hasOwn(near, text) ? `did you mean ${near[text]}? ` : '';
        return unknownNameFault(what, text, `${meant}${word}s: ${listed}`);
      },
      listed,
    ),
    choices,
  };
}

/** Declares a flag that takes the path of a file, or `-` if the verb says so. */
export function fileFlag(name: string, options: Options<string> & { readonly required: true }): Flag<string>;
export function fileFlag(name: string, options: Options<string>): Flag<string | undefined>;
export function fileFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'file', options, pathIn);
}

/** Declares a flag that takes the path of a folder. */
export function folderFlag(
  name: string,
  options: Options<string> & { readonly required: true },
): Flag<string>;
export function folderFlag(name: string, options: Options<string>): Flag<string | undefined>;
export function folderFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'dir', options, pathIn);
}

/** Declares a flag that takes a time zone name of the TZ database. */
export function zoneFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'zone', options, (text) =>
    isTimezone(text) ? { value: text } : unknownNameFault('time zone', text, 'write Europe/London'),
  );
}

/** Declares a flag of any other kind, such as an id or a range. Help shows `value` as its placeholder. */
export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string; readonly required: true },
  parse: (text: string) => Parsed<T>,
): Flag<T>;
export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string; readonly otherwise?: string },
  parse: (text: string) => Parsed<T>,
): Flag<T | undefined>;
export function parsedFlag<T>(
  name: string,
  options: Described & { readonly value: string },
  parse: (text: string) => Parsed<T>,
): Flag<T | undefined> {
  return valued(name, options.value, options, parse);
}

/** Declares a flag for an attribute and returns its value as written. The session interprets it later (`request/values.ts`). */
export function writtenFlag(shape: FlagShape): Flag<string | boolean | undefined> {
  return { ...shape, read: (given) => ({ value: typeof given === 'object' ? given.at(-1) : given }) };
}

/**
 * Returns the fault for an unknown name. @param what the kind of name @param text the unknown name @param instead the advice, which lists
 * the known names
 */
export const unknownNameFault = (what: string, text: string, instead: string): { readonly fault: Fault } => ({
  fault: { reason: `is not a known ${what}`, sentence: `unknown ${what} ${text}`, instead },
});

function pathIn(text: string): Parsed<string> {
  if (text.trim() !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a path' } };
}

/** Declares a flag with one value. Parses the default like a given value, so that a default cannot be out of bounds. */
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
    throw new RangeError(`--${name}: its default ${String(fallback)} ${absent.fault.reason}`);
  return {
    ...shapeOf(name, options),
    value,
    read: (given) =>
      given === undefined ? absent : parse(typeof given === 'object' ? given.join() : String(given)),
  };
}

function shapeOf(name: string, options: Described & Partial<Options<string | number>>): FlagShape {
  const { describe, group = 'Options', friendly, short, required, default: value, otherwise } = options;
  const fallback = otherwise ?? value;
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

/** Returns the description of a flag for help, the reference and completions. It adds the choices unless the placeholder lists them. */
export function describeFlag(flag: FlagShape, { listed = false } = {}): string {
  const { describe, required, default: fallback, value, choices = [] } = flag;
  const values = listed || choices.length === 0 || value === 'attribute' ? '' : `: ${choices.join(', ')}`;
  const more = required ? ' (required)' : fallback === undefined ? '' : ` (default: ${fallback})`;
  return `${describe}${values}${more}`;
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new RangeError(`${text} is not a length of time`);
  return seconds;
}
