/** Types for declaring a command: a typed object that the parser, the help and the completions read. */

import type { Method } from '../../schema/resource.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import type { OutputFormat, Result } from '../output/result.ts';
import type { Session } from '../session/session.ts';
import type { Flag, FlagShape, RawFlagValue } from './flag.ts';

export interface Positional {
  readonly name: string;
  /** Name of the attribute that the operand sets. Defaults to the operand's own name. */
  readonly attribute?: string;
  readonly describe: string;
  readonly optional?: true;
  readonly variadic?: true;
  /** Values that completion offers. The command line is not checked against them. */
  readonly choices?: readonly string[];
  /** Returns the values that completion offers for the next operand, if the user typed `choice` for this one. */
  readonly nextChoices?: (choice: string) => readonly string[];
  /** Kind of value that completion looks up: a kind of record (`task`), or `profile`, `company`, `file`. */
  readonly completes?: string;
  /** Marks an operand that selects the company, like `--company`. The company's id also names a record of which each company has one. */
  readonly isCompany?: true;
  /** Marks the path of a file whose content is part of the request. */
  readonly isFile?: true;
}

/** Operands and flags of the command line, before their values are checked. Flags are listed by name. */
export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, RawFlagValue>;
}

/** Operands and flags of the command line, after every flag has been checked. */
export interface Input {
  readonly positionals: readonly string[];
  /** Returns the flag's value, in the type that the flag declares. @throws RangeError when the verb did not declare the flag */
  readonly get: <T>(flag: Flag<T>) => T;
  /** Returns the flag's value, or undefined if the verb did not declare the flag. For code that several verbs share. */
  readonly find: <T>(flag: Flag<T>) => T | undefined;
  /** Reports whether the user gave the flag. A default does not count. */
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  /** Returns those of `flags` that the user typed, as words of a command line: `--port`, `4010`. */
  readonly asWritten: (flags: readonly FlagShape[]) => readonly string[];
}

/** Result that svc prints after a verb, and the exit code of the command. */
export interface Outcome {
  readonly result: Result;
  /** Exit code, 0 by default. If the code is known only after the rows have been printed, this is a function that returns it. */
  readonly exit?: ExitCode | (() => ExitCode);
}

/** Result of preparing a verb, after its input is checked and before its first request. All companies of a run share it. */
export interface PreparedVerb {
  /** Does the work of the verb for one company. */
  readonly run: Verb['run'];
  /** Returns the rows that a writing verb would change in one company. The rows of all companies are shown before the confirmation. */
  readonly preview?: Verb['run'];
  /** Converts the combined rows of all companies to the final outcome. */
  readonly finish?: (outcome: Outcome) => Outcome;
}

