/**
 * The ports: what a verb, and the code that it calls, can get from a run of the command line. A function names those that it needs. So its
 * type says whether it can send, print or read a clock, and a test can give it plain objects.
 */

import type { JournalRecorder } from '../../client/journal/recorder.ts';
import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { ProfileInUse } from '../../client/profiles/profile.ts';
import type { ProfileStore } from '../../client/profiles/store.ts';
import type { Client } from '../../client/requests/client.ts';
import type { TraceEvent } from '../../client/requests/connection.ts';
import type { SendBudgetCounter } from '../../client/sends/budget-counter.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import type { AccountRecord } from '../../service/resources/account.ts';
import type { CompanyWithError, ErrorExplanation } from '../errors/errors.ts';
import type { FailedRequestContext } from '../errors/request-context.ts';
import type { NameLookup, OutputFormat } from '../output/result.ts';
import type { Context } from '../outside/context.ts';
import type { AccountLabel } from './account-words.ts';
import type { SendPermission } from './approvals.ts';
import type { DryRunState } from './dry-run.ts';
import type { GlobalFlagValues } from './globals.ts';
import type { CompanyWrites } from './write-stages.ts';

/** Everything: for verbs that are not known yet, and for functions that hand a run on. */
export interface Ports extends Invocation, Tell, Profiles, ServiceAccess, Clocks, Changes, Commands {}

/** The process: streams, files, questions to a person. The command line: global flags and the words of the command. */
export interface Invocation {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly command: string;
}

/** The service: requests with the credentials of the run. */
export interface ServiceAccess {
  /**
   * Records its writes in the journal, unless `--no-journal` is set, and prints the account before the first. All clients of this interface
   * refuse every write if the profile is read-only; if it requires approvals, they refuse writes that may send messages to people.
   */
  readonly client: () => Promise<Client>;
  /** Returns a client for bulk work, which keeps its own checkpoint instead of the journal. */
  readonly bareClient: (bulk?: BulkClientOptions) => Promise<Client>;
  readonly clientWith: (special: RecordingClientOptions) => Promise<Client>;
  /** Returns undefined if the profile has no budget, or if the run is a dry run. */
  readonly counter: () => Promise<SendBudgetCounter | undefined>;
  /** Returns undefined with `--no-journal`, or if the run is a dry run. */
  readonly recorder: () => Promise<JournalRecorder | undefined>;
  readonly account: () => Promise<AccountRecord>;
  readonly accountLabel: AccountLabel;
  readonly beforeWrite: () => Promise<void>;
  readonly actsFor: AccountId | undefined;
  /**
   * The flags that chose the account, each with a space before it, for a command that the user can paste. Without them, the command would act
   * on the records of the default account that have the same ids.
   */
  readonly accountFlags: string;
  /** Sends few requests. If one fails, the table shows the id alone. */
  readonly names: NameLookup;
}

export interface RecordingClientOptions {
  /** Used instead of that of the run, for requests that svc must send after Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly ifInterrupted?: string;
  /** Id of the journal entry that the requests undo. */
  readonly undoes?: number;
  /** If false, a budget of recipients or credits refuses these writes. */
  readonly isChecked?: boolean;
  /** Approvals of the plan that is applied. If the profile requires approvals, a client without them cannot schedule tasks. */
  readonly approvals?: SendPermission;
}

export interface BulkClientOptions {
  readonly trace?: (event: TraceEvent) => void;
  /** Set it only if repeating a POST does no harm. */
  readonly sharePostConnections?: boolean;
  /** Throws once another run has taken over the job. Called before each attempt. */
  readonly checkLock?: (() => void) | undefined;
}

/** Settings that are saved on this machine, and the credentials that follow from them. Makes no request. */
export interface Profiles {
  readonly store: () => Promise<ProfileStore>;
  readonly resolved: () => Promise<ResolvedCredentials>;
  /** Needs no key. */
  readonly profileInUse: () => Promise<ProfileInUse | undefined>;
  /** Returns the names that the service uses: from the profile in use, else from SVC_NAMING, else the defaults. */
  readonly naming: () => Promise<Naming>;
  /**
   * Returns the name of the selected profile, even if the environment holds all credentials: that of a flag or variable, else of
   * `.svc.json`, else the default.
   */
  readonly profileName: () => Promise<string | undefined>;
  readonly resolvedSoFar: () => ResolvedCredentials | undefined;
  readonly outputFormatOfProfile: () => Promise<OutputFormat>;
}

