/**
 * Flags as typed constants: a flag is declared once, with its kind, its default, its bounds and whether it has to be given.
 * Help, checking and completion follow from that, and `input.get(flag)` has the type that the declaration says.
 */
import { parseDuration } from '../../text/duration.ts';
import { isTimezone } from '../../text/timezone.ts';

export type FlagGroup = 'Attributes' | 'Filters' | 'Options' | 'Global flags';

/** What the parser, help and completions look at. */
export interface FlagShape {
  /** Without the dashes: `list-id`. */
  readonly name: string;
  /** The word that people would say sooner; help shows it first. */
  readonly friendly?: string | undefined;
  readonly short?: string | undefined;
  /** What stands for the value in help. Without one the flag is a switch. */
  readonly value?: string;
  /** `--paused`, `--paused false`, `--no-paused`. */
  readonly bool?: true;
  readonly repeatable?: true;
  /** What it is for; help adds the choices, "(required)" and the default. */
  readonly describe: string;
  /** It has to be given. Help lists it first. */
  readonly required?: boolean | undefined;
  /** What holds where it isn't given, as a person writes it: `5s`, `adaptive`. */
  readonly default?: string | undefined;
  readonly group: FlagGroup;
  /** The values that there are, for completions; a choice is checked against them too. */
  readonly choices?: readonly string[] | undefined;
  /** What completion looks up for its value: a kind of record (`task`), or `profile`, `company`. */
  readonly completes?: string;
}

/** As the command line gave it: the last text where it was given twice, all of them where it may be repeated. */
export type Given = string | boolean | readonly string[];

/** Why a text is no value of its flag. */
export interface Fault {
  /** Reads on after the flag, or after what was given: `is not a length of time`. */
  readonly reason: string;
  /** What to do instead: `write 30s or 2m`. */
  readonly instead?: string;
  /** In place of "what was given, and the reason". */
  readonly sentence?: string;
}

export type Parsed<T> = { readonly value: T } | { readonly fault: Fault };

export interface Flag<T> extends FlagShape {
  /** What it says, or its default where it is not given. */
  readonly read: (given: Given | undefined) => Parsed<T>;
}

interface Described {
  readonly describe: string;
  /** `Options` where it says nothing. */
  readonly group?: FlagGroup;
  readonly friendly?: string;
  readonly short?: string;
}

/** `D` is what a default is written as. */
interface Options<D> extends Described {
  readonly default?: D | undefined;
  readonly required?: boolean;
  /** What holds where it isn't given and that is no value of the flag: `adaptive`. Help shows it as the default. */
  readonly otherwise?: string;
  /** What stands for the value in help, where the kind has no better word. */
  readonly value?: string;
}

/** There is a value in any case. */
type Always<D> = { readonly default: D } | { readonly required: true };

/** On when it is given. Its name may begin with `no-`. */
export function switchFlag(name: string, options: Described): Flag<boolean> {
  return { ...shapeOf(name, options), read: (given) => ({ value: given === true }) };
}

type TextOptions = Options<string> & { readonly choices?: readonly string[] };

/** Any text, taken as it is. `choices` are for completions only. */
export function textFlag(name: string, options: TextOptions & Always<string>): Flag<string>;
export function textFlag(name: string, options: TextOptions): Flag<string | undefined>;
export function textFlag(name: string, options: TextOptions): Flag<string | undefined> {
  const { choices } = options;
  return {
    ...valued(name, 'text', options, (text) => ({ value: text })),
    choices,
  };
}

/** As many texts as it was given times. `choices` are for completions only. */
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

/** A whole number from `min` (0) to `max`. */
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
  /** As a person writes it: `2m`. Without one it has to be longer than nothing. */
  readonly min?: string;
  readonly max?: string;
};

/** A length of time, in the unit that it names. Default and bounds are written as a person writes them: `5s`. */
export function durationFlag(name: string, options: DurationOptions & Always<string>): Flag<number>;
export function durationFlag(name: string, options: DurationOptions): Flag<number | undefined>;
export function durationFlag(name: string, options: DurationOptions): Flag<number | undefined> {
  const { min, max, unit } = options;
  const [shortest, longest] = [min, max].map((text) => (text === undefined ? undefined : secondsOf(text)));
  return valued(name, 'duration', options, (text) => {
    const seconds = parseDuration(text);
    if (seconds === undefined || (seconds === 0 && min === undefined))
      return { fault: { reason: 'is not a length of time', instead: 'write 30s or 2m' } };
    if (shortest !== undefined && seconds < shortest)
      return { fault: { reason: `is too short: ${min} is the least`, instead: `write ${min} or more` } };
    if (longest !== undefined && seconds > longest)
      return { fault: { reason: `is too long: ${max} is the most`, instead: `write ${max} or less` } };
    return { value: unit === 'seconds' ? seconds : seconds * 1000 };
  });
}

/** A share of a whole, from 0 to 1: `5%` is 0.05. Its default is written so too. */
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
  /** What the choices are, where the placeholder doesn't say it: `output format`. */
  readonly what?: string;
  /** What people write for one of them: an error names it. */
  readonly near?: Readonly<Record<string, C>>;
};

/** One of a few words. Help lists them. */
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
        return noSuch(what, text, `${meant}${word}s: ${listed}`);
      },
      listed,
    ),
    choices,
  };
}

/** A file, by its path or `-` where the verb says so. */
export function fileFlag(name: string, options: Options<string> & { readonly required: true }): Flag<string>;
export function fileFlag(name: string, options: Options<string>): Flag<string | undefined>;
export function fileFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'file', options, pathIn);
}

/** A folder, by its path. */
export function folderFlag(
  name: string,
  options: Options<string> & { readonly required: true },
): Flag<string>;
export function folderFlag(name: string, options: Options<string>): Flag<string | undefined>;
export function folderFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'dir', options, pathIn);
}

/** A name of the TZ database. */
export function zoneFlag(name: string, options: Options<string>): Flag<string | undefined> {
  return valued(name, 'zone', options, (text) =>
    isTimezone(text) ? { value: text } : noSuch('time zone', text, 'write Europe/London'),
  );
}

/** What no other kind reads: an id, a range. `value` stands for it in help. */
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

/** An attribute's value as it was written; what it means is read with the session (`request/values.ts`). */
export function writtenFlag(shape: FlagShape): Flag<string | boolean | undefined> {
  return { ...shape, read: (given) => ({ value: typeof given === 'object' ? given.at(-1) : given }) };
}

/** What is looked up by its name, and isn't there. @param instead what there is */
export const noSuch = (what: string, text: string, instead: string): { readonly fault: Fault } => ({
  fault: { reason: `names no ${what}`, sentence: `there is no ${what} ${text}`, instead },
});

function pathIn(text: string): Parsed<string> {
  if (text.trim() !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a path' } };
}

/** A flag with one value. A default is read as if it had been given, so that it can't be out of bounds. */
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

/** What help, the reference and completions say of a flag, with its choices unless the placeholder lists them. */
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