/** A verb that writes needs `--write` and a confirmation. */
type PerCompanyAccess = 'reads' | 'writes';

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Valid command line, without `svc`. */
  readonly example: string;
  /** Details about the verb, which the help page shows at its end. */
  readonly about?: string | undefined;
  readonly positionals?: readonly Positional[];
  readonly flags: readonly FlagShape[];
  /** Kind of work that the verb does. The exit codes follow from the kind. */
  readonly work: VerbActionKind;
  /** Exit codes with a special meaning for this verb, in addition to those of its kind of work, and a text that explains each code. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** HTTP methods of the noun's resource that the verb uses. Undefined for a verb whose noun has no resource. */
  readonly methods?: readonly Method[];
  /** Heading of a section in the interface document (docs of the service's HTTP API). This section describes what the verb does. */
  readonly section?: string;
  /** Error message of a verb that does not work yet, because the service has only announced it. */
  readonly announced?: string;
  /** Output format if no flag and no environment variable gives a format. Without this member, the profile's format applies. */
  readonly output?: OutputFormat;
  /** Marks a verb that shows events as they happen, so its output never goes through a pager. */
  readonly live?: true;
  /** Marks a verb that needs no company, or that selects its companies itself. A partner can run such a verb without naming a company. */
  readonly needsNoCompany?: true;
  /** Marks a verb that ignores the file `.svc.json` in the working folder. */
  readonly ignoresFolder?: true;
  /** Work that the verb does in each company of `--companies`. If omitted, the verb works on one company. */
  readonly companies?: PerCompanyAccess | ((input: Input) => PerCompanyAccess) | undefined;
  /** Marks a verb that gives `--timeout` its own meaning. For this verb, `--timeout` does not limit each call. */
  readonly ownsTimeout?: true;
  /** Flag whose value decides which other flags the verb has, such as `--kind` of a rule. The help has a page for each value. */
  readonly variants?: {
    readonly flag: Flag<string | undefined>;
    /** Returns the flags that the verb has if `flag` has this value, with an example. The value is undefined if `flag` is not given. */
    readonly of: (value: string | undefined) => Pick<Verb, 'flags' | 'example'>;
    /** Sentence that the verb's help page shows if `flag` is not given. It says how to get the help page of each value. */
    readonly note: string;
  };
  /** Returns the advice for a flag that this verb does not have. */
  readonly explainUnknown?: (flag: string) => string | undefined;
  /** Prepares the work once, even for many companies. A verb without `prepare` does all of its work in `run`. */
  readonly prepare?: (session: Session, input: Input) => Promise<PreparedVerb>;
  readonly run: (session: Session, input: Input) => Promise<Outcome>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Verb | Group)[];
  /** Sections of the help page of a group that is too large for one line per command. */
  readonly sections?: readonly CommandHelpSection[];
  /** Subcommand that runs if the next word is not the name of a subcommand, as in `svc plan FILE`. */
  readonly defaultCommand?: string;
  /** Subcommand that runs if the user types only the name of the group, such as `svc log`. */
  readonly commandWithoutWords?: string;
}

/** Section of a help page. Each row names several commands, and describes them together. */
export interface CommandHelpSection {
  readonly heading: string;
  readonly rows: readonly { readonly names: readonly string[]; readonly text: string }[];
}

export const isGroup = (command: Verb | Group): command is Group => 'commands' in command;

/** Headings of `svc help`, in order. */
export const HEADINGS = ['Sending', 'Audience', 'Automation', 'Partner', 'Tools'] as const;
export type Heading = (typeof HEADINGS)[number];

/** Top-level command, such as `svc task`. `load` imports the code of the command when the command is used. */
export interface TopLevelCommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly heading: Heading;
  /** Marks a command that represents one or more resources of the service's API. */
  readonly isNoun?: true;
  readonly load: () => Promise<Verb | Group>;
}

/** Exit codes of a verb by its kind of work. Omits 0, 1, 2 and 130, with which every verb can exit. */
export const EXIT_CODES_BY_VERB_ACTION_KIND = {
  /** Exit codes of a verb that sends no requests: none besides 0, 1, 2 and 130. */
  local: [],
  /** Exit codes of a verb that sends only requests that change nothing. */
  reads: [3, 7, 9],
  /** Exit codes of a verb that reads one record. */
  finds: [3, 4, 7, 9],
  /** Exit codes of a verb that sends one POST. */
  creates: [3, 5, 6, 7, 9, 10],
  /** Exit codes of a verb that sends a POST for each row. A rejected row does not stop the other rows. */
  'sends rows': [3, 7, 8, 9, 10],
  /** Exit codes of a verb that changes one record. The user names the record by its id or an attribute. */
  changes: [3, 4, 5, 6, 7, 9, 10],
  /** Exit codes of a verb that only reads from a sandbox's control plane, which needs no key. */
  'reads sandbox': [7],
  'finds in sandbox': [4, 7],
  'changes sandbox': [4, 5, 6, 7, 10],
} as const satisfies Readonly<Record<string, readonly ExitCode[]>>;

export type VerbActionKind = keyof typeof EXIT_CODES_BY_VERB_ACTION_KIND;
