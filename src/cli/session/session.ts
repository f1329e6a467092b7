/** Holds the state of one run of the command line: credentials, service and zone. Each part is created on first use. */

import type { AccountId, Credentials } from '../../auth/credentials.ts';
import type { Client } from '../../client/client.ts';
import type { TraceListener } from '../../client/connection.ts';
import { startMachineTimer } from '../../client/ports.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import type { CompanyWithError, ErrorExplanation } from '../errors/errors.ts';
import { explainError } from '../errors/explain-error.ts';
import type { FailedRequestContext } from '../errors/request-context.ts';
import { wrapNoteText } from '../output/note-lines.ts';
import { createSecretRedactor, type SecretRedactor } from '../output/redact.ts';
import type { OutputFormat } from '../output/result.ts';
import { type Context, changeQuestions, replaceContextParts } from '../outside/context.ts';
import { createServiceAccess, type ServiceAccess } from './access.ts';
import { createPartsSharedByAllClients, type PartsSharedByAllClients } from './clients.ts';
import type { Clocks } from './clocks.ts';
import { createServiceConnections } from './connections.ts';
import { createDryRunState, type DryRunState } from './dry-run.ts';
import type { GlobalFlagValues } from './globals.ts';
import type { UncheckedNamingOverrides } from './naming-file.ts';
import {
  createStderrNotePrinter,
  createWaitNotices,
  type NoteLines,
  type StderrNotePrinter,
  type WaitNotices,
} from './notes.ts';
import { once } from './once.ts';
import { openProfiles, type Profiles } from './profiles.ts';
import { createRequestContext } from './sandbox-start.ts';

/** Context of the process, and the values of the global flags. */
export interface Invocation {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
}

