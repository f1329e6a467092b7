import { similarWords } from '../../../kit/text/words.ts';
import { NOUN_ALIASES } from '../other-words.ts';
import type { Command } from './commands.ts';
import { COMMAND_SYNONYMS, FILLERS, NOUN_SYNONYMS, RECIPES, VERB_SYNONYMS } from './vocabulary.ts';

export const weight = keptByWord((word, commands): number => {
  const points = commands.map((command) => nounPoints(word, command, []));
  if (points.some((each) => each >= 3)) return 2.5;
  if (commands.some((command) => verbPoints(word, command) > 0)) return 0.8;
  return points.some((each) => each > 0) ? 1.6 : 0.8;
});

/** Keeps the result for each word, because the guess of every command asks for it. */
function keptByWord<T>(
  compute: (word: string, commands: readonly Command[]) => T,
): (word: string, commands: readonly Command[]) => T {
  const kept = new WeakMap<readonly Command[], Map<string, T>>();
  return (word, commands) => {
    const byWord = kept.get(commands) ?? new Map<string, T>();
    kept.set(commands, byWord);
    const found = byWord.get(word);
    if (found !== undefined) return found;
    const result = compute(word, commands);
    byWord.set(word, result);
    return result;
  };
}

export function nounPoints(word: string, { noun, verb }: Command, words: readonly string[]): number {
  const last = noun.split(' ').at(-1) ?? '';
  const isInSandbox = noun.startsWith('sandbox ');
  const own = forms(word);
  if (own.includes(last)) return isInSandbox && !words.includes('sandbox') ? 2.5 : verb === '' ? 4 : 3;
  const names = synonyms(NOUN_SYNONYMS, noun);
  const isAlias = own.some((form) => NOUN_ALIASES[form] === noun);
  return isAlias ? 3 : rowPoints(names, word, 2);
}

export function verbPoints(word: string, { verb, aliases, isDefault }: Command): number {
  if (verb === '') return 0;
  if (word === verb) return 3;
  if (aliases.includes(word)) return 2.9;
  const points = rowPoints(synonyms(VERB_SYNONYMS, verb), word, 2);
  return points === 0 && isDefault && SHOWING.includes(word) ? 1.5 : points;
}

/** Words that mean the usual command of a noun, whatever its verb is. */
const SHOWING: readonly string[] = ['list', 'ls', 'get', 'show', 'view'];

export const commandPoints = (word: string, { path }: Command): number =>
  rowPoints(synonyms(COMMAND_SYNONYMS, path), word, 4);

function rowPoints(row: readonly string[], word: string, most: number): number {
  if (row.length === 0) return 0;
  const at = forms(word)
    .map((form) => row.indexOf(form))
    .find((each) => each >= 0);
  return at === undefined ? 0 : most - at / 50;
}

const synonyms = (table: Readonly<Record<string, readonly string[]>>, key: string): readonly string[] =>
  (Object.hasOwn(table, key) ? table[key] : undefined) ?? [];

export function forms(word: string): readonly string[] {
  if (!word.endsWith('s')) return [word];
  const own = [word, ...(word.length > 3 ? [word.slice(0, -1)] : [])];
  if (word.endsWith('ies')) own.push(`${word.slice(0, -3)}y`);
  if (/(?:s|x|ch|sh)es$/.test(word)) own.push(word.slice(0, -2));
  return own;
}

const RECIPE_WORDS: ReadonlySet<string> = new Set(
  RECIPES.flatMap(({ words }) => words.flatMap((group) => group.split(' '))),
);

export const isFiller = (word: string): boolean => FILLER_WORDS.has(word);
const FILLER_WORDS: ReadonlySet<string> = new Set([...FILLERS, 'sandbox']);

export const isKnown = (word: string, commands: readonly Command[]): boolean =>
  isFiller(word) || forms(word).some((form) => RECIPE_WORDS.has(form)) || namesCommand(word, commands);

/** Reports whether the word names a noun, a verb or a command. */
export const namesCommand = keptByWord((word, commands): boolean =>
  commands.some(
    (command) => nounPoints(word, command, []) + verbPoints(word, command) + commandPoints(word, command) > 0,
  ),
);

/** A correction begins with the same letter: `resend` is not `send`. Synonyms do not count, because they would be a guess of a guess. */
export function correctSpelling(word: string, commands: readonly Command[]): string {
  if (isKnown(word, commands) || word.length < 3) return word;
  const names = commands.flatMap(({ noun, verb }) => [noun.split(' ').at(-1) ?? '', verb]);
  const sorted = (text: string): string => [...text].sort().join('');
  return (
    similarWords(word, names.filter(Boolean)).find(
      (name) =>
        name[0] === word[0] &&
        !(name.startsWith(word) && name.length > word.length + 1) &&
        Math.abs(name.length - word.length) <= 2 &&
        (word.length > 3 || sorted(name) === sorted(word) || isPartOf(word, name)),
    ) ?? word
  );
}

function isPartOf(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
