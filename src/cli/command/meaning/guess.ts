import { flagsOf } from '../companies-flags.ts';
import { type Argument, argumentKind } from './arguments.ts';
import { type Command, requiredOf, takes } from './commands.ts';
import { flagForOperand } from './flags.ts';
import type { Line } from './line.ts';
import { commandPoints, forms, isFiller, isKnown, nounPoints, verbPoints, weight } from './points.ts';
import {
  ABSENT,
  COMMANDS_BY_FILE,
  NOUN_SYNONYMS,
  RECIPES,
  REMOVES_OR_SENDS,
  type Recipe,
} from './vocabulary.ts';

export interface Guess {
  readonly points: number;
  readonly command?: Command;
  readonly recipe?: Recipe;
}

/** Fewest points of a guess that svc shows, and the most points by which a second guess may be worse. */
const WORST = 1.1;
const NEAR = 0.3;

export function bestGuesses(line: Line, commands: readonly Command[]): readonly Guess[] {
  const guesses = [
    ...commands.map((command, at) => guessCommand(command, line, commands, at)),
    ...RECIPES.map((recipe) => guessRecipe(recipe, line, commands)),
  ]
    .filter(({ points }) => points >= WORST)
    .sort((a, b) => b.points - a.points);
  const [best] = guesses;
  if (best?.recipe !== undefined) return [best];
  return guesses
    .filter(({ points, recipe }) => recipe === undefined && points > (best?.points ?? 0) - NEAR)
    .slice(0, 2);
}

const NO_GUESS: Guess = { points: 0 };

function guessCommand(command: Command, line: Line, commands: readonly Command[], at: number): Guess {
  const { words, args, flags } = line;
  const nouns = words.map((word) => nounPoints(word, command, words));
  const verbs = words.map((word) => verbPoints(word, command));
  const wholes = words.map((word) => commandPoints(word, command));
  if (![...nouns, ...verbs, ...wholes].some(Boolean)) return NO_GUESS;
  const whole = Math.max(0, ...wholes);
  const ofWhole =
    whole === 0 ? 0 : whole + Math.max(0, ...words.map((_, i) => (wholes[i] ? 0 : (nouns[i] ?? 0) / 3)));
  const [noun, verb] = bestPair(nouns, verbs);
  const isWhole = ofWhole >= noun + verb;
  let points = isWhole ? ofWhole : noun + verb;
  const namesRecord = args.some(isRecordName);
  const shows = isShowing(command.verb);
  const isAbsent = Object.hasOwn(ABSENT, command.noun);
  if (!isWhole && verb === 0) {
    if (!command.isDefault && !(shows && namesRecord)) return NO_GUESS;
    points += command.verb === '' || isAbsent || shows === namesRecord ? 0.6 : 0.1;
  }
  if (shows && !namesRecord && (requiredOf(command).length > 0 || (noun === 0 && !isWhole))) points -= 1.5;
  const others = words.filter((word, i) => !nouns[i] && !verbs[i] && !wholes[i] && !isFiller(word));
  const known = others.filter((word) => isKnown(word, commands));
  const named = { hasNoun: isWhole || noun > 0, hasVerb: words.includes(command.verb) };
  if (REMOVES_OR_SENDS.test(command.path) && !isAskedFor(command, named, args, known)) return NO_GUESS;
  // `products list` is not `task list`.
  if (!isWhole && noun === 0 && others.length > 0) return NO_GUESS;
  for (const word of known) points -= weight(word, commands);
  points -= 0.3 * (others.length - known.length);
  for (const arg of args) points += takes(command, arg) ? 0.4 : -(MISFIT[arg.kind] ?? 0.6);
  const values = flags.flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (values.some((value) => argumentKind(value) === 'phone'))
    points += flagForOperand(flagsOf(command.declared), '447700900123') ? 1.5 : -1.5;
  if (args.length === 0) points -= 0.05 * requiredOf(command).length;
  if (isAbsent && noun > 0) points += 1;
  if (command.path.startsWith('sandbox ')) points += words.includes('sandbox') ? 1 : -0.35;
  return { points: points - rankOfNoun(command) / 100 - at / 10_000, command };
}

/** `load` alone is not `dnc import`, and `undo task 9` is not `undo 9`. */
function isAskedFor(
  command: Command,
  { hasNoun, hasVerb }: { readonly hasNoun: boolean; readonly hasVerb: boolean },
  args: readonly Argument[],
  otherWords: readonly string[],
): boolean {
  if (!hasNoun && (!hasVerb || /^(?:dnc|features) /.test(command.path))) return false;
  const ids = args.filter(({ kind }) => ['id', 'rule', 'address'].includes(kind));
  if (ids.length === 0 || / (?:create|send|proof)$/.test(command.path)) return true;
  const isOther = otherWords.some((word) => Object.hasOwn(NOUN_SYNONYMS, word));
  return !isOther && ids.every((arg) => takes(command, arg));
}

function rankOfNoun({ noun }: Command): number {
  const at = Object.keys(NOUN_SYNONYMS).indexOf(noun);
  return at < 0 ? 50 : at;
}

/** Costs by kind of argument; any other costs 0.6. */
const MISFIT: Readonly<Record<string, number>> = {
  name: 0.2,
  ...Object.fromEntries(Object.keys(COMMANDS_BY_FILE).map((kind) => [kind, 2])),
  path: 2,
  phone: 1.5,
  rule: 1.5,
};

function bestPair(nouns: readonly number[], verbs: readonly number[]): readonly [noun: number, verb: number] {
  let best: readonly [number, number] = [0, 0];
  for (const [i, noun] of [0, ...nouns].entries())
    for (const [j, verb] of [0, ...verbs].entries())
      if ((i !== j || i === 0) && noun + verb > best[0] + best[1]) best = [noun, verb];
  return best;
}

const isShowing = (verb: string): boolean => verb === 'get' || verb === 'show';

const isRecordName = ({ kind }: Argument): boolean => ['id', 'name', 'rule', 'address'].includes(kind);

function guessRecipe(recipe: Recipe, { words, args, flags }: Line, commands: readonly Command[]): Guess {
  const groups = recipe.words.map((each) => each.split(' '));
  // The parts of a pair count, too: `send-message`.
  const formsByWord = new Map(words.map((word) => [word, [word, ...word.split('-')].flatMap(forms)]));
  const isIn = (word: string, group: readonly string[]): boolean =>
    formsByWord.get(word)?.some((form) => group.includes(form)) ?? false;
  const { needs } = recipe;
  const kinds = [...args.map(({ kind }) => kind), ...flags.map(({ value = '' }) => argumentKind(value))];
  const found = words.filter((word) => groups.some((group) => isIn(word, group)));
  const parts = found.flatMap((word) => word.split('-'));
  if (parts.length < groups.length || !groups.every((group) => found.some((word) => isIn(word, group))))
    return NO_GUESS;
  if (needs !== undefined && !kinds.includes(needs)) return NO_GUESS;
  if (recipe.not !== undefined && words.some((word) => isIn(word, recipe.not?.split(' ') ?? [])))
    return NO_GUESS;
  const others = words.filter((word) => !groups.some((group) => isIn(word, group)) && !isFiller(word));
  let points = 4.2 * Math.max(1, groups.length) + (needs === undefined ? 0 : 2.5);
  for (const word of others) points -= isKnown(word, commands) ? weight(word, commands) : 0.3;
  const perArgument = groups.length > 1 ? 0.5 : 2;
  if (needs === undefined) points -= perArgument * args.filter(({ kind }) => kind !== 'name').length;
  return { points, recipe };
}
