/** Completion tree, which `tree.ts` builds and which is read at TAB. Empty members are omitted to keep the tree small. */
export interface Tree {
  /** Flags that are valid everywhere. */
  readonly globals: readonly FlagWords[];
  /** Places by the words that lead to them: an empty text, `task`, `task create`. */
  readonly places: Readonly<Record<string, CursorPlace>>;
}

/** Place on the command line: after `svc`, after a noun, after a verb. */
export interface CursorPlace {
  readonly commands: readonly CommandWord[];
  readonly flags: readonly FlagWords[];
  /** Candidates of each operand, in order. */
  readonly operands: readonly Candidates[];
  /** True if the last operand can be repeated. All further words then have its candidates. */
  readonly isOpen?: true;
}

export interface CommandWord {
  readonly name: string;
  readonly summary: string;
}

/** Candidates for one word. */
export interface Candidates {
  readonly values?: readonly string[];
  /** Source whose values completion looks up when it runs: a kind of record, or values from the profiles. */
  readonly live?: string;
  /** True if the word can be the name of a file. */
  readonly isFile?: true;
}

export interface FlagWords extends Candidates {
  /** Spellings with their dashes, the friendly one first. */
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
}
