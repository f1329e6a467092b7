/** Holds the state of one run of the command line: credentials, service and zone. Each part is created on first use. */

import type { AccountId, Credentials } from '../../auth/credentials.ts';
import type { Client } from '../../client/client.ts';
import { machineTimer } from '../../client/ports.ts';
import type { Trace } from '../../client/trace.ts';
import type { Recorder } from '../../journal/recorder.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Naming } from '../../protocol/naming.ts';
import { account } from '../../resources/account.ts';
import type { Counter } from '../../sends/counted-client.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { type Explained, type FailedCompany, UsageError } from '../errors/errors.ts';
import { explainError } from '../errors/explain-error.ts';
import type { RequestContext } from '../errors/request-context.ts';
import type { Format } from '../output/format.ts';
import type { NamesOf } from '../output/names.ts';
import { wrappedNote } from '../output/note-lines.ts';
import type { Context } from '../outside/context.ts';
import { type AccountLabel, createAccountLabel } from './account-words.ts';
import { type Allowance, refuseUnapproved } from './approvals.ts';
import { beforeWrites, type ComingWrite, refuseReadOnly } from './before-writes.ts';
import { budgetClient, openCounter } from './budget.ts';
import {
  type BulkClient,
  createClients,
  createSharedParts,
  type SharedParts,
  type SpecialClient,
} from './clients.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { createConnections } from './connections.ts';
import { createDryRun, type DryRun } from './dry-run.ts';
import type { Globals } from './globals.ts';
import { openRecorder } from './journal.ts';
import type { NamingOverrides } from './naming-file.ts';
import { once } from './once.ts';
import { openProfiles, type Profiles, type ProfilesWithState } from './profiles.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createWaits, type Waits } from './waits.ts';

/** Functions that print lines on stderr, and that remove secrets from text. */
export interface Notes {
  /** Prints a line on stderr, unless `--quiet`. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Prints a line on stderr, even with `--quiet`: a promise of the contract's "Safety". */
  readonly warn: (line: string) => Promise<void>;
  /**
   * Runs `work`, and prints a line on stderr if it takes more than 2 seconds. @param words the text after `waiting`: `for X, for 1 minute
   * at most`
   */
  readonly waiting: <T>(words: string, work: () => Promise<T>) => Promise<T>;
  /**
   * Runs `work` without lines about waits and without the line `Working…`. Use it if `work` has its own display, or if another program uses
   * the terminal.
   */
  readonly withoutWaitLines: <T>(work: () => Promise<T>) => Promise<T>;
  /** Removes every secret known so far from a text. */
  readonly redact: (text: string) => string;
  /** Adds secrets, which `redact` then removes. */
  readonly hide: (secrets: readonly string[]) => void;
}

/** Clients of the service, and the account that they act for. */
export interface Access {
  /**
   * Returns the client that records its writes in the journal, unless `--no-journal`. It reports when it recovers the result of a lost
   * response. Before the first write, it names the account if the caller is a partner or on a terminal. It refuses writes of a read-only
   * profile and, if the profile requires approvals, every write by which people may get a message. So do the other clients.
   */
  readonly client: () => Promise<Client>;
  /** Returns a client that records nothing, for bulk work, which keeps its own checkpoint. It is a new client if options are given. */
  readonly bareClient: (bulk?: BulkClient) => Promise<Client>;
  /** Returns a client that records its writes in the journal, with special settings. */
  readonly clientWith: (special: SpecialClient) => Promise<Client>;
  /** Returns the counter of sends in the profile's budget. Returns undefined if the profile has no budget, or if the run is a dry run. */
  readonly counter: () => Promise<Counter | undefined>;
  /** Returns the recorder of the journal. Returns undefined with `--no-journal`, or if the run is a dry run. */
  readonly recorder: () => Promise<Recorder | undefined>;
  /** Returns the company's own record as first read in this run: its name, zone and balances. */
  readonly account: () => Promise<JsonObject>;
  readonly whose: AccountLabel;
  /** Runs the checks before a write, for work that needs their result before its first write. */
  readonly beforeWrite: () => Promise<void>;
  /** Company of a session from `actingFor`. */
  readonly actsFor: AccountId | undefined;
  /** Finds the names of the records that a table shows by id. It sends few requests, and a failure leaves the id without a name. */
  readonly names: NamesOf;
}

/** Context of the process, and the values of the global flags. */
export interface Invocation {
  readonly context: Context;
  readonly globals: Globals;
}

