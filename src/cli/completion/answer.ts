/** Computes the candidates that a shell offers at TAB. The shell's script runs `svc __complete SHELL LINE`, which prints the candidates. */

import { tokenizeCommandLine } from '../command/tokens.ts';
import { type CompletionEnvironment, lookUpCompletionCandidates } from './look-up.ts';
import {
  type Candidate,
  formatCandidateLines,
  parsePartialShellWord,
  SUPPORTED_SHELLS,
  splitShellCommandLine,
} from './shells.ts';
import type { CompletionFlag, CompletionTree, CompletionTreeNode } from './tree.ts';

export interface CompletionResult {
  /** `files` or `words`, then the candidates. */
  readonly lines: readonly string[];
  /** No other process is refreshing these lists. */
  readonly listsToRefresh: readonly string[];
  /** They select the profile and company whose lists are refreshed. */
  readonly words: readonly string[];
  /** The caller may then wait briefly for a refresh. */
  readonly isCold: boolean;
}

export function computeCompletion(
  [name, line = '', ...shellValues]: readonly string[],
  treeOf: LoadCompletionTree,
  place: CompletionEnvironment,
): CompletionResult {
  const shell = SUPPORTED_SHELLS.find((each) => each === name);
  if (shell === undefined) return { lines: [], listsToRefresh: [], words: [], isCold: false };
  const words = splitShellCommandLine(line, shell);
  const { offered, listed, flagPart } = candidatesAtCursor(words, treeOf);
  const value = (words.at(-1) ?? '').slice(flagPart.length);
  const before = words.slice(0, -1);
  const { live, values = [] } = offered;
  const found =
    live === undefined
      ? { items: [], listsToRefresh: [], isCold: false }
      : lookUpCompletionCandidates(
          { source: live, word: parsePartialShellWord(value, shell).text, words: before },
          place,
        );
  const candidates: readonly Candidate[] = [
    ...listed,
    ...values.map((word) => ({ word, about: '' })),
    ...found.items.map(({ id, name }) => ({ word: id, about: name, isLive: true as const })),
  ];
  return {
    lines: formatCandidateLines(candidates, offered.isFile === true, { shell, flagPart, value, shellValues }),
    listsToRefresh: found.listsToRefresh,
    words: before,
    isCold: found.isCold,
  };
}

/** The empty name is `svc` itself. */
export type LoadCompletionTree = (command: string) => CompletionTree | undefined;

/** `flagPart` is `--company=`, or empty. @param words the words as the user typed them; the last word is at the cursor */
function candidatesAtCursor(words: readonly string[], treeOf: LoadCompletionTree) {
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

/** Also counts the operands, and returns the last word if it is a flag that needs a value. */
function follow(
  words: readonly string[],
  root: CompletionTree,
  treeOf: LoadCompletionTree,
): { readonly place: CompletionTreeNode; readonly count: number; readonly flag: CompletionFlag | undefined } {
  let path = '';
  let place = root.places[''] ?? NO_PLACE;
  let count = 0;
  let flag: CompletionFlag | undefined;
  const flagOf = (spelling: string) => valued([...place.flags, ...root.globals], spelling);
  for (const { kind, text, value } of tokenizeCommandLine(
    words,
    (spelling) => flagOf(spelling) !== undefined,
  )) {
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

const NO_PLACE: CompletionTreeNode = { commands: [], flags: [], operands: [] };

const valued = (flags: readonly CompletionFlag[], spelling: string): CompletionFlag | undefined =>
  flags.find(({ takesValue, spellings }) => takesValue && spellings.includes(spelling));
