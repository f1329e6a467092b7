/**
 * Completion tree: the words that can follow at each place on the command line. `tree.ts` builds the tree, and completion reads it at TAB.
 */
export interface CompletionTree {
  /** Global flags, which are valid at every place. */
  readonly globals: readonly CompletionFlag[];
  /**
   * Maps words of the command line, such as `task create`, to everything that can follow these words. The empty key holds everything that
   * can follow `svc` itself.
   */
  readonly places: Readonly<Record<string, CompletionTreeNode>>;
}

/** Commands, flags and operands that can follow at one place on the command line, such as after `task create`. */
export interface CompletionTreeNode {
  readonly commands: readonly CompletionCommand[];
  readonly flags: readonly CompletionFlag[];
  /** Candidates of each operand, in order. */
  readonly operands: readonly WordCandidates[];
  /** True if the last operand can be repeated. Completion then offers its candidates for all further words. */
  readonly isOpen?: true;
}

export interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
}

/** Candidates for one word of the command line. */
export interface WordCandidates {
  readonly values?: readonly string[];
  /** Source whose values completion looks up when it runs: a kind of record, or values from the profiles. */
  readonly live?: string;
  /** True if the word can be the name of a file. */
  readonly isFile?: true;
}

export interface CompletionFlag extends WordCandidates {
  /**
   * Spellings with their dashes, such as `--at` and `--scheduledtime`. The short name that people use comes before the attribute's name.
   */
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
}