/** State of one run of a command. A function should take only the interfaces that it needs. */
export interface Session extends Invocation, Notes, Profiles, Access, Clocks {
  /** Noun and verb. */
  readonly command: string;
  /** Returns the service and account for error messages, or undefined if the credentials are not resolved yet. Sends no request. */
  readonly asked: () => Promise<RequestContext | undefined>;
  /** Returns the format of `-o`, else the verb's own, else the profile's, else a table. */
  readonly format: () => Promise<Format>;
  /** Returns a session for another company of the partner, without a user. Closing this session also closes the returned one. */
  readonly actingFor: (company: AccountId, special?: ActingFor) => Session;
  readonly dryRun: DryRun;
  /**
   * Ends a dry run before a change to this machine that the client, the profile store and the sandbox's control client do not see. @param
   * change an infinitive: `write export.csv`
   */
  readonly beforeChange: (change: string) => void;
  /** Prints an error without ending the run. @param company the company of a run over many in which it happened */
  readonly report: (error: unknown, company?: FailedCompany) => Promise<Explained>;
  /** Runs the whole program again in another context, and returns its exit code. */
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** Runs the program. @param argv without node and script */
export type Run = (argv: readonly string[], context: Context) => Promise<number>;

/** Settings of a session for another company. */
export interface ActingFor {
  readonly globals?: Partial<Globals>;
  readonly context?: Partial<Context>;
  /** Called before each note. */
  readonly beforeNote?: () => Promise<void>;
  /** Text before every note. */
  readonly prefix?: string;
  /** Returns a wrapped client. Checks that refuse writes run before the wrapped client. */
  readonly around?: (client: Client) => Client;
  /** Called before each request. */
  readonly onRequest?: () => void;
}

/** Settings from the verb and from the program that runs it. */
export interface SessionSettings {
  readonly output?: Format | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  /** Names of the deployment, if no profile has them. */
  readonly naming?: NamingOverrides | undefined;
  /** Noun and verb, for the journal. */
  readonly command?: string;
  /** True if the verb acts for no company, or selects its companies itself. */
  readonly needsNoCompany?: boolean | undefined;
  /** True to ignore a `.svc.json` of the working folder. */
  readonly ignoresFolder?: boolean | undefined;
  readonly run: Run;
  /** Called for every step on the wire, with the signed strings. */
  readonly watch?: Trace | undefined;
  /** Prints an error. */
  readonly report?: (error: unknown, session: Session, company?: FailedCompany) => Promise<Explained>;
}

export function openSession(context: Context, globals: Globals, own: SessionSettings): Session {
  const { env, clock, stderr } = context;
  const secrets = createSecrets([env['SVC_API_KEY'], env['SVC_PARTNER_API_KEY'], ...(own.secrets ?? [])]);
  const dryRun = createDryRun(globals.dryRun);
  const beforeChange = changeIn(dryRun);
  const cleaned = (line: string): string => escapeForTerminal(secrets.redact(line), { newlines: true });
  const warn = async (line: string): Promise<void> => {
    await stderr.write(`${await wrappedNote(stderr, cleaned(line))}\n`);
  };
  // Lines of a trace stay whole, so that they can be copied and compared.
  const trace = async (lines: string): Promise<void> => stderr.write(`${cleaned(lines)}\n`);
  const waits = createWaits({
    clock,
    timer: context.timer ?? machineTimer,
    say: async (line) => (globals.quiet ? undefined : warn(line)),
  });
  const profiles = openProfiles({
    ...{ context, globals, secrets, waits, warn, beforeWrite: beforeChange },
    needsNoCompany: own.needsNoCompany ?? false,
    ignoresFolder: own.ignoresFolder ?? false,
    naming: own.naming,
  });
  const { resolved } = profiles;
  const connections = createConnections(context);
  const wire = createSharedParts({ resolved, connections, globals, warn: trace, watch: own.watch });
  const shared = { own, secrets, waits, profiles, wire };
  return sessionFor(
    shared,
    { context, globals, dryRun, say: warn, warn, resolved, actsFor: undefined, special: {} },
    () => wire.traced().then(waits.said).then(connections.close),
  );
}

/** Parts of a session that all sessions of a run share. */
interface Shared {
  readonly own: SessionSettings;
  readonly secrets: Secrets;
  readonly waits: Waits;
  readonly profiles: ProfilesWithState;
  readonly wire: SharedParts;
}

/** Parts that each session has for itself. */
interface Single {
  readonly context: Context;
  readonly globals: Globals;
  readonly dryRun: DryRun;
  /** Prints a line on stderr without a prefix. */
  readonly say: (line: string) => Promise<void>;
  readonly warn: (line: string) => Promise<void>;
  readonly resolved: () => Promise<Resolved>;
  readonly actsFor: AccountId | undefined;
  readonly special: ActingFor;
}

const changeIn =
  (dryRun: DryRun) =>
  (change: string): void => {
    if (dryRun.isOn) dryRun.end({ would: change });
  };

function sessionFor(shared: Shared, single: Single, close: () => Promise<void>): Session {
  const { own, secrets, waits, profiles, wire } = shared;
  const { context, globals, dryRun, warn, resolved, actsFor, special } = single;
  const { clock, stderr } = context;
  const beforeChange = changeIn(dryRun);
  // An unreadable stderr (a terminal that was closed) must not stop the work.
  const info = async (line: string): Promise<void> => {
    if (!globals.quiet) await warn(line).catch(() => undefined);
  };
  const recorder = once(async () =>
    globals.journal && !dryRun.isOn
      ? openRecorder(own.command ?? '', { context, resolved, waits, redact: secrets.redact, warn })
      : undefined,
  );
  const { onRequest } = special;
  const clients = createClients({
    context,
    globals,
    resolved,
    wire,
    waits,
    dryRun,
    recorder,
    warn,
    onRequest,
    sentBy: own.command === 'doctor' ? 'doctor' : context.sentBy,
  });
  let known: JsonObject | undefined;
  // A failure is not cached: a failed request for the account's name must not break work that needs its zone.
  const ownAccount = async (): Promise<JsonObject> => {
    known ??= await (await client()).single(account);
    return known;
  };
  const isWatched = stderr.isTTY && !globals.quiet;
  const isDryRun = dryRun.isOn;
  const whose = createAccountLabel({
    isWatched,
    isDryRun,
    resolved,
    account: ownAccount,
    info,
    warn: single.say,
  });
  const beforeWrite = async (write: ComingWrite = {}, approvals?: Allowance): Promise<void> => {
    // A dry run sends nothing.
    if (!isDryRun) {
      const { profile } = await resolved();
      refuseReadOnly(profile);
      await refuseUnapproved(profile, write.sending, approvals);
    }
    await whose.announce(write);
  };
  const naming = async (): Promise<Naming> => (await resolved()).naming;
  const clocks = createClocks({
    clock,
    tz: globals.tz,
    client: () => client(),
    resolved,
    ownAccount,
    knownAccount: () => known,
    warn,
  });
  const counter = once(() => openCounter({ context, resolved, clocks, isDryRun }));
  const guarded = (made: Client, { approvals, isChecked = false }: SpecialClient = {}): Client => {
    const client = budgetClient(made, { counter, naming, isChecked });
    return beforeWrites(special.around?.(client) ?? client, naming, (write) => beforeWrite(write, approvals));
  };
  // `svc api` prints the response of the service, and a run over many companies has a session for each.
  const namesCompany = own.needsNoCompany || globals.companies !== undefined || own.command === 'api';
  const acting = async (): Promise<void> => {
    if (own.command !== undefined && (!namesCompany || actsFor !== undefined))
      mustActForCompany(await resolved());
  };
  const client = once(async () => {
    await acting();
    return guarded(await clients.recording({}));
  });
  let names: Promise<NamesOf> | undefined;

  const session: Session = {
    context,
    globals,
    command: own.command ?? '',
    ...profiles,
    resolved,
    asked: async () => {
      const found = profiles.known() && (await resolved());
      return (
        found && (await import('./request-context.ts')).requestContextOf(found, profiles.store, clock.now())
      );
    },
    client,
    bareClient: async (bulk) => {
      await acting();
      return guarded(await clients.bare(bulk));
    },
    clientWith: async (other) => {
      await acting();
      return guarded(await clients.recording(other), other);
    },
    counter,
    recorder,
    account: ownAccount,
    whose,
    beforeWrite: () => beforeWrite(),
    actingFor: (company, more = {}) =>
      sessionFor(shared, actingFor(single, company, more), async () => undefined),
    actsFor,
    dryRun,
    beforeChange,
    ...clocks,
    names: async (references) => {
      names ??= import('./reference-names.ts').then(({ createReferenceNames }) =>
        createReferenceNames({ client, timer: context.timer }),
      );
      return (await names)(references);
    },
    redact: secrets.redact,
    hide: secrets.hide,
    info,
    warn,
    waiting: waits.during,
    withoutWaitLines: (work) => {
      const shown = () => waits.withoutWaitLines(work);
      return context.pauseSign ? context.pauseSign(shown) : shown();
    },
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profiles.profileFormat())),
    report: async (error, company) =>
      (await own.report?.(error, session, company)) ?? { ...explainError(error), company },
    close,
  };
  return session;
}

