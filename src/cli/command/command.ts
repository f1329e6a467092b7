/** Types for declaring a command: a typed object that the parser, the help and the completions read. */
import type { ExitCode } from '../errors/exit-codes.ts';
import type { Format } from '../output/format.ts';
import type { Result } from '../output/result.ts';
import type { Session } from '../session/session.ts';
import type { Flag, FlagShape, Given } from './flag.ts';
import type { VerbWork } from './work.ts';

export interface Positional {
  readonly name: string;
  /** Attribute that the operand gives, if its name differs. */
  readonly attribute?: string;
  readonly describe: string;
  readonly optional?: true;
  readonly variadic?: true;
  /** Values that completion offers. The command line is not checked against them. */
  readonly choices?: readonly string[];
  /** Returns the values that completion offers after one of the choices. */
  readonly following?: (choice: string) => readonly string[];
  /** Kind of value that completion looks up: a kind of record (`task`), or `profile`, `company`, `file`. */
  readonly completes?: string;
  /** Marks the id of the company to act for, as `--company` gives it. A resource that exists once per company is addressed by this id. */
  readonly isCompany?: true;
  /** Marks the path of a file whose content is part of the request. */
  readonly isFile?: true;
}

/** Operand of a verb that works on a company's only record. */
export const companyPositional: Positional = {
  name: 'id',
  describe: 'Company id, like --company',
  optional: true,
  isCompany: true,
  completes: 'company',
};

/** Command line as it was written, with each flag under its name. */
export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, Given>;
}

/** Command line after every flag has been checked. */
export interface Input {
  readonly positionals: readonly string[];
  /** Returns the flag's value, in the type that the flag declares. @throws RangeError when the verb did not declare the flag */
  readonly get: <T>(flag: Flag<T>) => T;
  /** Returns the same for code that serves several verbs, or undefined if this verb does not have the flag. */
  readonly find: <T>(flag: Flag<T>) => T | undefined;
  /** Reports whether the flag was given, regardless of its default. */
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  /** Returns those of the flags that were given, as words of a command line for another process. */
  readonly asWritten: (flags: readonly FlagShape[]) => readonly string[];
}

export interface Outcome {
  readonly result: Result;
  /** Exit code, 0 by default. A function if it is known only after the rows have been printed. */
  readonly exit?: ExitCode | (() => ExitCode);
}

/** Verb after it has read and checked everything that is the same for all companies, before the first request. */
export interface Prepared {
  /** Runs the work in one company. */
  readonly run: Verb['run'];
  /** Returns, for a verb that writes, the rows that would change in a company. They are shown for all companies before the confirmation. */
  readonly preview?: Verb['run'];
  /** Converts the combined rows of all companies to the final outcome. */
  readonly finish?: (outcome: Outcome) => Outcome;
}

export type CompaniesWork = 'reads' | 'writes';

export interface Verb extends VerbWork {
  readonly name: string;
  readonly summary: string;
  /** Valid command line, without `svc`. */
  readonly example: string;
  /** Details that the help shows under the summary. */
  readonly about?: string | undefined;
  readonly positionals?: readonly Positional[];
  readonly flags: readonly FlagShape[];
  /** Reason for refusing every use of the verb. Set if the interface only announces the function. */
  readonly announced?: string;
  /** Format if neither a flag nor the environment names one. Defaults to the profile's format. */
  readonly output?: Format;
  /** Marks a verb that shows events as they happen, so its output never goes through a pager. */
  readonly live?: true;
  /** Marks a verb that acts for no company, or selects its companies itself. It runs even if the profile requires a company. */
  readonly needsNoCompany?: true;
  /** Work that the verb does in each company of `--companies`. If omitted, the verb works on one company. */
  readonly companies?: CompaniesWork | ((input: Input) => CompaniesWork) | undefined;
  /** Marks a verb with its own meaning of `--timeout`, which then does not limit each call. */
  readonly ownsTimeout?: true;
  /** Set if the value of one flag decides which other flags exist. The help then has a page for each value. */
  readonly variants?: {
    readonly flag: Flag<string | undefined>;
    /** Returns the flags and the example for a value. @param value the flag's value, undefined if the flag is not given */
    readonly of: (value: string | undefined) => Pick<Verb, 'flags' | 'example'>;
    /** Note that the help shows if the flag is not given. */
    readonly note: string;
  };
  /** Returns the advice for a flag that this verb does not have. */
  readonly explainUnknown?: (flag: string) => string | undefined;
  /** Prepares the work once, regardless of the number of companies. If omitted, only `run` is called. */
  readonly prepare?: (session: Session, input: Input) => Promise<Prepared>;
  readonly run: (session: Session, input: Input) => Promise<Outcome>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Verb | Group)[];
  /** Sections of the help page of a group that is too large for one line per command. */
  readonly sections?: readonly CommandSection[];
  /** Default subcommand, used if the next word names none: `svc plan FILE`. */
  readonly otherwise?: string;
  /** Subcommand that runs if no further word is given: `svc log`. */
  readonly alone?: string;
}

export interface CommandSection {
  readonly heading: string;
  readonly rows: readonly { readonly names: readonly string[]; readonly text: string }[];
}

export const isGroup = (command: Verb | Group): command is Group => 'commands' in command;

/** Headings of `svc help`, in order. */
export const HEADINGS = ['Sending', 'Audience', 'Automation', 'Partner', 'Tools'] as const;
export type Heading = (typeof HEADINGS)[number];

/** Command of the first level. Only the requested one is loaded. */
export interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly heading: Heading;
  /** Marks a command that represents one or more resources of the interface. */
  readonly isNoun?: true;
  readonly load: () => Promise<Verb | Group>;
}
