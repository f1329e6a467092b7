/** Finds what the word at the cursor can be, in the tree of commands. */
import type { FlagWords, Offered, Place, Tree } from './tree-types.ts';

/** Returns the places of a command by its name, or those above all commands for an empty name. */
export type TreeOf = (command: string) => Tree | undefined;

export interface Cursor {
  readonly offered: Offered;
  /** Words with descriptions: commands, or flags. */
  readonly listed: readonly { readonly word: string; readonly about: string }[];
  /** Part of the word before its value: `--company=`, or nothing. */
  readonly flagPart: string;
}

/** Returns the candidates. @param words the words as they were typed, the last one at the cursor */
export function cursorAt(words: readonly string[], treeOf: TreeOf): Cursor {
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
): { readonly place: Place; readonly count: number; readonly flag: FlagWords | undefined } {
  let path = '';
  let place = root.places[''] ?? NO_PLACE;
  let count = 0;
  let flag: FlagWords | undefined;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (word.startsWith('-')) flag = valued([...place.flags, ...root.globals], word);
    else if (place.commands.some(({ name }) => name === word)) {
      path = `${path} ${word}`.trim().replace(/^help (?=.)/, '');
      const { places = {} } = (path === 'help' ? root : treeOf(path.split(' ')[0] ?? '')) ?? {};
      place = Object.hasOwn(places, path) ? (places[path] ?? NO_PLACE) : NO_PLACE;
    } else count += 1;
  }
  return { place, count, flag };
}

const NO_PLACE: Place = { commands: [], flags: [], operands: [] };

const valued = (flags: readonly FlagWords[], spelling: string): FlagWords | undefined =>
  flags.find(({ takesValue, spellings }) => takesValue && spellings.includes(spelling));
