/** Data of completion, made by `tree.ts` and read at TAB. Empty members are omitted to keep it small. */
export interface Tree {
  /** Flags that are valid everywhere. */
  readonly globals: readonly FlagWords[];
  /** Places by their path: empty, `task`, `task create`. */
  readonly places: Readonly<Record<string, CursorPlace>>;
}

/** Place on the command line: after `svc`, after a noun, after a verb. */
export interface CursorPlace {
  readonly commands: readonly CommandWord[];
  readonly flags: readonly FlagWords[];
  /** Candidates of each operand, in order. */
  readonly operands: readonly Candidates[];
  /** True if further words have the same candidates as the last operand. */
  readonly isOpen?: true;
}

export interface CommandWord {
  readonly name: string;
  readonly summary: string;
}

/** Candidates for one word. */
export interface Candidates {
  readonly values?: readonly string[];
  /** Kind of value that is looked up: a kind of record, or one from the profiles. */
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
