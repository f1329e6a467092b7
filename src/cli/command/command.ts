/** The words for declaring a command: a typed object, read by the parser, the help, and the completions. */
import type { ExitCode } from '../errors/exit-codes.ts';
import type { Format } from '../output/format.ts';
import type { Result } from '../output/result.ts';
import type { Session } from '../session/session.ts';
import type { Flag, FlagShape, Given } from './flag.ts';

export interface Positional {
  readonly name: string;
  readonly describe: string;
  readonly optional?: true;
  readonly variadic?: true;
  /** What completion offers; nothing is checked against them. */
  readonly choices?: readonly string[];
  /** What completion offers after one of the choices. */
  readonly following?: (choice: string) => readonly string[];
  /** What completion looks up for it: a kind of record (`task`), or `profile`, `company`, `file`. */
  readonly completes?: string;
  /** The id of the company to act for, as `--company` gives it: a resource that a company has one of is called by it. */
  readonly isCompany?: true;
  /** The path of a file, whose content is part of what was asked. */
  readonly isFile?: true;
}

/** Of a verb on the one record of a company. */
export const companyPositional: Positional = {
  name: 'id',
  describe: 'Company id, as of --company',
  optional: true,
  isCompany: true,
  completes: 'company',
};

/** What was asked, as it was written: flags by their names. */
export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, Given>;
}

/** What was asked, once it is known that every flag can be read. */
export interface Input {
  readonly positionals: readonly string[];
  /** What the flag says, of the type that it declares. Throws a RangeError for one that the verb didn't declare. */
  readonly get: <T>(flag: Flag<T>) => T;
  /** The same, for code that serves several verbs: undefined too where this one doesn't have the flag. */
  readonly find: <T>(flag: Flag<T>) => T | undefined;
  /** Whether it was given, whatever its default. */
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  /** Those of these that were given, as words of a command line: for a process of its own. */
  readonly asWritten: (flags: readonly FlagShape[]) => readonly string[];
}

export interface Outcome {
  readonly result: Result;
  /** 0 unless said otherwise; a function where only the rows, once they are printed, can tell. */
  readonly exit?: ExitCode | (() => ExitCode);
}

/** A verb once it has read and checked what concerns all companies alike, before any of them is asked. */
export interface Prepared {
  /** The work in one company. */
  readonly run: Verb['run'];
  /** Of one that writes: rows of what would be changed in a company, shown for all of them before the question. */
  readonly preview?: Verb['run'];
  /** What becomes of the rows of all of them. */
  readonly finish?: (outcome: Outcome) => Outcome;
}

export type CompaniesWork = 'reads' | 'writes';

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** A command line that works, without `svc`. */
  readonly example: string;
  /** More than the summary says, under it in the help. */
  readonly about?: string | undefined;
  readonly positionals?: readonly Positional[];
  readonly flags: readonly FlagShape[];
  /** Set where the interface announces what this would do: any use of it is refused with this sentence. */
  readonly announced?: string;
  /** The format where neither a flag nor the environment names one; the profile's otherwise. */
  readonly output?: Format;
  /** It shows things as they happen: nothing of it goes through a pager. */
  readonly live?: true;
  /** It acts for no company, or names those that it acts for by itself: a profile that demands one is content. */
  readonly needsNoCompany?: true;
  /** It takes `--companies`; what it does in each. Left out: it works on one company. */
  readonly companies?: CompaniesWork | ((input: Input) => CompaniesWork) | undefined;
  /** `--timeout` is this verb's own, not one for each call. */
  readonly ownsTimeout?: true;
  /** Where the value of a flag decides which others there are: its own page of help for each value. */
  readonly variants?: {
    readonly flag: Flag<string | undefined>;
    /** @param value undefined where it isn't given */
    readonly of: (value: string | undefined) => Pick<Verb, 'flags' | 'example'>;
    /** Said where the flag isn't given. */
    readonly note: string;
  };
  /** What to say of a flag that this verb doesn't have. */
  readonly explainUnknown?: (flag: string) => string | undefined;
  /** Done once, however many companies there are. Left out: there is nothing but `run`. */
  readonly prepare?: (session: Session, input: Input) => Promise<Prepared>;
  readonly run: (session: Session, input: Input) => Promise<Outcome>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Verb | Group)[];
  /** The one of them that is meant where the next word is none: `svc plan FILE`. */
  readonly otherwise?: string;
}

export const isGroup = (command: Verb | Group): command is Group => 'commands' in command;

/** The groups of `svc help`, in its order. */
export const HEADINGS = ['Sending', 'Audience', 'Automation', 'Partner', 'Tools'] as const;
export type Heading = (typeof HEADINGS)[number];

/** An entry of the first level; only the one that is asked for is loaded. */
export interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly heading: Heading;
  /** It stands for a resource of the interface, or for several. */
  readonly isNoun?: true;
  readonly load: () => Promise<Verb | Group>;
}
