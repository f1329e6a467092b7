/** Names attributes in errors as the flags and operands that the user types: `--list` instead of `list_id`. */

import { flagName } from '../../kit/schema/field.ts';
import { isRequired } from '../../kit/schema/reason.ts';
import type { FindingWords } from '../output/print-error.ts';
import type { FlagShape } from './flag.ts';
import type { VerbWithArguments } from './safe-to-repeat.ts';

/** Attributes of --data get no flag. */
export function createFindingWords(
  argv: readonly string[],
  { verb, given }: VerbWithArguments,
): FindingWords {
  const nulls = [given.flags.get('null') ?? []].flat().map((name) => flagName(String(name)));
  const operandOf = (attribute: string): string | undefined => {
    if (given.positionals.length === 0) return undefined;
    const found = (verb.positionals ?? []).find(
      ({ name, ...each }) => (each.attribute ?? name) === attribute,
    );
    return found && `<${found.name}>`;
  };
  const flagOf = (attribute: string): string | undefined => {
    const flag = verb.flags.find(({ name }) => name === flagName(attribute));
    if (flag === undefined) return undefined;
    const isData = given.flags.has('data') || nulls.includes(flag.name);
    const delay = isDelay(flag) ? ['after', 'before'].find((each) => given.flags.has(each)) : undefined;
    return (
      typedAs(flag, argv) ??
      (delay && `--${delay}`) ??
      operandOf(attribute) ??
      (isData ? undefined : firstSpelling(flag))
    );
  };
  return {
    flagOf,
    // The negation of a switch is about its value, which the sentence gives.
    nameOf: (attribute) => flagOf(attribute)?.replace(/^--no-/, '--') ?? attribute,
    unset: (attribute) => {
      const flag = flagOf(attribute);
      return flag && `leave ${flag} out`;
    },
    adviceOn: ({ attribute, reason }) => {
      const flag = isRequired(reason) ? flagOf(attribute) : undefined;
      const isFile = verb.flags.some(({ name }) => `--${name}` === `${flag}-file`);
      return isFile ? `add ${flag} or ${flag}-file` : undefined;
    },
  };
}

const typedAs = ({ name, friendly }: FlagShape, argv: readonly string[]): string | undefined =>
  [friendly, name, `no-${name}`, friendly && `no-${friendly}`]
    .filter((each) => each !== undefined)
    .map((each) => `--${each}`)
    .find((each) => argv.some((word) => word === each || word.startsWith(`${each}=`)));

const isDelay = ({ name }: FlagShape): boolean => name.endsWith('actiontimediff');

/** Returns the flag that help names first for an attribute. */
const firstSpelling = (flag: FlagShape): string =>
  isDelay(flag) ? '--after' : `--${flag.friendly ?? flag.name}`;
