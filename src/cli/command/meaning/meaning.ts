/**
 * The words of the line and their synonyms (`vocabulary.ts`) name nouns and verbs, in any order and number. Ids, addresses and files say
 * which commands fit, and take their places in the answer.
 */
import type { TopLevelCommandEntry } from '../command.ts';
import { commandsIn } from './commands.ts';
import { bestGuesses } from './guess.ts';
import { readLine } from './line.ts';
import { correctSpelling, isKnown } from './points.ts';
import { commandLine, sentence } from './sentence.ts';

/** @param unknown word that must have a meaning; without it, words of unknown meaning are permitted */
export async function explainMeaning(
  argv: readonly string[],
  entries: readonly TopLevelCommandEntry[],
  unknown?: string,
): Promise<string | undefined> {
  const commands = commandsIn(await Promise.all(entries.map((entry) => entry.load())));
  const typed = readLine(argv, commands);
  const words = typed.words.map((word) => correctSpelling(word, commands));
  if (unknown !== undefined && words.includes(unknown) && !isKnown(unknown, commands)) return undefined;
  const guesses = bestGuesses(typed, commands);
  const spelled = { ...typed, words };
  const corrected = words.some((word, at) => word !== typed.words[at]) ? bestGuesses(spelled, commands) : [];
  const [first, second] = corrected;
  if (first === undefined || first.points < (guesses[0]?.points ?? 0) + 1)
    return sentence(guesses, typed, commands);
  if (first.command === undefined || second !== undefined) return sentence(corrected, spelled, commands);
  return `did you mean ${commandLine(first.command, spelled)}?`;
}
