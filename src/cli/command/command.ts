/** Types for declaring a command: a typed object that the parser, the help and the completions read. */

import type { Method } from '../../kit/schema/resource.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import type { OutputFormat, Result } from '../output/result.ts';
import type { Ports } from '../session/ports.ts';
import type { Flag, FlagShape, RawFlagValue } from './flag.ts';

export interface Positional {
  readonly name: string;
  /** Defaults to the operand's own name. */
  readonly attribute?: string;
  readonly describe: string;
  readonly optional?: true;
  readonly variadic?: true;
  /** The command line is not checked against them. */
  readonly choices?: readonly string[];
  readonly nextChoices?: (choice: string) => readonly string[];
  readonly completes?: string;
  /** The company's id also names a record of which each company has one. */
  readonly isCompany?: true;
  readonly isFile?: true;
}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, RawFlagValue>;
}

export interface Input {
  readonly positionals: readonly string[];
  /** @throws RangeError when the verb did not declare the flag */
  readonly get: <T>(flag: Flag<T>) => T;
  /** For code that several verbs share. */
  readonly find: <T>(flag: Flag<T>) => T | undefined;
  /** A default does not count. */
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  /** Returns words of a command line: `--port`, `4010`. */
  readonly asWritten: (flags: readonly FlagShape[]) => readonly string[];
}

export interface Outcome {
  readonly result: Result;
  /** A function if the code is known only after the rows have been printed. */
  readonly exit?: ExitCode | (() => ExitCode);
}

/** All companies of a run share it. */
export interface PreparedVerb {
  readonly run: Verb['run'];
  /** The rows of all companies are shown before the confirmation. */
  readonly preview?: Verb['run'];
  readonly finish?: (outcome: Outcome) => Outcome;
}

/** A verb that writes needs `--write` and a confirmation. */
type PerCompanyAccess = 'reads' | 'writes';

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Without `svc`. */
  readonly example: string;
  readonly about?: string | undefined;
  readonly positionals?: readonly Positional[];
  readonly flags: readonly FlagShape[];
  /** The exit codes follow from the kind. */
  readonly work: VerbActionKind;
  /** If omitted, follows from `work` and `methods`. */
  readonly does?: Effect;
  /** The command asks for a confirmation, always or with some flags. If omitted, only a DELETE asks. */
  readonly asks?: true;
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Undefined for a verb whose noun has no resource. */
  readonly methods?: readonly Method[];
  readonly section?: string;
  readonly announced?: string;
  /** Undefined if the profile's format applies. */
  readonly output?: OutputFormat;
  /** Marks a verb that shows events as they happen, so its output never goes through a pager. */
  readonly live?: true;
  /** A partner can run such a verb without naming a company. */
  readonly needsNoCompany?: true | ((input: Input) => boolean);
  readonly ignoresFolder?: true;
  /** If omitted, the verb works on one company. */
  readonly companies?: PerCompanyAccess | ((input: Input) => PerCompanyAccess) | undefined;
  /** Runs instead of `run` with `--companies`, for a verb whose result is about all companies together. */
  readonly runForCompanies?: (session: Ports, input: Input) => Promise<Outcome>;
  /** For this verb, `--timeout` does not limit each call. */
  readonly ownsTimeout?: true;
  /** The help has a page for each value. */
  readonly variants?: {
    readonly flag: Flag<string | undefined>;
    /** The value is undefined if `flag` is not given. */
    readonly of: (value: string | undefined) => Pick<Verb, 'flags' | 'example'>;
    readonly note: string;
  };
  readonly explainUnknown?: (flag: string) => string | undefined;
  readonly prepare?: (session: Ports, input: Input) => Promise<PreparedVerb>;
  readonly run: (session: Ports, input: Input) => Promise<Outcome>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Verb | Group)[];
  readonly sections?: readonly CommandHelpSection[];
  /** Runs if the next word is no subcommand, as in `svc plan FILE`. */
  readonly defaultCommand?: string;
  /** Runs if the user types only the name of the group, such as `svc log`. */
  readonly commandWithoutWords?: string;
}

/** Section whose rows name several commands each. */
export interface CommandHelpSection {
  readonly heading: string;
  readonly rows: readonly { readonly names: readonly string[]; readonly text: string }[];
}

export const isGroup = (command: Verb | Group): command is Group => 'commands' in command;

export const HEADINGS = ['Sending', 'Audience', 'Automation', 'Partner', 'Tools'] as const;
export type Heading = (typeof HEADINGS)[number];

/** `load` imports the code of the command when the command is used. */
export interface TopLevelCommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly heading: Heading;
  readonly isNoun?: true;
  readonly load: () => Promise<Verb | Group>;
}

/** Omits 0, 1, 2 and 130, with which every verb can exit. */
export const EXIT_CODES_BY_VERB_ACTION_KIND = {
  local: [],
  reads: [3, 7, 9],
  finds: [3, 4, 7, 9],
  creates: [3, 5, 6, 7, 9, 10],
  'sends rows': [3, 7, 8, 9, 10],
  changes: [3, 4, 5, 6, 7, 9, 10],
  'reads sandbox': [7],
  'finds in sandbox': [4, 7],
  'changes sandbox': [4, 5, 6, 7, 10],
} as const satisfies Readonly<Record<string, readonly ExitCode[]>>;

export type VerbActionKind = keyof typeof EXIT_CODES_BY_VERB_ACTION_KIND;

/**
 * The most that a command may do. `local`: svc writes only to this machine or a sandbox. `changes`: the user can revert the change, or it
 * does no harm. `removes`: the user cannot revert it. `sends`: people may get a message, at once or later.
 */
export type Effect = 'reads' | 'local' | 'changes' | 'removes' | 'sends';
