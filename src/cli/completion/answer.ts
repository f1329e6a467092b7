/** Answers a shell at TAB: `svc __complete SHELL LINE` prints the result. */

import { type Candidate, linesFor } from './candidates.ts';
import { cursorAt, type TreeOf } from './cursor.ts';
import { SHELLS, typedText, wordsOf } from './line.ts';
import { type CompletionOutside, lookUp } from './live/look-up.ts';

export interface Answer {
  /** Kind of answer, then the candidates, as the shell's script reads them. */
  readonly lines: readonly string[];
  /** Lists to refresh in the background, which no other process is refreshing. */
  readonly toList: readonly string[];
  /** Words before the cursor, which decide whose lists they are. */
  readonly words: readonly string[];
  /** Set if nothing is cached, so that a short wait is worthwhile. */
  readonly isCold: boolean;
}

/** Returns the answer. @param args the shell, the line up to the cursor, and arguments that only one shell sends */
export function answerOf(
  [name, line = '', ...more]: readonly string[],
  treeOf: TreeOf,
  outside: CompletionOutside,
): Answer {
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined) return { lines: [], toList: [], words: [], isCold: false };
  const words = wordsOf(line, shell);
  const { offered, listed, flagPart } = cursorAt(words, treeOf);
  const value = (words.at(-1) ?? '').slice(flagPart.length);
  const before = words.slice(0, -1);
  const { live, values = [] } = offered;
  const found =
    live === undefined
      ? { items: [], toList: [], isCold: false }
      : lookUp({ source: live, word: typedText(value, shell).text, words: before }, outside);
  const candidates: readonly Candidate[] = [
    ...listed,
    ...values.map((word) => ({ word, about: '' })),
    ...found.items.map(({ id, name }) => ({ word: id, about: name, isLive: true as const })),
  ];
  return {
    lines: linesFor(candidates, offered.isFile === true, { shell, flagPart, value, more }),
    toList: found.toList,
    words: before,
    isCold: found.isCold,
  };
}
