/** Answers a shell at TAB: `svc __complete SHELL LINE` prints the result. */

import { tokenize } from '../command/tokens.ts';
import { type Candidate, candidateLines } from './candidates.ts';
import { SHELLS, splitLine, typedText } from './line.ts';
import { type CompletionOutside, lookUp } from './live/look-up.ts';
import type { Candidates, CursorPlace, FlagWords, Tree } from './tree-types.ts';

export interface CompletionAnswer {
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

/** Returns the places of a command by its name, or those above all commands for an empty name. */
export type TreeOf = (command: string) => Tree | undefined;

interface Cursor {
  readonly offered: Candidates;
  /** Words with descriptions: commands, or flags. */
  readonly listed: readonly { readonly word: string; readonly about: string }[];
  /** Part of the word before its value: `--company=`, or nothing. */
  readonly flagPart: string;
}

/** Returns the candidates. @param words the words as they were typed, the last one at the cursor */
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

/** Follows the words down the tree. `count` is the number of operands, `flag` a flag that still needs its value. */
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
