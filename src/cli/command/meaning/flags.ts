/** Finds the flag that a flag of another tool, or an operand without a flag, means. */
import type { FlagShape } from '../flag.ts';
import { argumentKind } from './arguments.ts';
import { FLAG_ADVICE, FLAG_SYNONYMS } from './vocabulary.ts';

/** @param flags flags of the command, in the order of preference */
export const flagNamed = (flags: readonly FlagShape[], name: string): FlagShape | undefined =>
  flags
    .map((flag) => ({ flag, at: rankOf(flag, name.toLowerCase()) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]?.flag;

function rankOf({ name, friendly }: FlagShape, typed: string): number {
  for (const own of [friendly, name])
    if (own !== undefined && Object.hasOwn(FLAG_SYNONYMS, own)) {
      const at = FLAG_SYNONYMS[own]?.indexOf(typed) ?? -1;
      if (at >= 0) return at;
    }
  return -1;
}

export function flagForOperand(flags: readonly FlagShape[], operand: string): FlagShape | undefined {
  const ofChoice = flags.find(
    ({ choices, group }) => group !== 'Global flags' && choices?.includes(operand.toLowerCase()),
  );
  if (ofChoice !== undefined) return ofChoice;
  const kind = argumentKind(operand) ?? 'name';
  const called = (...names: readonly string[]) =>
    names.flatMap((name) => flags.find((flag) => flag.name === name || flag.friendly === name) ?? [])[0];
  return called(...(FLAGS_BY_KIND[kind] ?? []));
}

const FLAGS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  phone: ['to', 'destination'],
  address: ['email', 'subscriber'],
  html: ['html-file'],
  table: ['file'],
  id: [],
  name: ['name', 'text'],
};

export const adviceForFlag = (name: string): string | undefined =>
  Object.entries(FLAG_ADVICE)
    .find(([names]) => names.split(' ').includes(name.toLowerCase()))?.[1]
    ?.replace('{flag}', name);

/** Flags that take away a question or a check. A typing error or a guess must not lead to them. */
export const NEVER_GUESSED = /^(?:yes|force|now|both|prune|overwrite|write|all|no-.*|allow-.*)$/;

export const isCalled = ({ name, friendly, short }: FlagShape, typed: string): boolean =>
  typed.length === 1 ? typed === short : typed === name || typed === friendly;
