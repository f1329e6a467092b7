import { flagsOf } from '../companies-flags.ts';
import type { FlagShape } from '../flag.ts';
import { globalFlags } from '../globals.ts';
import { type Argument, argumentKind } from './arguments.ts';
import type { Command } from './commands.ts';
import { flagNamed, isCalled } from './flags.ts';
import { isFiller, isKnown, namesCommand } from './points.ts';

export interface Line {
  readonly words: readonly string[];
  /** At the end of the line; they may be names of records. */
  readonly unknown: readonly string[];
  readonly args: readonly Argument[];
  readonly flags: readonly { readonly name: string; readonly value?: string | undefined }[];
}

/** A flag takes the next word if any command has such a flag with a value. */
export function readLine(argv: readonly string[], commands: readonly Command[]): Line {
  let all: readonly FlagShape[] | undefined;
  const takesValue = (name: string): boolean => {
    all ??= [...globalFlags, ...commands.flatMap(({ declared }) => flagsOf(declared))];
    const known = all.filter((flag) => isCalled(flag, name));
    return known.length === 0
      ? flagNamed(all, name)?.value !== undefined
      : known.some(({ value }) => value !== undefined);
  };
  const operands: string[] = [];
  const flags: { name: string; value?: string | undefined }[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const typed = argv[at] ?? '';
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(typed) ?? [];
    const next = argv[at + 1];
    if (name === undefined) operands.push(...(typed.startsWith('-') ? [] : [typed]));
    else if (value !== undefined || next === undefined || next.startsWith('-') || !takesValue(name))
      flags.push({ name, value });
    else {
      flags.push({ name, value: next });
      at += 1;
    }
  }
  const words: string[] = [];
  const args: Argument[] = [];
  // A question in quotes is one operand.
  const texts = operands.length === 1 ? (operands[0] ?? '').split(/\s+/) : operands;
  // kubectl writes `task/9`.
  for (const text of texts.flatMap((each) => (/^[a-z-]+\/[0-9]+$/.test(each) ? each.split('/') : [each]))) {
    const isName = words.length > 0 && /^[A-Z][a-z]/.test(text);
    // `email.list` looks like a domain.
    const isPair = commands.some(({ noun, verb }) => verb !== '' && text === `${noun}.${verb}`);
    const found = isPair || (argumentKind(text) === undefined && !isName) ? wordsIn(text, commands) : [];
    if (found.length > 0) words.push(...found);
    else args.push({ kind: argumentKind(text) ?? 'name', text });
  }
  const joined = joinPairs(words, commands);
  const last = joined.findLastIndex((word) => isFiller(word) || namesCommand(word, commands));
  return { words: joined, unknown: joined.slice(last + 1), args, flags };
}

/** Returns none for the name of a record. */
function wordsIn(text: string, commands: readonly Command[]): readonly string[] {
  const word = text
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/(?<![?!.,;])[?!.,;]+$/, '');
  if (word === '') return text === '?' ? ['?'] : [];
  if (isKnown(word, commands)) return [word];
  const parts = word
    .replace(/^api:(?:core:)?/, '')
    .split(/[-:/.]+/)
    .filter(Boolean);
  if (parts.length > 1 && parts.some((part) => isKnown(part, commands))) return parts;
  return /[A-Z\s]/.test(text) ? [] : [word];
}

function joinPairs(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const all: string[] = [];
  for (const word of words) {
    const pair = `${all.at(-1) ?? ''}-${word}`;
    if (all.length > 0 && isKnown(pair, commands)) all.splice(-1, 1, pair);
    else all.push(word);
  }
  return all;
}
