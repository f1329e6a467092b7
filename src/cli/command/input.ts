/** No other file reads flags. */
import type { ParameterFault } from '../../kit/schema/parameter.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { InvalidInputError, UsageError } from '../errors/errors.ts';
import type { Arguments, Input, Verb } from './command.ts';
import { flagsOf } from './companies-flags.ts';
import type { Flag, FlagShape, RawFlagValue } from './flag.ts';
import { globalFlags } from './globals.ts';

/** @throws UsageError when a flag is invalid or a required one is missing: exit 2, before anything else is done */
export function readInput(verb: Pick<Verb, 'flags' | 'companies'>, commandLine: Arguments): Input {
  const { positionals, flags } = commandLine;
  const declared = new Map([...globalFlags, ...flagsOf(verb)].map((flag) => [flag.name, flag]));
  refuseInvalidFlags([...declared.values()].filter(isTyped), flags);
  const get = <T>(flag: Flag<T>): T => {
    if (!declared.has(flag.name))
      throw new RangeError(`cannot read --${flag.name}: the verb does not declare it`);
    return readFlagValue(flag, flags.get(flag.name));
  };
  return {
    positionals,
    get,
    find: (flag) => (declared.has(flag.name) ? get(flag) : undefined),
    has: ({ name }) => flags.has(name),
    asWritten: (wanted) =>
      wanted.flatMap(({ name, bool }) =>
        [flags.get(name) ?? []]
          .flat()
          // A switch takes no value.
          .flatMap((text) => (text === true && !bool ? [`--${name}`] : [`--${name}`, String(text)])),
      ),
  };
}

/** @throws UsageError when the value is invalid */
export function readFlagValue<T>(flag: Flag<T>, given: RawFlagValue | undefined): T {
  const parsed = flag.read(given);
  if ('value' in parsed) return parsed.value;
  throw invalidFlagsError([{ flag, given, fault: parsed.fault }]);
}

interface InvalidFlag {
  readonly flag: FlagShape;
  readonly given: RawFlagValue | undefined;
  readonly fault: ParameterFault;
}

function refuseInvalidFlags(flags: readonly Flag<unknown>[], given: Arguments['flags']): void {
  const invalid = flags.flatMap((flag): readonly InvalidFlag[] => {
    const parsed = flag.read(given.get(flag.name));
    return 'fault' in parsed ? [{ flag, given: given.get(flag.name), fault: parsed.fault }] : [];
  });
  if (invalid.length > 0) throw invalidFlagsError(invalid);
}

/** One invalid flag becomes a sentence; several become a list of findings, as for a request body. */
function invalidFlagsError(invalid: readonly InvalidFlag[]): UsageError {
  const [only, ...others] = invalid;
  if (only && others.length === 0) {
    const { instead } = only.fault;
    return new UsageError(sentenceOf(only), { suggestions: instead === undefined ? [] : [instead] });
  }
  return new InvalidInputError(invalid.map(findingOf));
}

function sentenceOf({ flag, given, fault }: InvalidFlag): string {
  const isBlank = given === undefined || String(given).trim() === '';
  if (isBlank) return `--${flag.name} ${fault.reason}`;
  return `--${flag.name}: ${fault.sentence ?? `${String(given)} ${fault.reason}`}`;
}

const findingOf = ({ flag, given: value, fault: { reason, instead } }: InvalidFlag): Finding => ({
  ...{ attribute: `--${flag.name}`, reason, value, instead },
});

const isTyped = (flag: FlagShape): flag is Flag<unknown> => 'read' in flag;