/** Returns the state for another company of the same partner. Nothing of the previous company is kept. */
function actingFor(single: Single, company: AccountId, special: ActingFor): Single {
  const globals = { ...single.globals, ...special.globals };
  const say = async (line: string): Promise<void> => {
    await special.beforeNote?.();
    await single.say(line);
  };
  return {
    context: { ...single.context, ...special.context },
    globals,
    dryRun: createDryRun(globals.dryRun),
    say,
    warn: (line) => say(`${special.prefix ?? ''}${line}`),
    resolved: once(async () => {
      const found = await single.resolved();
      const { userId: _, ...credentials } = found.credentials;
      return {
        ...found,
        credentials: { ...credentials, companyId: company } as Credentials,
        sources: { ...found.sources, company: 'named by the command', user: 'not set' },
      };
    }),
    actsFor: company,
    special,
  };
}

/** Checks that a partner names a company. @throws UsageError if it names none */
function mustActForCompany({ credentials, profile }: Pick<Resolved, 'credentials' | 'profile'>): void {
  if (credentials.kind !== 'partner' || credentials.companyId !== undefined) return;
  const keep =
    profile === undefined
      ? 'set SVC_COMPANY_ID to choose one for all commands'
      : `run svc company use ID to choose one for profile ${profile.name}; svc company list shows the roster`;
  throw new UsageError('a partner must choose a company; nothing was sent', {
    hints: ['add --company with an id, or with a name from the roster', keep],
  });
}
