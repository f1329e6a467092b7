/** Computes the completion at TAB. A shell's script runs `svc __complete SHELL LINE`, which prints the result. */

import { tokenize } from '../command/tokens.ts';
import { type Candidate, candidateLines } from './candidates.ts';
import { SHELLS, splitLine, typedText } from './line.ts';
import { type CompletionOutside, lookUp } from './live/look-up.ts';
import type { Candidates, CursorPlace, FlagWords, Tree } from './tree-types.ts';

export interface CompletionAnswer {
  /** Kind of answer, then the candidates, as the shell's script reads them. */
  readonly lines: readonly string[];
  /** Names of the cached lists that the caller should refresh in the background. No other process is refreshing them. */
  readonly toList: readonly string[];
  /** Words before the cursor. They select the profile and company whose lists are refreshed. */
  readonly words: readonly string[];
  /** True if no list is cached yet, so that the caller may wait briefly for a refresh. */
  readonly isCold: boolean;
}

/**
 * Returns the completion of a line. The first argument has the shell's name, the line up to the cursor, and values that only some shells
 * send.
 */
export function completionAnswer(
  [name, line = '', ...more]: readonly string[],
  treeOf: TreeOf,
  outside: CompletionOutside,
): CompletionAnswer {
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined) return { lines: [], toList: [], words: [], isCold: false };
  const words = splitLine(line, shell);
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
    lines: candidateLines(candidates, offered.isFile === true, { shell, flagPart, value, more }),
    toList: found.toList,
    words: before,
    isCold: found.isCold,
  };
}

/** Returns the completion tree of the command with this name. An empty name gives the first level of the command line. */
export type TreeOf = (command: string) => Tree | undefined;

interface Cursor {
  readonly offered: Candidates;
  /** Words with descriptions: commands, or flags. */
  readonly listed: readonly { readonly word: string; readonly about: string }[];
  /** Flag with its equals sign at the start of the word: `--company=`. Empty if the word has no flag. */
  readonly flagPart: string;
}

/** Returns the candidates for the word at the cursor. @param words the words as they were typed; the last word is at the cursor */
function cursorAt(words: readonly string[], treeOf: TreeOf): Cursor {
  const root = treeOf('') ?? { globals: [], places: {} };
  const { place, count, flag } = follow(words.slice(0, -1), root, treeOf);
  const word = words.at(-1) ?? '';
  const flags = [...place.flags, ...root.globals];
  if (flag !== undefined) return { offered: flag, listed: [], flagPart: '' };
  const [flagPart = ''] = /^--[^=]+=/.exec(word) ?? [];
  if (flagPart !== '') {
    const named = valued(flags, flagPart.slice(0, -1));
    return { offered: named ?? {}, listed: [], flagPart };
  }
  if (word.startsWith('-')) {
    const listed = flags.flatMap(({ spellings, summary }) =>
      spellings.map((spelling) => ({ word: spelling, about: summary })),
    );
    return { offered: {}, listed, flagPart };
  }
  const commands = count === 0 ? place.commands : [];
  const listed = commands.map(({ name, summary }) => ({ word: name, about: summary }));
  const { operands, isOpen } = place;
  return { offered: operands[count] ?? (isOpen && operands.at(-1)) ?? {}, listed, flagPart };
}

/**
 * Finds the place in the tree that the words lead to. `count` is the number of operands after it, and `flag` is a last flag without its
 * value.
 */
function follow(
  words: readonly string[],
  root: Tree,
  treeOf: TreeOf,
): { readonly place: CursorPlace; readonly count: number; readonly flag: FlagWords | undefined } {
  let path = '';
  let place = root.places[''] ?? NO_PLACE;
  let count = 0;
  let flag: FlagWords | undefined;
  const flagOf = (spelling: string) => valued([...place.flags, ...root.globals], spelling);
  for (const { kind, text, value } of tokenize(words, (spelling) => flagOf(spelling) !== undefined)) {
    flag = kind === 'flag' && value === undefined ? flagOf(text) : undefined;
    if (kind === 'flag') continue;
    if (place.commands.some(({ name }) => name === text)) {
      path = `${path} ${text}`.trim().replace(/^help (?=.)/, '');
      const { places = {} } = (path === 'help' ? root : treeOf(path.split(' ')[0] ?? '')) ?? {};
      place = Object.hasOwn(places, path) ? (places[path] ?? NO_PLACE) : NO_PLACE;
    } else count += 1;
  }
  return { place, count, flag };
}

const NO_PLACE: CursorPlace = { commands: [], flags: [], operands: [] };

const valued = (flags: readonly FlagWords[], spelling: string): FlagWords | undefined =>
  flags.find(({ takesValue, spellings }) => takesValue && spellings.includes(spelling));
