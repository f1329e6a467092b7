/** Rewrites errors about attributes, so that they name the flags that the user types: `--list` instead of `list_id`. */

import type { Finding } from '../../schema/resource.ts';
import type { ErrorExplanation } from '../errors/errors.ts';
import { formatValidationFinding } from '../output/print-error.ts';
import type { FlagShape } from './flag.ts';
import type { VerbWithArguments } from './safe-to-repeat.ts';

type FindingMembers = { readonly [Name in keyof Finding]?: unknown };

/** Attributes of --data get no flag. */
export function addFlagNamesToFindings(
  explained: ErrorExplanation,
  argv: readonly string[],
  parsed: VerbWithArguments | undefined,
): ErrorExplanation {
  if (parsed === undefined || explained.details.length === 0) return explained;
  const message = explained.details.reduce<string>(
    (text, detail) => withFlagsInMessage(text, detail, withFlag(detail, argv, parsed)),
    explained.message,
  );
  const details = explained.details
    .flatMap((detail) => [detail, ...findingOfOtherAttribute(detail)])
    .map((detail) => withFlag(detail, argv, parsed));
  return { ...explained, message, details };
}

function findingOfOtherAttribute(detail: unknown): readonly object[] {
  const { attribute, reason, value: _, ...rest }: FindingMembers = Object(detail);
  const [, other, ending] = /^and ([a-z_]+)( are both given;.*)$/s.exec(String(reason)) ?? [];
  return other === undefined
    ? []
    : [{ attribute: other, ...rest, reason: `and ${String(attribute)}${ending}` }];
}

function withFlagsInMessage(message: string, finding: unknown, findingWithFlag: unknown): string {
  const { attribute, reason }: FindingMembers = Object(finding);
  if (typeof attribute !== 'string' || typeof reason !== 'string') return message;
  return message.replaceAll(`${attribute} ${reason}`, () => formatValidationFinding(findingWithFlag));
}

const withoutNull = (reason: string): string =>
  reason.replace(' must be non-null', ' must be given').replace(/both null or missing/, 'both missing');

function withFlag(detail: unknown, argv: readonly string[], parsed: VerbWithArguments): unknown {
  if (typeof detail !== 'object' || detail === null || !('attribute' in detail)) return detail;
  const { attribute, instead, value, ...rest }: FindingMembers = detail;
  const { reason } = rest;
  const flag = parsed.verb.flags.find(({ name }) => name === String(attribute).replaceAll('_', '-'));
  const typed = flag === undefined ? undefined : (typedAs(flag, argv) ?? durationFor(flag, parsed));
  const nulls = [parsed.given.flags.get('null') ?? []]
    .flat()
    .map((name) => String(name).replaceAll('-', '_'));
  const isData = parsed.given.flags.has('data') || nulls.includes(String(attribute));
  const operand = typed === undefined ? operandOf(String(attribute), parsed) : undefined;
  const isTakenAsGiven = typed === undefined && isData && operand === undefined;
  const shown = flag === undefined || isTakenAsGiven ? undefined : (typed ?? operand ?? firstSpelling(flag));
  // Two flags that exclude each other: the value belongs to one of them alone, and a flag is left out rather than set to null.
  const areTyped = typed !== undefined && / are both given;/.test(String(reason));
  return {
    attribute,
    ...(shown === undefined ? {} : { flag: shown }),
    ...rest,
    // A value that was not typed is not shown: null represents an omitted attribute.
    ...(value === undefined || areTyped || (value === null && shown !== undefined && typed === undefined)
      ? {}
      : { value }),
    ...(shown !== undefined && typeof reason === 'string'
      ? { reason: withFlags(withoutNull(reason), parsed, argv) }
      : {}),
    ...(typeof instead === 'string'
      ? { instead: areTyped ? 'leave one of them out' : withFlags(instead, parsed, argv) }
      : reason === 'is required' && shown !== undefined && hasFlag(`${shown.slice(2)}-file`, parsed)
        ? { instead: `add ${shown} or ${shown}-file` }
        : {}),
  };
}

const hasFlag = (name: string, { verb }: VerbWithArguments): boolean =>
  verb.flags.some((flag) => flag.name === name);

function operandOf(attribute: string, { verb, given }: VerbWithArguments): string | undefined {
  if (given.positionals.length === 0) return undefined;
  const found = (verb.positionals ?? []).find(({ name, ...each }) => (each.attribute ?? name) === attribute);
  return found && `<${found.name}>`;
}

const typedAs = ({ name, friendly }: FlagShape, argv: readonly string[]): string | undefined =>
  [friendly, name, `no-${name}`, friendly && `no-${friendly}`]
    .filter((each) => each !== undefined)
    .map((each) => `--${each}`)
    .find((each) => argv.some((word) => word === each || word.startsWith(`${each}=`)));

const isDelay = ({ name }: FlagShape): boolean => name.endsWith('actiontimediff');

/** Returns `--after` or `--before`, whichever the user gave, if it can set the attribute. */
const durationFor = (flag: FlagShape, { given }: VerbWithArguments): string | undefined =>
  isDelay(flag)
    ? ['after', 'before'].filter((each) => given.flags.has(each)).map((each) => `--${each}`)[0]
    : undefined;

/** Returns the flag that help names first for an attribute. */
const firstSpelling = (flag: FlagShape): string =>
  isDelay(flag) ? '--after' : `--${flag.friendly ?? flag.name}`;

/** Names of attributes that are also words of a sentence. */
const ENGLISH_NAMES = ['message', 'destination', 'sender'];

/** Replaces attribute names with flags: `give list_id` → `give --list`. A name that may be an English word stays. */
function withFlags(text: string, parsed: VerbWithArguments, argv: readonly string[]): string {
  const named = text.replaceAll(/(?<![\w-]|--null )[a-z]+(?:_[a-z]+)*(?![\w-])/g, (name) => {
    const flag = parsed.verb.flags.find((each) => each.name === name.replaceAll('_', '-'));
    if (flag === undefined) return name;
    const isWord = !name.includes('_') && firstSpelling(flag) === `--${name}`;
    if (isWord || ENGLISH_NAMES.includes(name)) return name;
    return typedAs(flag, argv) ?? durationFor(flag, parsed) ?? firstSpelling(flag);
  });
  return named.replace(/set (--[a-z-]+) to null/, 'leave $1 out');
}
