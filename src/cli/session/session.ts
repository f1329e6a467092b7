/** State of one run of the command line. Parts are created on first use. */

import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { TraceListener } from '../../client/requests/connection.ts';
import { startMachineTimer } from '../../client/requests/ports.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import type { AccountId, Credentials } from '../../service/auth/credentials.ts';
import type { CompanyWithError, ErrorExplanation } from '../errors/errors.ts';
import { explainError } from '../errors/explain-error.ts';
import type { FailedRequestContext } from '../errors/request-context.ts';
import { wrapNoteText } from '../output/note-lines.ts';
import { createSecretRedactor, type SecretRedactor } from '../output/redact.ts';
import type { OutputFormat } from '../output/result.ts';
import { type Context, changeQuestions, replaceContextParts } from '../outside/context.ts';
import { createServiceAccess, type ServiceAccess } from './access.ts';
import { openWire, type Wire } from './clients.ts';
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
import type { CompanyWrites } from './write-stages.ts';

export interface Invocation {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
}

/** State of one run of a command. A function should take only the interfaces that it needs. */
export interface Session extends Invocation, StderrNotePrinter, Profiles, ServiceAccess, Clocks {
  readonly command: string;
  /** Sends no request. */
  readonly requestContext: () => Promise<FailedRequestContext | undefined>;
  /** Returns the format of `-o`, else the verb's own, else the profile's, else a table. */
  readonly format: () => Promise<OutputFormat>;
  /** Closing this session also closes the returned one. */
  readonly actingFor: (company: AccountId, special?: CompanySessionOptions) => Session;
  readonly dryRun: DryRunState;
  /**
   * The client, the profile store and the sandbox's control client end a dry run themselves.
   * @param change an infinitive: `write export.csv`
   */
  readonly beforeChange: (change: string) => void;
  /** Flags for the answers of a person, such as `--name`, `Sale`. An error prints the command with them. */
  readonly answers: string[];
  /** @param company the company that failed, in a run over many companies */
  readonly report: (error: unknown, company?: CompanyWithError) => Promise<ErrorExplanation>;
  /** Explains an error of which the run does not end. */
  readonly explain: (error: unknown) => ErrorExplanation;
  readonly run: Run;
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

interface CompanySessionOptions {
  readonly globals?: Partial<GlobalFlagValues>;
  readonly context?: Partial<Context>;
  readonly beforeNote?: () => Promise<void>;
  /** Text at the start of each line that `warn` prints: `company 12 (Harbour Coffee): `. */
  readonly prefix?: string;
  readonly writes?: CompanyWrites;
  readonly onRequest?: () => void;
}

interface SessionSettings {
  readonly output?: OutputFormat | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  readonly naming?: UncheckedNamingOverrides | undefined;
  readonly command?: string;
  readonly needsNoCompany?: boolean | undefined;
  readonly ignoresFolder?: boolean | undefined;
  readonly run: Run;
  /** Undefined if the command does not trace requests. */
  readonly watch?: TraceListener | undefined;
  readonly report?: (
    error: unknown,
    session: Session,
    company?: CompanyWithError,
  ) => Promise<ErrorExplanation>;
}

/** Sends no request. */
export function openSession(context: Context, globals: GlobalFlagValues, own: SessionSettings): Session {
  const { env, clock, stderr } = context;
  const secrets = createSecretRedactor([env.SVC_API_KEY, env.SVC_PARTNER_API_KEY, ...(own.secrets ?? [])]);
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
  const wire = openWire({ resolved, connections, globals, warn: trace, watch: own.watch });
  const shared = { own, secrets, waitNotices, profiles, wire };
  const prompter = changeQuestions(context.prompter, escapeForTerminal);
  const safe = replaceContextParts(context, { prompter });
  return sessionFor(
    shared,
    { context: safe, globals, dryRun, say: warn, warn, resolved, actsFor: undefined, special: {} },
    () => wire.traced().then(waitNotices.written).then(connections.close),
  );
}

interface Shared {
  readonly own: SessionSettings;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  readonly profiles: Profiles;
  readonly wire: Wire;
}

interface Single {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly dryRun: DryRunState;
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
      company: special.writes,
      onRequest: special.onRequest,
    }),
    actingFor: (company, more = {}) =>
      sessionFor(shared, actingFor(single, company, more), async () => undefined),
    dryRun,
    beforeChange: dryRun.beforeChange,
    answers: [],
    explain: explainError,
    ...notes,
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profiles.outputFormatOfProfile())),
    report: async (error, company) =>
      (await own.report?.(error, session, company)) ?? { ...explainError(error), company },
    close,
  };
  return session;
}

/** Keeps no data of the previous company. */
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