/** State of one run of a command. A function should take only the interfaces that it needs. */
export interface Session extends Invocation, StderrNotePrinter, Profiles, ServiceAccess, Clocks {
  /** Noun and verb of the command: `task create`. */
  readonly command: string;
  /** Returns the service and account for error messages, or undefined if the credentials are not resolved yet. Sends no request. */
  readonly requestContext: () => Promise<FailedRequestContext | undefined>;
  /** Returns the format of `-o`, else the verb's own, else the profile's, else a table. */
  readonly format: () => Promise<OutputFormat>;
  /** Returns a session for another company of the partner, without a user id. Closing this session also closes the returned one. */
  readonly actingFor: (company: AccountId, special?: CompanySessionOptions) => Session;
  readonly dryRun: DryRunState;
  /**
   * Ends a dry run before a change to this machine. The client, the profile store and the sandbox's control client end a dry run
   * themselves. @param change an infinitive: `write export.csv`
   */
  readonly beforeChange: (change: string) => void;
  /** Prints an error without ending the run. @param company the company that failed, in a run over many companies */
  readonly report: (error: unknown, company?: CompanyWithError) => Promise<ErrorExplanation>;
  /** Explains an error of which the run does not end. */
  readonly explain: (error: unknown) => ErrorExplanation;
  /** Runs another command line of svc in the given context, and returns its exit code. */
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** Runs a command line of svc and returns its exit code. @param argv the arguments, without the paths of node and of the script */
export type Run = (argv: readonly string[], context: Context) => Promise<number>;

/** Settings of a session for another company. */
interface CompanySessionOptions {
  readonly globals?: Partial<GlobalFlagValues>;
  readonly context?: Partial<Context>;
  /** Called before each line that the session prints on stderr. */
  readonly beforeNote?: () => Promise<void>;
  /** Text at the start of each line that `warn` prints: `company 12 (Harbour Coffee): `. */
  readonly prefix?: string;
  /** Returns a client to use instead of `client`. svc checks each write before it calls the returned client. */
  readonly wrapClient?: (client: Client) => Client;
  /** Called before each request. */
  readonly onRequest?: () => void;
}

/** Settings from the verb and from the program that runs it. */
interface SessionSettings {
  readonly output?: OutputFormat | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  /** Header and attribute names of the service, used if no profile stores them. */
  readonly naming?: UncheckedNamingOverrides | undefined;
  /** Noun and verb of the command, for the journal. */
  readonly command?: string;
  /** True if the verb acts for no company, or selects its companies itself. */
  readonly needsNoCompany?: boolean | undefined;
  /** True if svc ignores the file `.svc.json` in the working folder. */
  readonly ignoresFolder?: boolean | undefined;
  readonly run: Run;
  /** Called for each step of a request, with the text that svc signed. Undefined if the command does not trace requests. */
  readonly watch?: TraceListener | undefined;
  readonly report?: (
    error: unknown,
    session: Session,
    company?: CompanyWithError,
  ) => Promise<ErrorExplanation>;
}

/** Opens the session of one command. Sends no request. @param own settings of the verb and of the program that runs it */
export function openSession(context: Context, globals: GlobalFlagValues, own: SessionSettings): Session {
  const { env, clock, stderr } = context;
  const secrets = createSecretRedactor([
    env['SVC_API_KEY'],
    env['SVC_PARTNER_API_KEY'],
    ...(own.secrets ?? []),
  ]);
  const dryRun = createDryRunState(globals.dryRun);
  const cleaned = (note: NoteLines): string =>
    [note]
      .flat()
      .map((line) => escapeForTerminal(secrets.redact(line)))
      .join('\n');
  const warn = async (note: NoteLines): Promise<void> => {
    await stderr.write(`${await wrapNoteText(stderr, cleaned(note))}\n`);
  };
  // Lines of a trace stay whole, so that they can be copied and compared.
  const trace = async (lines: NoteLines): Promise<void> => stderr.write(`${cleaned(lines)}\n`);
  const waitNotices = createWaitNotices({
    clock,
    timer: context.timer ?? startMachineTimer,
    say: async (line) => (globals.quiet ? undefined : warn(line)),
  });
  const profiles = openProfiles({
    ...{ context, globals, secrets, waitNotices, warn, beforeWrite: dryRun.beforeChange },
    needsNoCompany: own.needsNoCompany ?? false,
    ignoresFolder: own.ignoresFolder ?? false,
    naming: own.naming,
  });
  const { resolved } = profiles;
  const connections = createServiceConnections(context);
  const wire = createPartsSharedByAllClients({
    resolved,
    connections,
    globals,
    warn: trace,
    watch: own.watch,
  });
  const shared = { own, secrets, waitNotices, profiles, wire };
  const prompter = changeQuestions(context.prompter, escapeForTerminal);
  const safe = replaceContextParts(context, { prompter });
  return sessionFor(
    shared,
    { context: safe, globals, dryRun, say: warn, warn, resolved, actsFor: undefined, special: {} },
    () => wire.traced().then(waitNotices.written).then(connections.close),
  );
}

/** Parts of a session that all sessions of a run share. */
interface Shared {
  readonly own: SessionSettings;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  readonly profiles: Profiles;
  readonly wire: PartsSharedByAllClients;
}

/** Parts of a session that it does not share with the other sessions of the run. */
interface Single {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly dryRun: DryRunState;
  /** Prints a line on stderr without a prefix. */
  readonly say: StderrNotePrinter['warn'];
  readonly warn: StderrNotePrinter['warn'];
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly actsFor: AccountId | undefined;
  readonly special: CompanySessionOptions;
}

function sessionFor(shared: Shared, single: Single, close: () => Promise<void>): Session {
  const { own, secrets, waitNotices, profiles, wire } = shared;
  const { context, globals, dryRun, warn, say, resolved, actsFor, special } = single;
  const notes = createStderrNotePrinter({ context, quiet: globals.quiet, secrets, waitNotices, warn });
  const session: Session = {
    context,
    globals,
    command: own.command ?? '',
    ...profiles,
    resolved,
    requestContext: async () => {
      const found = profiles.resolvedSoFar() && (await resolved());
      if (found === undefined) return undefined;
      return createRequestContext(found, profiles.store, context.clock.now());
    },
    ...createServiceAccess({
      ...{ context, globals, resolved, actsFor, wire, waitNotices, dryRun, notes, say },
      command: own.command,
      needsNoCompany: own.needsNoCompany,
      wrapClient: special.wrapClient,
      onRequest: special.onRequest,
    }),
    actingFor: (company, more = {}) =>
      sessionFor(shared, actingFor(single, company, more), async () => undefined),
    dryRun,
    beforeChange: dryRun.beforeChange,
    ...notes,
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profiles.outputFormatOfProfile())),
    explain: (error) => explainError(error),
    report: async (error, company) =>
      (await own.report?.(error, session, company)) ?? { ...explainError(error), company },
    close,
  };
  return session;
}

/** Returns the state of a session for another company of the same partner. Keeps no data of the previous company. */
function actingFor(single: Single, company: AccountId, special: CompanySessionOptions): Single {
  const globals = { ...single.globals, ...special.globals };
  const say = async (note: NoteLines): Promise<void> => {
    await special.beforeNote?.();
    await single.say(note);
  };
  return {
    context: { ...single.context, ...special.context },
    globals,
    dryRun: createDryRunState(globals.dryRun),
    say,
    warn: (note) => {
      const [first = '', ...others] = [note].flat();
      return say([`${special.prefix ?? ''}${first}`, ...others]);
    },
    resolved: once(async () => {
      const found = await single.resolved();
      const { userId: _, ...credentials } = found.credentials;
      return {
        ...found,
        credentials: { ...credentials, companyId: company } as Credentials,
        sources: { ...found.sources, company: 'one of the selected companies', user: 'not set' },
      };
    }),
    actsFor: company,
    special,
  };
}