/** The times of the service and of this machine, and the zones for input and output. */
export interface Clocks {
  /** Returns the service's time in Unix seconds, based on the time in its responses. */
  readonly serviceNow: () => Promise<number>;
  /** Returns the Unix seconds at which a sandbox's clock is stopped, or undefined if the clock runs. */
  readonly stoppedAt: () => Promise<number | undefined>;
  /**
   * Returns the later of the service's time and this machine's time, in Unix seconds. For a service at a loopback address (a sandbox),
   * returns the service's time, because the user can move a sandbox's clock. For any other service, warns once on stderr if the two clocks
   * are more than 5 minutes apart.
   */
  readonly latestNow: () => Promise<number>;
  readonly earliestNow: () => Promise<number>;
  /**
   * Returns undefined if the account has none, or one that this machine does not know. Callers must not replace it by a guess: a send would
   * go out hours early or late.
   */
  readonly companyZone: () => Promise<string | undefined>;
  /**
   * Returns the company's zone; if svc does not know it, that of `--tz`, else of the profile.
   * @throws UsageError without any of them
   */
  readonly requiredZone: () => Promise<string>;
  /** Returns the zone for times that svc shows together with their zone: like `requiredZone`, but UTC instead of an error. */
  readonly displayZone: () => Promise<string>;
  /** Returns the zone for times in tables: the company's zone in the profile, unless this run has read the account, else `displayZone`. */
  readonly tableZone: () => Promise<string>;
  /**
   * Returns the zone in which svc reads a local time: that of `--tz`, else of the profile, else of the company, never of the machine.
   * Returns undefined if none of them is known.
   */
  readonly inputZone: () => Promise<string | undefined>;
  /** Returns the zone of a budget's days and hours: the company's, else that of the profile. Throws UsageError without either. */
  readonly budgetZone: () => Promise<string>;
  readonly unknownZone: () => Promise<UnknownZone>;
}

/** Words without a full stop. */
export interface UnknownZone {
  readonly reason: string;
  readonly remedy: string;
  /** Undefined without a profile. */
  readonly setting: string | undefined;
}

/** A note of one line, or of several. A line feed within a line is escaped, because it comes from text of others. */
export type NoteLines = string | readonly string[];

export interface Notes {
  /** Prints a note on stderr, unless `--quiet`. Never rejects. */
  readonly info: (note: NoteLines) => Promise<void>;
  /** Prints a note on stderr, even with `--quiet` (contract, "Safety"). */
  readonly warn: (note: NoteLines) => Promise<void>;
  /** Prints `waiting` and `words`, such as `for X, for 1 minute at most`, if `work` takes more than 2 seconds. */
  readonly waiting: <T>(words: string, work: () => Promise<T>) => Promise<T>;
  /** For work or another program that uses the terminal. */
  readonly withoutWaitLines: <T>(work: () => Promise<T>) => Promise<T>;
  readonly redact: (text: string) => string;
  readonly hide: (secrets: readonly string[]) => void;
}

/** Notes and errors, for a person or a script. */
export interface Tell extends Notes {
  /** Returns the format of `-o`, else the verb's own, else the profile's, else a table. */
  readonly format: () => Promise<OutputFormat>;
  /** @param company the company that failed, in a run over many companies */
  readonly report: (error: unknown, company?: CompanyWithError) => Promise<ErrorExplanation>;
  /** Sends no request. */
  readonly requestContext: () => Promise<FailedRequestContext | undefined>;
  /** Explains an error of which the run does not end. */
  readonly explain: (error: unknown) => ErrorExplanation;
}

/** Changes to this machine, and how a dry run ends at the first change. */
export interface Changes {
  readonly dryRun: DryRunState;
  /**
   * The client, the profile store and the sandbox's control client end a dry run themselves.
   * @param change an infinitive: `write export.csv`
   */
  readonly beforeChange: (change: string) => void;
  /** Flags for the answers of a person, such as `--name`, `Sale`. An error prints the command with them. */
  readonly answers: string[];
}

/** Other commands, and the same command for another company. */
export interface Commands {
  readonly run: Run;
  /** Closing these ports also closes the returned ones. */
  readonly actingFor: (company: AccountId, special?: CompanySessionOptions) => Ports;
  readonly close: () => Promise<void>;
}

/** Runs another command. @param command its arguments, without the paths of node and of the script, or a call of a verb */
export type Run = (command: readonly string[] | VerbCall, context: Context) => Promise<number>;

/** A parsed command: the words of its path, its operands, and its flags by name. */
export interface VerbCall {
  readonly path: readonly string[];
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, string | boolean | readonly string[]>;
}

export interface CompanySessionOptions {
  readonly globals?: Partial<GlobalFlagValues>;
  readonly context?: Partial<Context>;
  readonly beforeNote?: () => Promise<void>;
  /** Text at the start of each line that `warn` prints: `company 12 (Harbour Coffee): `. */
  readonly prefix?: string;
  readonly writes?: CompanyWrites;
  readonly onRequest?: () => void;
}
